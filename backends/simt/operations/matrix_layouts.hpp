// Tests of matrices: where the ISA puts each element of mma's fragments, and what a product must be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "backends/simt/operations/matrix_elements.hpp"

namespace bascule::simt::test {

// ---- where the ISA puts each element ----------------------------------------------------------------------------------

struct Place {
  unsigned row, column;
};
using PlaceOf = Place (*)(unsigned lane, unsigned i);

inline unsigned group(unsigned lane) { return lane >> 2; }
inline unsigned member(unsigned lane) { return lane % 4; }

// C and D of all shapes but m8n8k4 of f16.
inline Place accumulator_8(unsigned lane, unsigned i) { return {group(lane), member(lane) * 2 + i}; }
inline Place accumulator_16(unsigned lane, unsigned i) { return {i < 2 ? group(lane) : group(lane) + 8, member(lane) * 2 + (i & 1)}; }

// m8n8k4 .f64 / m8n8k16 8-bit / m8n8k32 4-bit / m8n8k128 1-bit
inline Place a_884_f64(unsigned lane, unsigned) { return {lane >> 2, lane % 4}; }
inline Place b_884_f64(unsigned lane, unsigned) { return {lane % 4, lane >> 2}; }
inline Place a_8816(unsigned lane, unsigned i) { return {group(lane), member(lane) * 4 + i}; }
inline Place b_8816(unsigned lane, unsigned i) { return {member(lane) * 4 + i, group(lane)}; }
inline Place a_8832(unsigned lane, unsigned i) { return {group(lane), member(lane) * 8 + i}; }
inline Place b_8832(unsigned lane, unsigned i) { return {member(lane) * 8 + i, group(lane)}; }
inline Place a_88128(unsigned lane, unsigned i) { return {group(lane), member(lane) * 32 + i}; }
inline Place b_88128(unsigned lane, unsigned i) { return {member(lane) * 32 + i, group(lane)}; }
// m16n8k4 .tf32 .f64
inline Place a_1684(unsigned lane, unsigned i) { return {i == 0 ? group(lane) : group(lane) + 8, member(lane)}; }
inline Place b_1684(unsigned lane, unsigned) { return {member(lane), group(lane)}; }
// m16n8k8 .f16 .bf16
inline Place a_1688_half(unsigned lane, unsigned i) { return {i < 2 ? group(lane) : group(lane) + 8, member(lane) * 2 + (i & 1)}; }
inline Place b_1688_half(unsigned lane, unsigned i) { return {member(lane) * 2 + i, group(lane)}; }
// m16n8k8 .tf32 .f64
inline Place a_1688_word(unsigned lane, unsigned i) {
  return {i == 0 || i == 2 ? group(lane) : group(lane) + 8, i < 2 ? member(lane) : member(lane) + 4};
}
inline Place b_1688_word(unsigned lane, unsigned i) { return {i == 0 ? member(lane) : member(lane) + 4, group(lane)}; }
// m16n8k16 .f16 .bf16
inline Place a_16816_half(unsigned lane, unsigned i) {
  return {i < 2 || (4 <= i && i < 6) ? group(lane) : group(lane) + 8, member(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
inline Place b_16816_half(unsigned lane, unsigned i) { return {member(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(lane)}; }
// m16n8k16 .f64
inline Place a_16816_f64(unsigned lane, unsigned i) {
  return {i % 2 == 0 ? group(lane) : group(lane) + 8, i % 2 == 0 ? i * 2 + member(lane) : i * 2 - 2 + member(lane)};
}
inline Place b_16816_f64(unsigned lane, unsigned i) { return {member(lane) + i * 4, group(lane)}; }
// m16n8k16 8-bit
inline Place a_16816_byte(unsigned lane, unsigned i) { return {i < 4 ? group(lane) : group(lane) + 8, member(lane) * 4 + (i & 3)}; }
inline Place b_16816_byte(unsigned lane, unsigned i) { return {member(lane) * 4 + i, group(lane)}; }
// m16n8k32 4-bit
inline Place a_16832_nibble(unsigned lane, unsigned i) { return {i < 8 ? group(lane) : group(lane) + 8, member(lane) * 8 + (i & 7)}; }
inline Place b_16832_nibble(unsigned lane, unsigned i) { return {member(lane) * 8 + (i & 7), group(lane)}; }
// m16n8k32 8-bit
inline Place a_16832_byte(unsigned lane, unsigned i) {
  return {i < 4 || (8 <= i && i < 12) ? group(lane) : group(lane) + 8, member(lane) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
inline Place b_16832_byte(unsigned lane, unsigned i) { return {member(lane) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(lane)}; }
// m16n8k64 4-bit
inline Place a_16864(unsigned lane, unsigned i) {
  return {i < 8 || (16 <= i && i < 24) ? group(lane) : group(lane) + 8, member(lane) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
}
inline Place b_16864(unsigned lane, unsigned i) { return {member(lane) * 8 + (i & 7) + (i < 8 ? 0 : 32), group(lane)}; }
// m16n8k128 and m16n8k256 1-bit
inline Place a_168128(unsigned lane, unsigned i) { return {i < 32 ? group(lane) : group(lane) + 8, member(lane) * 32 + (i & 31)}; }
inline Place b_168128(unsigned lane, unsigned i) { return {member(lane) * 32 + i, group(lane)}; }
inline Place a_168256(unsigned lane, unsigned i) {
  return {i < 32 || (64 <= i && i < 96) ? group(lane) : group(lane) + 8, member(lane) * 32 + (i & 31) + (i < 64 ? 0 : 128)};
}
inline Place b_168256(unsigned lane, unsigned i) { return {member(lane) * 32 + (i & 31) + (i < 32 ? 0 : 128), group(lane)}; }

struct MatrixShape {
  ptx::Modifier name;
  unsigned rows, depth;
  PlaceOf a, b;
};

inline constexpr MatrixShape kHalfShapes[] = {{ptx::Modifier::m16n8k8, 16, 8, a_1688_half, b_1688_half},
                                 {ptx::Modifier::m16n8k16, 16, 16, a_16816_half, b_16816_half}};
inline constexpr MatrixShape kTf32Shapes[] = {{ptx::Modifier::m16n8k4, 16, 4, a_1684, b_1684}, {ptx::Modifier::m16n8k8, 16, 8, a_1688_word, b_1688_word}};
inline constexpr MatrixShape kFp8Shapes[] = {{ptx::Modifier::m16n8k16, 16, 16, a_16816_byte, b_16816_byte},
                                {ptx::Modifier::m16n8k32, 16, 32, a_16832_byte, b_16832_byte}};
inline constexpr MatrixShape kByteShapes[] = {{ptx::Modifier::m8n8k16, 8, 16, a_8816, b_8816}, kFp8Shapes[0], kFp8Shapes[1]};
inline constexpr MatrixShape kNibbleShapes[] = {{ptx::Modifier::m8n8k32, 8, 32, a_8832, b_8832},
                                   {ptx::Modifier::m16n8k32, 16, 32, a_16832_nibble, b_16832_nibble},
                                   {ptx::Modifier::m16n8k64, 16, 64, a_16864, b_16864}};
inline constexpr MatrixShape kBitShapes[] = {{ptx::Modifier::m8n8k128, 8, 128, a_88128, b_88128},
                                {ptx::Modifier::m16n8k128, 16, 128, a_168128, b_168128},
                                {ptx::Modifier::m16n8k256, 16, 256, a_168256, b_168256}};
inline constexpr MatrixShape kDoubleShapes[] = {{ptx::Modifier::m8n8k4, 8, 4, a_884_f64, b_884_f64},
                                   {ptx::Modifier::m16n8k4, 16, 4, a_1684, b_1684},
                                   {ptx::Modifier::m16n8k8, 16, 8, a_1688_word, b_1688_word},
                                   {ptx::Modifier::m16n8k16, 16, 16, a_16816_f64, b_16816_f64}};

// m8n8k4 .f16: four products, each of eight lanes
inline Place quad_a(bool by_column, unsigned lane, unsigned i) {
  if (!by_column) return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
  return {lane < 16 ? i % 4 : i % 4 + 4, lane % 4};
}
inline Place quad_b(bool by_column, unsigned lane, unsigned i) {
  if (!by_column) return {lane % 4, lane < 16 ? i : i + 4};
  return {i, lane < 16 ? lane % 4 : lane % 4 + 4};
}
inline Place quad_c(ptx::Type type, unsigned lane, unsigned i) {
  if (type == ptx::Type::f16) return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
  const unsigned x = (lane & 1) + (i & 2);
  return {lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
}
inline unsigned quad_of(unsigned lane) { return lane / 4 % 4; }

// ---- products --------------------------------------------------------------------------------------------------------------

using Matrix = std::vector<std::vector<double>>;

inline Matrix zeros(unsigned rows, unsigned columns) { return Matrix(rows, std::vector<double>(columns)); }

/// What each element of D must be, and how far off it may be.
struct Expected {
  Matrix value, magnitude;
};

inline Expected triple_loop(const Matrix& a, const Matrix& b, const Matrix& c) {
  Expected expected{c, zeros(static_cast<unsigned>(c.size()), static_cast<unsigned>(c[0].size()))};
  for (std::size_t row = 0; row < c.size(); ++row) {
    for (std::size_t column = 0; column < c[0].size(); ++column) {
      expected.magnitude[row][column] = std::fabs(c[row][column]);
      for (std::size_t k = 0; k < b.size(); ++k) {
        expected.value[row][column] += a[row][k] * b[k][column];
        expected.magnitude[row][column] += std::fabs(a[row][k] * b[k][column]);
      }
    }
  }
  return expected;
}

inline void check_float(ptx::Type type, std::uint32_t bits, double want, double magnitude, std::size_t depth) {
  if (std::isnan(want)) {
    CHECK(bits == (type == ptx::Type::f16 ? 0x7fffu : 0x7fffffffu));
    return;
  }
  const double got = decode_element(type, bits);
  const double largest = type == ptx::Type::f16 ? 65520.0 : 3.4e38;
  double bound = static_cast<double>(depth + 1) * std::ldexp(magnitude, -24);
  if (type == ptx::Type::f16) bound += std::ldexp(std::fabs(want), -11) + std::ldexp(1.0, -25);
  if (std::isinf(want) || std::fabs(want) > largest + bound) {
    CHECK(got == std::copysign(INFINITY, want));
  } else if (std::isinf(got)) {
    CHECK(std::fabs(want) >= largest - bound);
  } else {
    CHECK(std::fabs(got - want) <= bound);
  }
}

}  // namespace bascule::simt::test
