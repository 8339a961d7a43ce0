// What floating-point instructions share: flushing, saturation and the rounding of an exact result, in the order of the ISA.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/ptx_models/bits.hpp"

namespace bascule::ptx_models {

struct RoundingName {
  const char* name;  // with its dot; "" is the default, rn
  Rounding rounding;
};
inline constexpr RoundingName kRoundings[] = {{"", Rounding::nearest_even}, {".rn", Rounding::nearest_even}, {".rz", Rounding::zero},
                                              {".rm", Rounding::down},      {".rp", Rounding::up}};

/// How a result is written.
struct Finish {
  const Format* format = &kF32;
  Rounding rounding = Rounding::nearest_even;
  bool flush = false;
  bool saturate = false;
  bool relu = false;
};

inline std::uint64_t flushed(const Format& format, std::uint64_t bits, bool flush) {
  return flush && format.is_subnormal(bits) ? bits & format.sign() : bits;
}

/// [0, 1]; NaN and -0 become +0.
inline std::uint64_t saturated(const Format& format, std::uint64_t bits) {
  if (format.is_nan(bits) || format.is_negative(bits)) return 0;
  return bits > format.one() ? format.one() : bits;
}

/// Tininess: a result that lies below the least normal number before, but not after the rounding to subnormal precision is
/// flushed by some and kept by others; the ISA does not say. Both are right here.
inline Expected finished(const Finish& how, const Number& exact) {
  const Format& format = *how.format;
  bool tiny = false;
  const std::uint64_t plain = encode(format, exact, how.rounding, Overflow::ieee, &tiny);
  const auto rest = [&](std::uint64_t bits) {
    if (how.saturate) return saturated(format, bits);
    // .relu makes NaN the canonical one and everything negative 0.
    if (how.relu) return format.is_nan(bits) ? format.canonical_nan : format.is_negative(bits) ? 0 : bits;
    return bits;
  };
  Expected result;
  result.bits = rest(flushed(format, plain, how.flush));
  result.alternative = how.flush && tiny ? rest(plain & format.sign()) : result.bits;
  return result;
}

inline Output float_output(const Format& format, int elements = 1) { return {format.width() * elements, &format, elements}; }

}  // namespace bascule::ptx_models
