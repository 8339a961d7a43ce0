// The innermost product of SGEMM: a few rows of packed A times one panel of packed B, held in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/simd.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm {

// Rows of a panel of A, chosen by the register file: kPanelRows x 2 accumulators, 2 vectors of B and 1 broadcast of A.
// Levels 2 and 3 have 16 registers (12 accumulators), level 4 has 32 (28 accumulators).
inline constexpr uint64_t kPanelRows = kVectorBytes == 64 ? 14 : 6;
inline constexpr uint64_t kPanelColumns = 2 * kLanes;

// What a tile becomes: C = alpha * (A B) + beta * C, where beta == 0 means that C is not read.
struct tile_output {
  float* c;
  uint64_t stride;   // elements between rows of C
  uint64_t columns;  // valid columns, 1 .. kPanelColumns
  float alpha, beta;
};

template <int kRows>
BASCULE_ALWAYS_INLINE void write_tile(const f32v (&sum)[kRows][2], const tile_output& out) {
  const f32v alpha = broadcast(out.alpha), beta = broadcast(out.beta);
  if (out.columns == kPanelColumns) {
    if (out.beta == 0.0f) {
#pragma GCC unroll 16
      for (int row = 0; row < kRows; ++row) {
        store(out.c + row * out.stride, alpha * sum[row][0]);
        store(out.c + row * out.stride + kLanes, alpha * sum[row][1]);
      }
    } else {
#pragma GCC unroll 16
      for (int row = 0; row < kRows; ++row) {
        float* const c = out.c + row * out.stride;
        store(c, multiply_add(beta, load(c), alpha * sum[row][0]));
        store(c + kLanes, multiply_add(beta, load(c + kLanes), alpha * sum[row][1]));
      }
    }
    return;
  }
  const uint64_t first = out.columns < kLanes ? out.columns : kLanes;
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) {
    float* const c = out.c + row * out.stride;
    f32v low = alpha * sum[row][0], high = alpha * sum[row][1];
    if (first == kLanes) {
      if (out.beta != 0.0f) low = multiply_add(beta, load(c), low);
      store(c, low);
    } else {
      const partial_mask mask = first_lanes(first);
      if (out.beta != 0.0f) low = multiply_add(beta, load_partial(c, mask), low);
      store_partial(c, low, mask);
    }
    if (out.columns > kLanes) {
      const partial_mask mask = first_lanes(out.columns - kLanes);
      if (out.beta != 0.0f) high = multiply_add(beta, load_partial(c + kLanes, mask), high);
      store_partial(c + kLanes, high, mask);
    }
  }
}

// a: depth x kPanelRows, b: depth x kPanelColumns, both packed.
template <int kRows>
void multiply_tile(uint64_t depth, const float* __restrict a, const float* __restrict b, const tile_output& out) {
  f32v sum[kRows][2] = {};
#pragma GCC unroll 16
  for (int row = 0; row < kRows; ++row) __builtin_prefetch(out.c + row * out.stride, 1);
#pragma GCC unroll 4
  for (uint64_t k = 0; k < depth; ++k) {
    const f32v low = load(b), high = load(b + kLanes);
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
      const f32v x = broadcast(a[row]);
      sum[row][0] = multiply_add(x, low, sum[row][0]);
      sum[row][1] = multiply_add(x, high, sum[row][1]);
    }
    a += kPanelRows;
    b += kPanelColumns;
  }
  write_tile<kRows>(sum, out);
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm
