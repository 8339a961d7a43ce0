// The small floating-point formats of PTX (f16, bf16, tf32, fp8, fp6, fp4, ue8m0) to and from f32, one value at a time, in
// integers: no host rounding mode, no host instruction, the same on every level; loops over them become vectors.
//
// Inside files x_cpu.cpp everything lives in the level's namespace, elsewhere in bascule::simt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

#if defined(BASCULE_CPU_NAMESPACE)
namespace bascule::simt::BASCULE_CPU_NAMESPACE {
#else
namespace bascule::simt {
#endif

/// The first four values are those of MXCSR's rounding field; `away` is to nearest, ties away from zero (.rna).
enum class Rounding : std::uint8_t { nearest = 0, down = 1, up = 2, zero = 3, away = 4 };

/// A format with a sign bit above `exponent_bits` and `mantissa_bits`. Codes are magnitudes, without the sign.
struct NumberFormat {
  unsigned mantissa_bits;
  unsigned exponent_bits;
  int bias;
  std::uint32_t largest;   // finite
  std::uint32_t infinity;  // what overflow gives unless it saturates; formats without infinities always saturate
  std::uint32_t nan;       // what NaN becomes; its sign is lost
  bool ieee;               // the highest exponent is for infinity and NaN
};

inline constexpr NumberFormat kF16{10, 5, 15, 0x7bff, 0x7c00, 0x7fff, true};
inline constexpr NumberFormat kBf16{7, 8, 127, 0x7f7f, 0x7f80, 0x7fff, true};
inline constexpr NumberFormat kTf32{10, 8, 127, 0x3fbff, 0x3fc00, 0x3ffff, true};  // f32 without the 13 lowest bits
inline constexpr NumberFormat kE5m2{2, 5, 15, 0x7b, 0x7c, 0x7f, true};
inline constexpr NumberFormat kE4m3{3, 4, 7, 0x7e, 0x7f, 0x7f, false};
inline constexpr NumberFormat kE3m2{2, 3, 3, 0x1f, 0x1f, 0x1f, false};
inline constexpr NumberFormat kE2m3{3, 2, 1, 0x1f, 0x1f, 0x1f, false};
inline constexpr NumberFormat kE2m1{1, 2, 1, 0x7, 0x7, 0x7, false};

[[gnu::always_inline]] constexpr std::uint32_t mask_of(bool condition) { return 0u - static_cast<std::uint32_t>(condition); }

/// f32 → code with sign. saturate: .satfinite (infinities too become the largest finite value); relu: negative gives +0.
template <NumberFormat kFormat>
[[gnu::always_inline]] constexpr std::uint32_t encode_number(float value, Rounding rounding, bool saturate = false,
                                                             bool relu = false) {
  constexpr unsigned kDropped = 23 - kFormat.mantissa_bits;
  constexpr std::uint32_t kFirstNormal = static_cast<std::uint32_t>(128 - kFormat.bias);  // as an exponent field of f32
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t negative = bits >> 31;
  const std::uint32_t field = magnitude >> 23;
  const std::uint32_t exponent = field == 0 ? 1 : field;
  const std::uint32_t significand = (magnitude & 0x7fffffu) | (field == 0 ? 0 : 0x800000u);

  // Values below the format's normal ones keep fewer bits; below half of the smallest one, 25 dropped bits leave none.
  const std::uint32_t below = exponent < kFirstNormal ? kFirstNormal - exponent : 0;
  const std::uint32_t dropped = kDropped + below < 25 ? kDropped + below : 25;
  const std::uint32_t unit = 1u << dropped;
  const std::uint32_t odd = significand >> dropped & 1u;
  // All of it with masks: what depends on the rounding is the same for all lanes, and nothing branches.
  const std::uint32_t nearest = mask_of(rounding == Rounding::nearest);
  const std::uint32_t away = mask_of(rounding == Rounding::away);
  const std::uint32_t outwards = (mask_of(rounding == Rounding::up) & (negative - 1)) |
                                 (mask_of(rounding == Rounding::down) & (0 - negative));
  const std::uint32_t addend =
      (nearest & ((unit >> 1) - 1 + odd)) | (away & (unit >> 1)) | (outwards & (unit - 1));
  const std::uint32_t kept = (significand + addend) >> dropped;
  const std::uint32_t normal_field = exponent > kFirstNormal ? exponent - kFirstNormal : 0;  // less the implicit bit's 1
  std::uint32_t code = (normal_field << kFormat.mantissa_bits) + kept;

  // Beyond the largest value: what infinity gives, or the largest value where that is asked for or lies inwards of the exact one.
  const std::uint32_t to_infinity = nearest | away | outwards | mask_of(magnitude == 0x7f800000u);
  const std::uint32_t keep_infinity = to_infinity & ~mask_of(saturate);
  const std::uint32_t overflow = (kFormat.infinity & keep_infinity) | (kFormat.largest & ~keep_infinity);
  code = code > kFormat.largest ? overflow : code;
  code |= negative << (kFormat.mantissa_bits + kFormat.exponent_bits);
  code &= ~(mask_of(relu) & (0 - negative));
  return magnitude > 0x7f800000u ? kFormat.nan : code;
}

/// Code with sign → f32, exact. A NaN keeps its payload.
template <NumberFormat kFormat>
[[gnu::always_inline]] constexpr float decode_number(std::uint32_t code) {
  constexpr unsigned kSign = kFormat.mantissa_bits + kFormat.exponent_bits;
  constexpr std::uint32_t kMagnitude = (1u << kSign) - 1;
  const std::uint32_t magnitude = code & kMagnitude;
  const std::uint32_t sign = (code >> kSign & 1u) << 31;
  const std::uint32_t field = magnitude >> kFormat.mantissa_bits;
  const std::uint32_t shifted = magnitude << (23 - kFormat.mantissa_bits);
  if constexpr (kFormat.exponent_bits == 8) {
    return std::bit_cast<float>(shifted | sign);
  } else {
    constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kFormat.bias);
    // A subnormal is its mantissa in units of the smallest one: an exact conversion and product.
    constexpr float kSmallest = std::bit_cast<float>((kRebias + 1 - kFormat.mantissa_bits) << 23);
    const float tiny = static_cast<float>(static_cast<std::int32_t>(magnitude)) * kSmallest;
    const std::uint32_t normal = shifted + (kRebias << 23);
    std::uint32_t bits = field == 0 ? std::bit_cast<std::uint32_t>(tiny) : normal;
    if constexpr (kFormat.ieee) {
      bits = field == (1u << kFormat.exponent_bits) - 1 ? shifted | 0x7f800000u : bits;
    } else if constexpr (kFormat.nan > kFormat.largest) {
      bits = magnitude == kFormat.nan ? 0x7fffffffu : bits;
    }
    return std::bit_cast<float>(bits | sign);
  }
}

/// ue8m0, a power of two: 2^(code - 127), 255 is NaN. The sign is ignored; rounds towards zero or up in magnitude.
[[gnu::always_inline]] constexpr std::uint32_t encode_ue8m0(float value, bool up, bool saturate) {
  const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffffu;
  const std::uint32_t field = magnitude >> 23;
  const std::uint32_t rest = magnitude & 0x7fffffu;
  // Code 0 is 2^-127, f32's subnormal with the highest mantissa bit alone.
  const bool more = field == 0 ? rest > 0x400000u : rest != 0;
  std::uint32_t code = field + (up && more ? 1 : 0);
  code = code >= 255 && saturate ? 254 : code;
  return magnitude > 0x7f800000u ? 255 : code;
}
/// As bf16, which holds all of them.
[[gnu::always_inline]] constexpr std::uint32_t bf16_of_ue8m0(std::uint32_t code) {
  return code == 0 ? 0x0040u : code == 255 ? 0x7fffu : code << 7;
}

/// Rounds a sum to odd: error is the exact sum less `sum`, which any rounding mode may have given. A later rounding to at
/// least two bits fewer then is that of the exact sum. Infinities and NaNs stay.
[[gnu::always_inline]] constexpr double rounded_to_odd(double sum, double error) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  const std::uint64_t opposite = (bits ^ std::bit_cast<std::uint64_t>(error)) >> 63;
  const std::uint64_t odd = (bits - opposite) | 1u;
  return std::bit_cast<double>(error < 0 || error > 0 ? odd : bits);
}
[[gnu::always_inline]] constexpr float rounded_to_odd(float sum, float error) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(sum);
  const std::uint32_t opposite = (bits ^ std::bit_cast<std::uint32_t>(error)) >> 31;
  const std::uint32_t odd = (bits - opposite) | 1u;
  return std::bit_cast<float>(error < 0 || error > 0 ? odd : bits);
}
/// f64 → f32, to odd.
[[gnu::always_inline]] inline float narrowed_to_odd(double value) {
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  const double outside = value < 0 ? value - back : back - value;  // > 0: rounded away from zero
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(near);
  const std::uint32_t odd = (bits - (outside > 0 ? 1 : 0)) | 1u;
  return std::bit_cast<float>(outside > 0 || outside < 0 ? odd : bits);
}

/// The two 16-bit formats as types, for templates.
struct Half {
  static constexpr NumberFormat kFormat = kF16;
  [[gnu::always_inline]] static constexpr float decode(std::uint16_t code) { return decode_number<kF16>(code); }
};
struct Bfloat16 {
  static constexpr NumberFormat kFormat = kBf16;
  [[gnu::always_inline]] static constexpr float decode(std::uint16_t code) { return decode_number<kBf16>(code); }
};

}  // namespace
