// CacheStore: what a plugin's compiled code is kept in. The JIT cache (core/package) implements it, the loader's host
// services hand it to plugins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/hash.hpp"

namespace bascule::core {

// Thread-safe. Never fails its caller: what cannot be read is a miss, what cannot be written is dropped with one
// warning.
class CacheStore {
 public:
  virtual ~CacheStore() = default;
  virtual std::optional<std::vector<std::byte>> get(const Hash128& key) = 0;
  virtual void put(const Hash128& key, std::span<const std::byte> data) = 0;
};

}  // namespace bascule::core
