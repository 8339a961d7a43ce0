// ggml's quantised formats q4_0 and q8_0 on the host: blocks of 32 weights with one f16 factor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bascule::kernels {

inline constexpr std::uint64_t kBlockLength = 32;

// q4_0: d, then 16 bytes; byte i holds weight i in its lower half and weight i + 16 in its upper one, each (nibble - 8) d.
struct Q4_0 {
  static constexpr const char* kName = "q4_0";
  static constexpr std::uint64_t kWords = 9;  // of 16 bits
  static constexpr double kBytes = 18;
  // d is the number furthest from 0 divided by -8, so that this one is met.
  static void quantise(const float* values, std::uint16_t* block);
  static double weight(const std::uint16_t* block, std::uint64_t index);
};

// q8_0: d, then 32 signed bytes, each byte x d.
struct Q8_0 {
  static constexpr const char* kName = "q8_0";
  static constexpr std::uint64_t kWords = 17;
  static constexpr double kBytes = 34;
  static void quantise(const float* values, std::uint16_t* block);
  static double weight(const std::uint16_t* block, std::uint64_t index);
};

// Of a multiple of 32 numbers.
template <class Format>
std::vector<std::uint16_t> quantised(std::span<const float> values) {
  std::vector<std::uint16_t> words(values.size() / kBlockLength * Format::kWords);
  for (std::uint64_t block = 0; block < values.size() / kBlockLength; ++block) {
    Format::quantise(values.data() + block * kBlockLength, words.data() + block * Format::kWords);
  }
  return words;
}

}  // namespace bascule::kernels
