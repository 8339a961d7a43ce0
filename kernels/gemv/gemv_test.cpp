// The quantised formats' bytes against known ones, and what they lose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "block_formats.hpp"

using namespace bascule::kernels;

namespace {

// 4,096 numbers in [-1, 1): s = s x 1664525 + 1013904223 mod 2^32 from s = 1; x = (s as signed, shifted right by 8) / 2^23.
std::vector<float> known_values() {
  std::vector<float> values(4096);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<std::int32_t>(state) >> 8) / 8388608.0f;
  }
  return values;
}

std::vector<unsigned char> bytes_of(const std::vector<std::uint16_t>& words) {
  std::vector<unsigned char> bytes;
  for (const std::uint16_t word : words) bytes.insert(bytes.end(), {static_cast<unsigned char>(word & 0xff), static_cast<unsigned char>(word >> 8)});
  return bytes;
}

// FNV-1a's step with another beginning.
std::uint64_t hash_of(const std::vector<unsigned char>& bytes) {
  std::uint64_t hash = 1469598103934665603u;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211u;
  return hash;
}

}  // namespace

TEST_CASE("q4_0 has the known bytes") {
  const std::vector<unsigned char> bytes = bytes_of(quantised<Q4_0>(known_values()));
  const unsigned char first[] = {0xef, 0x2f, 0x6c, 0xde, 0x30, 0x03, 0xb9, 0xae, 0x94, 0xd1, 0xa8, 0x32, 0x1c, 0xef, 0xc1, 0x45, 0x7c, 0xb8};
  CHECK(std::equal(std::begin(first), std::end(first), bytes.begin()));
  CHECK(hash_of(bytes) == 0x3a13bfc67536e589u);
}

TEST_CASE("q8_0 has the known bytes") {
  const std::vector<unsigned char> bytes = bytes_of(quantised<Q8_0>(known_values()));
  const unsigned char first[] = {0xff, 0x1f, 0x3d, 0x5f, 0x81, 0xb4, 0x0d, 0x5f};
  CHECK(std::equal(std::begin(first), std::end(first), bytes.begin()));
  CHECK(hash_of(bytes) == 0x49d5f0d005799e89u);
}

TEST_CASE("a weight comes back within half a step, and a block of zeros as zeros") {
  const std::vector<float> values = known_values();
  const std::vector<std::uint16_t> q4 = quantised<Q4_0>(values), q8 = quantised<Q8_0>(values);
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const std::uint64_t block = i / kBlockLength;
    const float* begin = values.data() + block * kBlockLength;
    const double most = std::fabs(*std::max_element(begin, begin + kBlockLength, [](float a, float b) { return std::fabs(a) < std::fabs(b); }));
    // One end of q4_0's range is missing: there the error is a whole step. The factor itself is rounded to 11 bits.
    CHECK(std::fabs(Q4_0::weight(q4.data() + block * Q4_0::kWords, i % kBlockLength) - values[i]) <= most * (1.0 / 8 + 0x1p-11));
    CHECK(std::fabs(Q8_0::weight(q8.data() + block * Q8_0::kWords, i % kBlockLength) - values[i]) <= most * (0.5 / 127 + 0x1p-11));
  }
  const std::vector<float> zeros(kBlockLength, 0.0f);
  const std::vector<std::uint16_t> block4 = quantised<Q4_0>(zeros), block8 = quantised<Q8_0>(zeros);
  for (std::uint64_t i = 0; i < kBlockLength; ++i) {
    CHECK(Q4_0::weight(block4.data(), i) == 0);
    CHECK(Q8_0::weight(block8.data(), i) == 0);
  }
}
