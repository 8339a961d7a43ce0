/* The basic functions in f64: sqrt, rsqrt, exp, log, tanh. Part of <bascule/device.hpp>; errors are in docs/kernel-guide.md.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_MATH_F64_HPP
#define BASCULE_DEVICE_MATH_F64_HPP

#include "target.hpp"

namespace bsc {

BSC_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
BSC_INLINE double abs(double x) { return internal::bits<double>(internal::bits<u64>(x) & 0x7fffffffffffffffu); }
BSC_INLINE bool is_nan(double x) { return (internal::bits<u64>(x) & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
BSC_INLINE double min(double a, double b) { return b < a || is_nan(a) ? b : a; }
BSC_INLINE double max(double a, double b) { return b > a || is_nan(a) ? b : a; }
BSC_INLINE double sqrt(double x) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}
BSC_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }

namespace internal {
inline constexpr double kRounder64 = 0x1.8p52;
inline constexpr double kLn2High64 = 0x1.62e42feep-1, kLn2Low64 = 0x1.a39ef35793c76p-33;
BSC_INLINE double infinity64() { return bits<double>(u64{0x7ff0000000000000u}); }
BSC_INLINE double scale(double x, i64 n) {
  const i64 half = n >> 1;
  return x * bits<double>(static_cast<u64>(half + 1023) << 52) * bits<double>(static_cast<u64>(n - half + 1023) << 52);
}
}  // namespace internal

BSC_INLINE double exp(double x) {
  using namespace internal;
  const double inside = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
  const double shifted = fma(inside, 0x1.71547652b82fep+0, kRounder64);
  const double n = shifted - kRounder64;
  const double r = fma(n, -kLn2Low64, fma(n, -kLn2High64, inside));
  // Taylor's series to r^13; |r| <= 0.347
  double q = 1.0 / 6227020800.0;
  q = fma(q, r, 1.0 / 479001600.0);
  q = fma(q, r, 1.0 / 39916800.0);
  q = fma(q, r, 1.0 / 3628800.0);
  q = fma(q, r, 1.0 / 362880.0);
  q = fma(q, r, 1.0 / 40320.0);
  q = fma(q, r, 1.0 / 5040.0);
  q = fma(q, r, 1.0 / 720.0);
  q = fma(q, r, 1.0 / 120.0);
  q = fma(q, r, 1.0 / 24.0);
  q = fma(q, r, 1.0 / 6.0);
  q = fma(q, r, 0.5);
  const double result = scale(fma(fma(q, r, 1.0), r, 1.0), static_cast<i64>(bits<u64>(shifted) - 0x4338000000000000u));
  return x > 709.8 ? infinity64() : is_nan(x) ? x + x : result;
}

BSC_INLINE double log(double x) {
  using namespace internal;
  if (!(x > 0.0 && x < infinity64())) {
    return x == 0.0 ? -infinity64() : x < 0.0 ? bits<double>(u64{0x7ff8000000000000u}) : x + x;
  }
  i64 exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  const i64 whole = static_cast<i64>(bits<u64>(x));
  const i64 shift = (whole - 0x3fe6a09e667f3bcd) >> 52;
  const double e = static_cast<double>(exponent + shift);
  const double f = bits<double>(static_cast<u64>(whole) - (static_cast<u64>(shift) << 52)) - 1.0;
  // log(1 + f) = f - (h - s (h + r)), s = f / (2 + f), h = f^2 / 2, r = 2 s^2 / 3 + 2 s^4 / 5 + ...; |s| <= 0.172
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 2.0 / 23.0;
  r = fma(r, z, 2.0 / 21.0);
  r = fma(r, z, 2.0 / 19.0);
  r = fma(r, z, 2.0 / 17.0);
  r = fma(r, z, 2.0 / 15.0);
  r = fma(r, z, 2.0 / 13.0);
  r = fma(r, z, 2.0 / 11.0);
  r = fma(r, z, 2.0 / 9.0);
  r = fma(r, z, 2.0 / 7.0);
  r = fma(r, z, 2.0 / 5.0);
  r = fma(r, z, 2.0 / 3.0);
  r = r * z;
  const double h = 0.5 * f * f;
  return fma(e, kLn2High64, f - (h - fma(s, h + r, e * kLn2Low64)));
}

BSC_INLINE double tanh(double x) {
  using namespace internal;
  const double size = abs(x);
  if (size < 0x1p-27) return x;
  if (size < 0.35) {  // 1 - 2 / (e^2x + 1) would lose digits: e^2x - 1 from its series
    const double t = 2.0 * size;
    double q = 1.0 / 121645100408832000.0;
    q = fma(q, t, 1.0 / 6402373705728000.0);
    q = fma(q, t, 1.0 / 355687428096000.0);
    q = fma(q, t, 1.0 / 20922789888000.0);
    q = fma(q, t, 1.0 / 1307674368000.0);
    q = fma(q, t, 1.0 / 87178291200.0);
    q = fma(q, t, 1.0 / 6227020800.0);
    q = fma(q, t, 1.0 / 479001600.0);
    q = fma(q, t, 1.0 / 39916800.0);
    q = fma(q, t, 1.0 / 3628800.0);
    q = fma(q, t, 1.0 / 362880.0);
    q = fma(q, t, 1.0 / 40320.0);
    q = fma(q, t, 1.0 / 5040.0);
    q = fma(q, t, 1.0 / 720.0);
    q = fma(q, t, 1.0 / 120.0);
    q = fma(q, t, 1.0 / 24.0);
    q = fma(q, t, 1.0 / 6.0);
    q = fma(q, t, 0.5);
    const double minus_one = fma(q * t, t, t);
    const double result = minus_one / (minus_one + 2.0);
    return x < 0.0 ? -result : result;
  }
  const double result = 1.0 - 2.0 / (exp(2.0 * (size < 22.0 ? size : 22.0)) + 1.0);
  return is_nan(x) ? x + x : x < 0.0 ? -result : result;
}

}  // namespace bsc
#endif
