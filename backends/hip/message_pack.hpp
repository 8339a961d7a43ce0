// Reading MessagePack, the encoding of AMD's metadata: one value at a time, with every length checked.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bascule::gpu {

class MessagePack {
 public:
  explicit MessagePack(std::span<const std::byte> bytes) : rest_(bytes) {}

  // Each reads the next value, or gives nothing and leaves it where it is of another kind or cut off.
  std::optional<std::uint64_t> map();     // number of pairs that follow
  std::optional<std::uint64_t> array();   // number of elements that follow
  std::optional<std::string_view> text();
  std::optional<std::uint64_t> number();  // that is not negative
  // Passes over a value with all that is in it. False where it is cut off or too deep.
  bool skip(int depth = 0);

 private:
  std::optional<std::uint64_t> big_endian(std::size_t at, std::size_t bytes) const;
  bool skip_elements(std::uint64_t count, int depth);

  std::span<const std::byte> rest_;
};

}  // namespace bascule::gpu
