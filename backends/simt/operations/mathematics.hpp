// ex2, lg2, sin, cos and tanh of one f32. Only inside files x_cpu.cpp.
//
// Own minimax polynomials, fitted by a Remez exchange in 60 decimal digits and rounded to f32; multiplications and additions
// alone, without fused ones, in a fixed order: the bits are the same on every level. The largest errors over all f32 are
// proven by mathematics_nightly_test.cpp and sampled by mathematics_test.cpp:
//   ex2 1.2 ulp (the ISA allows 2)                   lg2 2^-23.2 absolute in (0.5, 2), relative elsewhere (2^-22)
//   sin, cos 2^-23.5 absolute in ±100π (2^-20.5)     tanh 2^-20.4 relative (2^-11)
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/operations/float_mode.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {


/// 2^x. The scale is applied in two halves, so that subnormal results and those near overflow come out.
[[gnu::always_inline]] inline float ex2(float x) {
  constexpr float kMagic = 0x1.8p23f;  // added, it leaves the nearest integer in the low bits
  constexpr std::uint32_t kLimit = std::bit_cast<std::uint32_t>(150.0f);  // 2^±150 is infinity or 0
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = bits & 0x7fffffffu;
  const float within = std::bit_cast<float>((size < kLimit ? size : kLimit) | (bits & 0x80000000u));
  const float shifted = within + kMagic;
  const float n = shifted - kMagic;
  const float f = within - n;
  float p = 0x1.446cap-13f;
  p = p * f + 0x1.5f08bep-10f;
  p = p * f + 0x1.3b29e4p-7f;
  p = p * f + 0x1.c6af6cp-5f;
  p = p * f + 0x1.ebfbep-3f;
  p = p * f + 0x1.62e43p-1f;
  p = p * f + 1.0f;
  const std::uint32_t integer = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kMagic);
  const std::int32_t half = static_cast<std::int32_t>(integer) >> 1;
  const std::uint32_t rest = integer - static_cast<std::uint32_t>(half);
  const float first = std::bit_cast<float>((static_cast<std::uint32_t>(half) + 127u) << 23);
  const float second = std::bit_cast<float>((rest + 127u) << 23);
  return x != x ? std::bit_cast<float>(kNaN32) : p * first * second;
}

/// log2(x): the exponent, plus that of m in [sqrt(1/2), sqrt(2)) as an odd series of (m - 1) / (m + 1).
[[gnu::always_inline]] inline float lg2(float x) {
  constexpr std::uint32_t kRootHalf = 0x3f3504f3u;
  const bool small = x < kSmallestNormal;
  const float normal = small ? x * 0x1p23f : x;
  const std::uint32_t offset = std::bit_cast<std::uint32_t>(normal) - kRootHalf;
  const std::int32_t exponent = (static_cast<std::int32_t>(offset) >> 23) - (small ? 23 : 0);
  const float m = std::bit_cast<float>((offset & 0x7fffffu) + kRootHalf);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float u = s * s;
  float p = 0x1.ba1e88p-2f;
  p = p * u + 0x1.2746fep-1f;
  p = p * u + 0x1.ec70e6p-1f;
  p = p * u + 0x1.715476p+1f;
  const float finite = static_cast<float>(exponent) + p * s;
  const float infinity = __builtin_inff();
  const float special = x == 0 ? -infinity : x > 0 ? x : std::bit_cast<float>(kNaN32);  // +infinity, NaN, negative
  return x > 0 && x < infinity ? finite : special;
}

/// sin or cos. The argument is reduced by multiples of π/2 in double, whose two parts are exact up to 2^24 of them: beyond that
/// (the ISA promises nothing past 100π) the result loses bits, and past 2^51 it is a number in [-1, 1].
template <bool kCosine>
[[gnu::always_inline]] inline float sine(float x) {
  constexpr double kMagic = 0x1.8p52;
  const double wide = static_cast<double>(x);
  const double shifted = wide * 0x1.45f306dc9c883p-1 + kMagic;
  const double n = shifted - kMagic;
  const double reduced = (wide - n * 0x1.921fb54p+0) - n * 0x1.10b4611a62633p-30;
  const std::uint32_t quadrant = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(shifted)) + (kCosine ? 1 : 0);
  const float near = static_cast<float>(reduced);
  const float below = near > 0x1.921fb6p-1f ? 0x1.921fb6p-1f : near;
  const float r = below < -0x1.921fb6p-1f ? -0x1.921fb6p-1f : below;
  const float u = r * r;
  float s = -0x1.9ac7b6p-13f;
  s = s * u + 0x1.110c22p-7f;
  s = s * u - 0x1.555552p-3f;
  const float odd = r * (1.0f + u * s);  // keeps the sign of zero
  float c = 0x1.9bd6fp-16f;
  c = c * u - 0x1.6c12cep-10f;
  c = c * u + 0x1.555554p-5f;
  const float even = 1.0f - (0.5f * u - u * u * c);
  const std::uint32_t chosen = std::bit_cast<std::uint32_t>((quadrant & 1u) != 0 ? even : odd);
  const float result = std::bit_cast<float>(chosen ^ (quadrant & 2u) << 30);
  return canonical(magnitude(x) < __builtin_inff() ? result : std::bit_cast<float>(kNaN32));
}

/// tanh(x): an odd polynomial near 0, 1 - 2 / (e^2x + 1) elsewhere.
[[gnu::always_inline]] inline float tanh(float x) {
  const float a = magnitude(x);
  const float u = x * x;
  float p = 0x1.068e3ep-6f;
  p = p * u - 0x1.aec55ap-5f;
  p = p * u + 0x1.10d7fp-3f;
  p = p * u - 0x1.5554f8p-2f;
  const float near = a + a * u * p;
  const float far = 1.0f - 2.0f / (ex2(a * 0x1.715476p+1f) + 1.0f);
  return canonical(with_sign_of(a < 0.640625f ? near : far, x));
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
