// ggml's quantised formats on the host: see block_formats.hpp. All arithmetic in f32, as the format's definition has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "block_formats.hpp"

#include <algorithm>
#include <cmath>

#include "../common/half_formats.hpp"

namespace bascule::kernels {
namespace {

unsigned byte_of(const std::uint16_t* block, std::uint64_t index) { return (block[1 + index / 2] >> (index % 2 * 8)) & 0xffu; }

void set_byte(std::uint16_t* block, std::uint64_t index, unsigned byte) {
  const auto shift = static_cast<unsigned>(index % 2 * 8);
  std::uint16_t& word = block[1 + index / 2];
  word = static_cast<std::uint16_t>((word & ~(0xffu << shift)) | byte << shift);
}

float furthest_from_0(const float* values) {
  return *std::max_element(values, values + kBlockLength, [](float a, float b) { return std::fabs(a) < std::fabs(b); });
}

}  // namespace

void Q4_0::quantise(const float* values, std::uint16_t* block) {
  const float d = furthest_from_0(values) / -8.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  block[0] = F16::from_float(d);
  const auto nibble = [inverse](float value) { return static_cast<unsigned>(std::min(15, static_cast<int>(value * inverse + 8.5f))); };
  for (std::uint64_t i = 0; i < kBlockLength / 2; ++i) set_byte(block, i, nibble(values[i]) | nibble(values[i + kBlockLength / 2]) << 4);
}

double Q4_0::weight(const std::uint16_t* block, std::uint64_t index) {
  const unsigned byte = byte_of(block, index % (kBlockLength / 2));
  const unsigned nibble = index < kBlockLength / 2 ? byte & 15u : byte >> 4;
  return F16::to_double(block[0]) * (static_cast<int>(nibble) - 8);
}

void Q8_0::quantise(const float* values, std::uint16_t* block) {
  const float d = std::fabs(furthest_from_0(values)) / 127.0f;
  const float inverse = d != 0 ? 1.0f / d : 0.0f;
  block[0] = F16::from_float(d);
  for (std::uint64_t i = 0; i < kBlockLength; ++i) set_byte(block, i, static_cast<unsigned>(std::lround(values[i] * inverse)) & 0xffu);
}

double Q8_0::weight(const std::uint16_t* block, std::uint64_t index) {
  return F16::to_double(block[0]) * static_cast<std::int8_t>(byte_of(block, index));
}

}  // namespace bascule::kernels
