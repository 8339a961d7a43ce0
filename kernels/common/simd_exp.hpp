// e^x for vectors of f32, of our own, since no vector mathematics library is there on every machine.
//
// x = n ln 2 + r with |r| <= ln 2 / 2, then e^r = 1 + r + r^2 q(r) with a minimax polynomial q of degree 4 (relative
// error of e^r 3.1e-9, found by Remez exchange), then two multiplications by powers of two, so that results below the
// normal range are rounded once. Error over all f32: at most 1.05 ulp without FMA and 1.03 ulp with (exhaustive test,
// normal results); e^NaN = NaN, overflow gives infinity, underflow 0. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#pragma once

#include "simd.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {

BASCULE_ALWAYS_INLINE f32v exponential(f32v x) {
  // Outside these bounds e^x rounds to 0 or overflows anyway. Comparisons written so that a NaN stays.
  const f32v low = broadcast(-104.0f), high = broadcast(89.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  // Adding 1.5 * 2^23 rounds to an integer, which is then found in the low mantissa bits.
  const f32v rounder = broadcast(0x1.8p23f);
  const f32v shifted = multiply_add(x, broadcast(0x1.715476p+0f), rounder);  // x / ln 2
  const f32v n = shifted - rounder;
  // ln 2 in two parts: the first has 16 bits, so its product with n is exact even without FMA.
  const f32v r = multiply_add(n, broadcast(-0x1.7f7d1cp-20f), multiply_add(n, broadcast(-0x1.62e4p-1f), x));
  f32v q = broadcast(0x1.6a2434p-10f);
  q = multiply_add(q, r, broadcast(0x1.1239e2p-7f));
  q = multiply_add(q, r, broadcast(0x1.5558f2p-5f));
  q = multiply_add(q, r, broadcast(0x1.555492p-3f));
  q = multiply_add(q, r, broadcast(0x1.fffffcp-2f));
  const f32v power = broadcast(1.0f) + multiply_add(r * r, q, r);
  const i32v exponent = (i32v)shifted - (i32v)rounder;
  const i32v half = exponent >> 1;
  return power * (f32v)((half + 127) << 23) * (f32v)((exponent - half + 127) << 23);
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE
