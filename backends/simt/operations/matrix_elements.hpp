// Tests of matrices: elements of every format as doubles, decoded by arithmetic, and random packed registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::test {

inline unsigned element_bits(ptx::Type type) { return ptx::bits_of(type); }

/// sign, exponent, mantissa → value, as every IEEE-like format has it. `finite`: no infinities, NaN is all ones.
inline double decode_float(std::uint32_t bits, int exponent_bits, int mantissa_bits, bool finite) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const std::uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits) & 1u) != 0 ? -1 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const bool top = exponent == (1u << exponent_bits) - 1;
  if (top && finite && mantissa == (1u << mantissa_bits) - 1) return NAN;
  if (top && !finite) return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
}

inline double decode_element(ptx::Type type, std::uint32_t bits) {
  switch (type) {
    case ptx::Type::f16: return decode_float(bits, 5, 10, false);
    case ptx::Type::bf16: return decode_float(bits, 8, 7, false);
    case ptx::Type::tf32: return decode_float(bits >> 13, 8, 10, false);
    case ptx::Type::f32: return decode_float(bits, 8, 23, false);
    case ptx::Type::e4m3: return decode_float(bits, 4, 3, true);
    case ptx::Type::e5m2: return decode_float(bits, 5, 2, false);
    case ptx::Type::s8: return static_cast<std::int8_t>(bits);
    case ptx::Type::u8: return static_cast<std::uint8_t>(bits);
    case ptx::Type::s4: return static_cast<int>(bits & 15u) - ((bits & 8u) != 0 ? 16 : 0);
    case ptx::Type::u4: return bits & 15u;
    case ptx::Type::b1: return bits & 1u;
    default: return static_cast<std::int32_t>(bits);
  }
}

/// An element whose products and sums stay well within f32; now and then (where `special`) an infinity, NaN or subnormal.
inline std::uint32_t random_element(ptx::Type type, std::mt19937_64& random, bool special) {
  const auto bits = static_cast<std::uint32_t>(random());
  const bool odd = special && random() % 24 == 0;
  switch (type) {
    case ptx::Type::f16: return odd ? (bits & 0x8000u) | (random() % 2 != 0 ? 0x7c00u | (bits & 0x200u) : bits & 0x3ffu) : bits & 0xbfffu;
    case ptx::Type::bf16: return odd ? (bits & 0x8000u) | 0x7f80u | (bits & 0x40u) : (bits & 0x83ffu) | 0x3c00u;
    case ptx::Type::tf32:
    case ptx::Type::f32: return odd ? (bits & 0x80000000u) | 0x7f800000u | (bits & 0x400000u) : (bits & 0x83ffffffu) | 0x3c000000u;
    case ptx::Type::e4m3: return odd ? 0x7fu | (bits & 0x80u) : (bits & 0x7fu) == 0x7fu ? 0x10u : bits & 0xffu;
    case ptx::Type::e5m2: return odd ? 0x7cu | (bits & 0x83u) : (bits & 0x7cu) == 0x7cu ? 0x10u : bits & 0xffu;
    case ptx::Type::b1: return bits & 1u;
    case ptx::Type::s4:
    case ptx::Type::u4: return bits & 15u;
    case ptx::Type::s8:
    case ptx::Type::u8: return bits & 255u;
    default: return random() % 3 == 0 ? (bits % 2 != 0 ? 0x7fffff00u | (bits & 0xffu) : 0x80000000u | (bits >> 24)) : bits;
  }
}

}  // namespace bascule::simt::test
