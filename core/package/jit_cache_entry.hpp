// One entry of the JIT cache as a file: header, then the payload.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"

namespace bascule::core {

std::string encode_cache_entry(const Hash128& key, std::span<const std::byte> payload);

// Nothing if the file is damaged, cut off, of another version or another key's.
std::optional<std::vector<std::byte>> decode_cache_entry(const Hash128& key, std::string_view file);

}  // namespace bascule::core
