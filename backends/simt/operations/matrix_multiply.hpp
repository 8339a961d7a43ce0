// Products of small matrices in f32 and f64, for mma and wmma. Included by x_cpu.cpp files only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/operations/matrix_numbers.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

#if BASCULE_CPU_LEVEL >= 3
using Columns = __m256;
[[gnu::always_inline]] inline void add_multiple(__m256& sum, const float* factor, const __m256& columns) {
  sum = _mm256_fmadd_ps(_mm256_broadcast_ss(factor), columns, sum);
}
#else
using Columns = __m128;
[[gnu::always_inline]] inline void add_multiple(__m128& sum, const float* factor, const __m128& columns) {
  sum = _mm_add_ps(sum, _mm_mul_ps(_mm_set1_ps(*factor), columns));
}
#endif

/// c = a b + c for eight rows and eight columns: a[row][k] with `a_stride` floats from row to row, b[k][column], c[row][column].
/// Each element is summed in f32 in ascending order of k, starting from c. With x86-64-v3 and above a product is not rounded
/// before it is added; that makes a difference only where it is no f32 (a bf16 or tf32 product that leaves f32's range).
[[gnu::always_inline]] inline void multiply_8x8(const float* a, unsigned a_stride, const float* b, unsigned b_stride, float* c,
                                                unsigned c_stride, unsigned depth) {
  constexpr unsigned width = sizeof(Columns) / sizeof(float);
  for (unsigned column = 0; column < 8; column += width) {
    Columns sums[8];
#pragma GCC unroll 8
    for (unsigned row = 0; row < 8; ++row) std::memcpy(&sums[row], c + row * c_stride + column, sizeof sums[row]);
    for (unsigned k = 0; k < depth; ++k) {
      Columns columns;
      std::memcpy(&columns, b + k * b_stride + column, sizeof columns);
#pragma GCC unroll 8
      for (unsigned row = 0; row < 8; ++row) add_multiple(sums[row], a + row * a_stride + k, columns);
    }
#pragma GCC unroll 8
    for (unsigned row = 0; row < 8; ++row) std::memcpy(c + row * c_stride + column, &sums[row], sizeof sums[row]);
  }
}

/// The same in f64, each step a fused multiply-add in the thread's rounding mode. Not inlined, so that setting the mode before
/// and after the call is not reordered with the arithmetic.
[[gnu::noinline]] inline void multiply_f64(const double* a, unsigned a_stride, const double* b, double* c, unsigned rows,
                                           unsigned depth) {
  for (unsigned row = 0; row < rows; ++row) {
    double sums[8];
    std::memcpy(sums, c + row * 8, sizeof sums);
    for (unsigned k = 0; k < depth; ++k) {
      const double factor = a[row * a_stride + k];
      for (unsigned column = 0; column < 8; ++column) sums[column] = __builtin_fma(factor, b[k * 8 + column], sums[column]);
    }
    std::memcpy(c + row * 8, sums, sizeof sums);
  }
}

/// c + product for integers whose product was computed in f32: wraps, or saturates to s32.
[[gnu::always_inline]] inline void add_product(S32x8& c, const F32x8& product, bool saturate) {
  const S32x8 exact = __builtin_convertvector(product, S32x8);
  const S32x8 sum = reinterpret_cast<S32x8>(reinterpret_cast<U32x8>(c) + reinterpret_cast<U32x8>(exact));
  if (saturate) {
    const S32x8 overflow = ((c ^ sum) & (exact ^ sum)) >> 31;
    const S32x8 limit = (c >> 31) ^ 0x7fffffff;
    c = (sum & ~overflow) | (limit & overflow);
  } else {
    c = sum;
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
