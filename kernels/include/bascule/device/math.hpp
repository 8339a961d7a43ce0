/* Elementary functions in f32. Part of <bascule/device.hpp>; the table of errors is in docs/kernel-guide.md.
 *
 * They are built from additions, multiplications, fma and integer operations, and some from one division or square root,
 * so every target and the host give the same bits as far as its division and square root are rounded correctly (SPIR-V
 * promises 2.5 and 3 ulp). Special cases (infinities, NaN, zeros, subnormal numbers) are those of C's functions.
 * Polynomials: interpolation at Chebyshev points of the function named beside each, relative to its leading terms.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_MATH_HPP
#define BASCULE_DEVICE_MATH_HPP

#include "target.hpp"

namespace bsc {

BSC_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
BSC_INLINE float abs(float x) { return internal::bits<float>(internal::bits<u32>(x) & 0x7fffffffu); }
BSC_INLINE bool is_nan(float x) { return (internal::bits<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
BSC_INLINE bool is_infinite(float x) { return (internal::bits<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
BSC_INLINE float copy_sign(float magnitude, float sign) {
  return internal::bits<float>((internal::bits<u32>(magnitude) & 0x7fffffffu) | (internal::bits<u32>(sign) & 0x80000000u));
}
/* Of two numbers; a NaN gives way to the other value, as fmin and fmax do. */
BSC_INLINE float min(float a, float b) { return b < a || is_nan(a) ? b : a; }
BSC_INLINE float max(float a, float b) { return b > a || is_nan(a) ? b : a; }
BSC_INLINE float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }
/* Correctly rounded where the target's square root is. */
BSC_INLINE float sqrt(float x) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(x);
#else
  return __builtin_sqrtf(x);
#endif
}
BSC_INLINE float rsqrt(float x) { return 1.0f / sqrt(x); }

namespace internal {

inline constexpr float kLog2E = 0x1.715476p+0f, kLog2ELow = 0x1.4ae0c0p-26f;
inline constexpr float kLn2High = 0x1.62e400p-1f, kLn2Low = 0x1.7f7d1cp-20f;  // the high part times 256 is exact

// Adding and subtracting it rounds |x| < 2^22 to an integer, whose bits it then holds.
inline constexpr float kRounder = 0x1.8p23f;
BSC_INLINE float infinity() { return bits<float>(0x7f800000u); }
BSC_INLINE float not_a_number() { return bits<float>(0x7fc00000u); }
BSC_INLINE i32 rounded_integer(float x_plus_rounder) { return static_cast<i32>(bits<u32>(x_plus_rounder) - 0x4b400000u); }

// x * 2^n for n in [-252, 254]: in two steps, so that subnormal results are rounded once.
BSC_INLINE float scale(float x, i32 n) {
  const i32 half = n >> 1;
  return x * bits<float>(static_cast<u32>(half + 127) << 23) * bits<float>(static_cast<u32>(n - half + 127) << 23);
}

// e^r for |r| <= 0.35. (e^r - 1 - r) / r^2
BSC_INLINE float exp_small(float r) {
  float q = 0x1.a12fb0p-13f;
  q = fma(q, r, 0x1.6d4f3cp-10f);
  q = fma(q, r, 0x1.1110dcp-7f);
  q = fma(q, r, 0x1.5554e0p-5f);
  q = fma(q, r, 0x1.555556p-3f);
  q = fma(q, r, 0.5f);
  return fma(fma(q, r, 1.0f), r, 1.0f);
}
// 2^r for |r| <= 0.5. (2^r - 1 - r ln 2) / r^2
BSC_INLINE float exp2_small(float r) {
  float q = 0x1.0090c4p-16f;
  q = fma(q, r, 0x1.441e52p-13f);
  q = fma(q, r, 0x1.5d87bcp-10f);
  q = fma(q, r, 0x1.3b2a4ap-7f);
  q = fma(q, r, 0x1.c6b08ep-5f);
  q = fma(q, r, 0x1.ebfbe0p-3f);
  return fma(fma(q, r, 0x1.62e430p-1f), r, 1.0f);
}

// x = 2^exponent * (1 + fraction), fraction in [sqrt(1/2) - 1, sqrt(2) - 1), for positive finite x.
struct Split {
  float exponent, fraction;
};
BSC_INLINE Split split(float x) {
  i32 exponent = 0;
  if (x < 0x1p-126f) {
    x *= 0x1p24f;
    exponent = -24;
  }
  const i32 whole = static_cast<i32>(bits<u32>(x));
  const i32 shift = (whole - 0x3f3504f3) >> 23;
  return {static_cast<float>(exponent + shift), bits<float>(static_cast<u32>(whole) - (static_cast<u32>(shift) << 23)) - 1.0f};
}
// log(1 + f) - f. (log(1 + f) - f + f^2 / 2) / f^3
BSC_INLINE float log_tail(float f) {
  float q = 0x1.1d8bdep-4f;
  q = fma(q, f, -0x1.d658d6p-4f);
  q = fma(q, f, 0x1.deb356p-4f);
  q = fma(q, f, -0x1.fcf158p-4f);
  q = fma(q, f, 0x1.23d126p-3f);
  q = fma(q, f, -0x1.555b54p-3f);
  q = fma(q, f, 0x1.999d60p-3f);
  q = fma(q, f, -0x1.fffffcp-3f);
  q = fma(q, f, 0x1.555554p-2f);
  return f * f * fma(q, f, -0.5f);
}
// What the logarithms give for zero, negative numbers, infinity and NaN.
BSC_INLINE float log_special(float x) { return x == 0.0f ? -infinity() : x < 0.0f ? not_a_number() : x + x; }
BSC_INLINE bool is_positive_finite(float x) { return x > 0.0f && x < infinity(); }

}  // namespace internal

BSC_INLINE float exp(float x) {
  using namespace internal;
  const float inside = clamp(x, -105.0f, 89.0f);
  const float shifted = fma(inside, kLog2E, kRounder);
  const float n = shifted - kRounder;
  const float r = fma(n, -kLn2Low, fma(n, -kLn2High, inside));
  const float result = scale(exp_small(r), rounded_integer(shifted));
  return x > 88.75f ? infinity() : is_nan(x) ? x + x : result;
}

BSC_INLINE float exp2(float x) {
  using namespace internal;
  const float inside = clamp(x, -152.0f, 129.0f);
  const float shifted = inside + kRounder;
  const float result = scale(exp2_small(inside - (shifted - kRounder)), rounded_integer(shifted));
  return x >= 128.0f ? infinity() : is_nan(x) ? x + x : result;
}

BSC_INLINE float log(float x) {
  using namespace internal;
  if (!is_positive_finite(x)) return log_special(x);
  const Split s = split(x);
  return fma(s.exponent, kLn2High, s.fraction + fma(s.exponent, kLn2Low, log_tail(s.fraction)));
}

BSC_INLINE float log2(float x) {
  using namespace internal;
  if (!is_positive_finite(x)) return log_special(x);
  const Split s = split(x);
  const float tail = log_tail(s.fraction);
  const float sum = s.fraction + tail;
  const float rest = (s.fraction - sum) + tail;
  const float high = sum * kLog2E;
  const float low = fma(sum, kLog2E, -high) + fma(rest, kLog2E, sum * kLog2ELow);
  return (s.exponent + high) + (((s.exponent - (s.exponent + high)) + high) + low);
}

BSC_INLINE float log10(float x) {
  using namespace internal;
  if (!is_positive_finite(x)) return log_special(x);
  const Split s = split(x);
  const float tail = log_tail(s.fraction);
  const float sum = s.fraction + tail;
  const float rest = (s.fraction - sum) + tail;
  const float low = fma(rest, 0x1.bcb7b2p-2f, sum * -0x1.5b235ep-27f);
  return fma(s.exponent, 0x1.344000p-2f, fma(sum, 0x1.bcb7b2p-2f, fma(s.exponent, 0x1.3509f8p-18f, low)));
}

namespace internal {

// x = quadrant * pi/2 + rest, |rest| <= pi/4 (a little more).
struct Quadrant {
  float rest;
  u32 quadrant;
};

// Word `index` of 2/pi's binary digits, with one word of zeros before them.
BSC_INLINE u32 two_over_pi(u32 index) {
  return index == 0 ? 0u : index == 1 ? 0xa2f9836eu : index == 2 ? 0x4e441529u : index == 3 ? 0xfc2757d1u
       : index == 4 ? 0xf534ddc0u : index == 5 ? 0xdb629599u : index == 6 ? 0x3c439041u : 0xfe5163abu;
}

// For any size: x = m * 2^e, and of m * 2^e * 2/pi only what remains modulo 4 is computed, from 96 digits of 2/pi.
BSC_INLINE Quadrant reduce_large(float x) {
  const u32 whole = bits<u32>(x);
  const i32 exponent = static_cast<i32>(whole >> 23 & 0xffu) - 150;
  const u64 mantissa = (whole & 0x7fffffu) | 0x800000u;
  const u32 first = static_cast<u32>(exponent + 30);  // the digit that weighs 2
  const u32 word = first / 32, shift = first % 32;
  const u64 a = static_cast<u64>(two_over_pi(word)) << 32 | two_over_pi(word + 1);
  const u64 b = static_cast<u64>(two_over_pi(word + 2)) << 32 | two_over_pi(word + 3);
  const u64 digits = shift == 0 ? a : a << shift | b >> (64 - shift);
  const u64 next = (shift == 0 ? b : b << shift) >> 32;
  const u64 product = mantissa * digits + (mantissa * next >> 32);  // modulo 2^64: in units of 2^-62
  const u64 fraction = product << 2;
  const bool below = (fraction >> 63) != 0;  // nearer to the next quadrant
  const u64 size = below ? 0u - fraction : fraction;
  const float high = static_cast<float>(size);
  const float low = static_cast<float>(static_cast<i64>(size - static_cast<u64>(high)));
  const float rest = fma(high, 0x1.921fb6p-64f, fma(high, -0x1.777a5cp-89f, low * 0x1.921fb6p-64f));
  const u32 quadrant = static_cast<u32>(product >> 62) + (below ? 1u : 0u);
  const bool negative = (whole >> 31) != 0;
  return {negative != below ? -rest : rest, negative ? 0u - quadrant : quadrant};
}

BSC_INLINE Quadrant reduce(float x) {
  if (!(abs(x) < 65536.0f)) return reduce_large(x);
  const float shifted = fma(x, 0x1.45f306p-1f, kRounder);
  const float n = shifted - kRounder;
  // pi/2 in three parts; the first product is exact, of the second and of its addition the errors are kept.
  const float first = fma(n, -0x1.921fb6p+0f, x);
  const float product = n * 0x1.777a5cp-25f;
  const float product_low = fma(n, 0x1.777a5cp-25f, -product);
  const float sum = first + product;
  const float added = sum - first;
  const float sum_low = (first - (sum - added)) + (product - added);
  return {sum + (sum_low + fma(n, 0x1.ee59dap-50f, product_low)), static_cast<u32>(rounded_integer(shifted))};
}

// (sin x / x - 1) / x^2 in x^2
BSC_INLINE float sin_small(float x) {
  const float z = x * x;
  float q = 0x1.6db9d4p-19f;
  q = fma(q, z, -0x1.a0139ap-13f);
  q = fma(q, z, 0x1.11110ep-7f);
  q = fma(q, z, -0x1.555556p-3f);
  return fma(q * z, x, x);
}
// (cos x - 1 + x^2 / 2) / x^4 in x^2
BSC_INLINE float cos_small(float x) {
  const float z = x * x;
  float q = -0x1.252180p-22f;
  q = fma(q, z, 0x1.a015bcp-16f);
  q = fma(q, z, -0x1.6c16c0p-10f);
  q = fma(q, z, 0x1.555556p-5f);
  return fma(fma(q, z, -0.5f), z, 1.0f);
}
BSC_INLINE float sin_of(Quadrant part, u32 turn) {
  const u32 quadrant = part.quadrant + turn;
  const float value = (quadrant & 1u) != 0 ? cos_small(part.rest) : sin_small(part.rest);
  return (quadrant & 2u) != 0 ? -value : value;
}

}  // namespace internal

BSC_INLINE float sin(float x) {
  if (!(abs(x) < internal::infinity())) return x - x;
  return internal::sin_of(internal::reduce(x), 0);
}
BSC_INLINE float cos(float x) {
  if (!(abs(x) < internal::infinity())) return x - x;
  return internal::sin_of(internal::reduce(x), 1);
}
BSC_INLINE float tan(float x) {
  if (!(abs(x) < internal::infinity())) return x - x;
  const internal::Quadrant part = internal::reduce(x);
  return internal::sin_of(part, 0) / internal::sin_of(part, 1);
}

BSC_INLINE float tanh(float x) {
  const float size = abs(x);
  if (size < 0.6f) {  // (tanh x / x - 1) / x^2 in x^2
    const float z = x * x;
    float q = 0x1.36bdb2p-9f;
    q = fma(q, z, -0x1.1394cap-7f);
    q = fma(q, z, 0x1.64fad8p-6f);
    q = fma(q, z, -0x1.ba0d94p-5f);
    q = fma(q, z, 0x1.1110f6p-3f);
    q = fma(q, z, -0x1.555556p-2f);
    return fma(q * z, x, x);
  }
  const float t = exp(2.0f * (size < 10.0f ? size : 10.0f));
  return is_nan(x) ? x + x : copy_sign(1.0f - 2.0f / (t + 1.0f), x);
}

/* 1 / (1 + e^-x) */
BSC_INLINE float sigmoid(float x) {
  const float t = exp(-abs(x));
  const float y = 1.0f / (1.0f + t);
  return is_nan(x) ? x + x : x >= 0.0f ? y : t * y;
}

BSC_INLINE float erf(float x) {
  const float size = abs(x);
  if (size < 1.0f) {  // erf x / x in x^2
    const float z = x * x;
    float q = -0x1.445f48p-17f;
    q = fma(q, z, 0x1.d88750p-14f);
    q = fma(q, z, -0x1.bccf66p-11f);
    q = fma(q, z, 0x1.562a60p-8f);
    q = fma(q, z, -0x1.b829c8p-6f);
    q = fma(q, z, 0x1.ce2f08p-4f);
    q = fma(q, z, -0x1.812746p-2f);
    q = fma(q, z, 0x1.06eba8p-3f);
    return fma(q, x, x);
  }
  // log(1 - erf x) on [1, 4]
  const float a = size < 4.0f ? size : 4.0f;
  float q = 0x1.b837aep-20f;
  q = fma(q, a, -0x1.82d2bap-15f);
  q = fma(q, a, 0x1.39237ap-11f);
  q = fma(q, a, -0x1.38105cp-8f);
  q = fma(q, a, 0x1.b0fb0ep-6f);
  q = fma(q, a, -0x1.c2edf0p-4f);
  q = fma(q, a, -0x1.437d58p-1f);
  q = fma(q, a, -0x1.21575cp+0f);
  q = fma(q, a, 0x1.511638p-12f);
  return is_nan(x) ? x + x : copy_sign(1.0f - exp(q), x);
}

/* x^y. The logarithm is carried in two parts. */
BSC_INLINE float pow(float x, float y) {
  using namespace internal;
  if (y == 0.0f || x == 1.0f) return 1.0f;
  if (is_nan(x) || is_nan(y)) return x + y;
  const float size = abs(x), power = abs(y);
  // From 2^24 on every float is even; below, adding 2^23 rounds to an integer.
  const bool whole = power >= 0x1p24f || (power >= 0x1p23f) || (power + 0x1p23f) - 0x1p23f == power;
  const float half = power * 0.5f;
  const bool odd = whole && power < 0x1p24f && (half >= 0x1p23f ? false : (half + 0x1p23f) - 0x1p23f != half);
  const bool negative = (bits<u32>(x) >> 31) != 0;
  const float sign = negative && odd ? -1.0f : 1.0f;
  if (size == 0.0f) return y < 0.0f ? sign * infinity() : sign * 0.0f;
  if (is_infinite(y)) return size == 1.0f ? 1.0f : (size > 1.0f) == (y > 0.0f) ? infinity() : 0.0f;
  if (is_infinite(x)) return y < 0.0f ? sign * 0.0f : sign * infinity();
  if (negative && !whole) return not_a_number();

  // log(1 + f) = 2 s + s^3 q(s^2), s = f / (2 + f)
  const Split parts = split(size);
  const float numerator = parts.fraction;
  const float denominator = numerator + 2.0f;
  const float denominator_low = numerator - (denominator - 2.0f);
  const float s = numerator / denominator;
  const float s_low = (fma(-s, denominator, numerator) - s * denominator_low) / denominator;
  const float z = s * s;
  float q = 0x1.de47d2p-3f;
  q = fma(q, z, 0x1.245a04p-2f);
  q = fma(q, z, 0x1.9999f0p-2f);
  q = fma(q, z, 0x1.555556p-1f);
  const float tail = fma(s * z, q, 2.0f * s_low);
  const float log_high = 2.0f * s + tail;
  const float log_low = (2.0f * s - log_high) + tail;
  // times log2(e), plus the exponent
  const float product = log_high * kLog2E;
  const float product_low = fma(log_high, kLog2E, -product) + fma(log_high, kLog2ELow, log_low * kLog2E);
  const float high = parts.exponent + product;
  const float low = ((parts.exponent - high) + product) + product_low;
  // times y
  const float bounded = clamp(y, -0x1p100f, 0x1p100f);
  const float exact = bounded * high;
  const float exact_low = fma(bounded, high, -exact) + bounded * low;
  const float inside = clamp(exact, -200.0f, 200.0f);
  const float shifted = inside + kRounder;
  const float rest = (inside - (shifted - kRounder)) + (inside == exact ? exact_low : 0.0f);
  return sign * scale(exp2_small(rest), rounded_integer(shifted));
}

/* x * Phi(x), the exact form. */
BSC_INLINE float gelu(float x) { return 0.5f * x * (1.0f + erf(x * 0x1.6a09e6p-1f)); }
/* The form with tanh that many models use. */
BSC_INLINE float gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanh(0x1.988454p-1f * fma(0.044715f * x * x, x, x)));
}
/* x * sigmoid(x) */
BSC_INLINE float silu(float x) { return x * sigmoid(x); }

}  // namespace bsc
#endif
