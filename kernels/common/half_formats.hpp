// The 16-bit floating-point formats on the host, for references and cases: rounding to nearest even, by integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bascule::kernels {

struct Bf16 {
  static constexpr double kUnitRoundoff = 0x1p-8;  // 8 significant bits
  static constexpr double kSmallest = 0x1p-133;        // subnormal
  static constexpr const char* kName = "bf16";

  static double to_double(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  static std::uint16_t from_float(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};

struct F16 {
  static constexpr double kUnitRoundoff = 0x1p-11;  // 11 significant bits
  static constexpr double kSmallest = 0x1p-24;      // subnormal
  static constexpr const char* kName = "f16";

  static double to_double(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
  }
  static std::uint16_t from_float(float value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double size = std::fabs(double{value});
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (size == 0) return sign;
    int exponent = 0;
    std::frexp(size, &exponent);                       // size in [2^(e-1), 2^e)
    const int unit = std::max(exponent - 11, -24);     // of the last place
    const double steps = std::nearbyint(std::ldexp(size, -unit));
    // A number whose last place is worth 2^unit is steps x 2^unit; bits of exponent and fraction follow each other.
    const int base = unit == -24 ? 0 : (unit + 24) << 10;
    return static_cast<std::uint16_t>(sign | (base + static_cast<int>(steps)));
  }
};

}  // namespace bascule::kernels
