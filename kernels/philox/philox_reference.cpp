// Reference of Philox4x32-10.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "philox_reference.hpp"

namespace bascule::kernels {

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xcd9e8d57} * counter[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    counter = {high(product1) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               high(product0) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  return counter;
}

std::uint32_t philox_reference(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high,
                               std::uint64_t index) {
  const std::uint64_t low = counter_low + index / 4;
  const std::uint64_t high = counter_high + (low < counter_low ? 1 : 0);
  const auto part = [](std::uint64_t x, int half) { return static_cast<std::uint32_t>(x >> (32 * half)); };
  return philox_block({part(low, 0), part(low, 1), part(high, 0), part(high, 1)},
                      {part(key, 0), part(key, 1)})[index % 4];
}

}  // namespace bascule::kernels
