// Content hashes: XXH3 with 128 bits. Not cryptographic: they detect damage and name cache entries, no more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bascule::core {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;  // 32 lower-case digits
};

Hash128 hash128(const void* data, std::size_t bytes);
inline Hash128 hash128(std::string_view text) { return hash128(text.data(), text.size()); }

// Hashes a sequence of fields. Each field goes in with its length, so that ("ab", "c") and ("a", "bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& add(const void* data, std::size_t bytes);
  Hasher& add(std::string_view text) { return add(text.data(), text.size()); }
  Hasher& add(std::uint64_t number);
  Hash128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bascule::core
