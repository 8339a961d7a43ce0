// Products of a matrix and a vector in the dialect, for every target: a block of threads per row. Contracts: gemv.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

namespace {

constexpr bsc::u32 kBlock = 32;  // weights in a block of q4_0 and q8_0

// What a row of weights gives with x, of one thread's share.
struct F32Row {
  bsc::in<float> w;
  BSC_INLINE float product(bsc::u64 row, bsc::u64 ldw, bsc::u64 j, bsc::in<float> x) const { return w[row * ldw + j] * x[j]; }
  static constexpr bsc::u32 kLength = 1;
};

struct Bf16Row {
  bsc::in<bsc::bf16> w;
  BSC_INLINE float product(bsc::u64 row, bsc::u64 ldw, bsc::u64 j, bsc::in<float> x) const { return bsc::to_float(w[row * ldw + j]) * x[j]; }
  static constexpr bsc::u32 kLength = 1;
};

BSC_INLINE float factor(bsc::u16 bits) { return bsc::to_float(bsc::internal::bits<bsc::f16>(bits)); }

struct Q40Row {
  bsc::in<bsc::u16> w;
  BSC_INLINE float product(bsc::u64 row, bsc::u64 ldw, bsc::u64 block, bsc::in<float> x) const {
    const bsc::u64 at = (row * ldw + block) * 9, first = block * kBlock;
    float sum = 0.0f;
    for (bsc::u32 i = 0; i < kBlock / 2; ++i) {
      const bsc::u32 byte = (static_cast<bsc::u32>(w[at + 1 + i / 2]) >> (i % 2 * 8)) & 0xffu;
      sum = bsc::fma(static_cast<float>(static_cast<bsc::i32>(byte & 15u) - 8), x[first + i], sum);
      sum = bsc::fma(static_cast<float>(static_cast<bsc::i32>(byte >> 4) - 8), x[first + kBlock / 2 + i], sum);
    }
    return sum * factor(w[at]);
  }
  static constexpr bsc::u32 kLength = kBlock;
};

struct Q80Row {
  bsc::in<bsc::u16> w;
  BSC_INLINE float product(bsc::u64 row, bsc::u64 ldw, bsc::u64 block, bsc::in<float> x) const {
    const bsc::u64 at = (row * ldw + block) * 17, first = block * kBlock;
    float sum = 0.0f;
    for (bsc::u32 i = 0; i < kBlock; ++i) {
      const bsc::u32 byte = (static_cast<bsc::u32>(w[at + 1 + i / 2]) >> (i % 2 * 8)) & 0xffu;
      sum = bsc::fma(static_cast<float>(static_cast<bsc::i32>(byte ^ 0x80u) - 128), x[first + i], sum);
    }
    return sum * factor(w[at]);
  }
  static constexpr bsc::u32 kLength = kBlock;
};

template <class Row>
BSC_INLINE void gemv(bsc::u64 n, bsc::u64 k, float alpha, float beta, Row weights, bsc::u64 ldw, bsc::in<float> x, bsc::inout<float> y) {
  for (bsc::u64 row = bsc::block_id(); row < n; row += bsc::grid_size()) {
    float sum = 0.0f;
    if (alpha != 0.0f) {
      for (auto j : bsc::block_stride(k / Row::kLength)) sum += weights.product(row, ldw, j, x);
    }
    sum = bsc::block_reduce_add(sum);
    if (bsc::thread_id() == 0) y[row] = beta != 0.0f ? bsc::fma(beta, y[row], alpha * sum) : alpha * sum;
  }
}

}  // namespace

BASCULE_KERNEL void gemv_f32(bsc::u64 n, bsc::u64 k, float alpha, float beta, bsc::in<float> w, bsc::u64 ldw, bsc::in<float> x, bsc::inout<float> y) {
  gemv(n, k, alpha, beta, F32Row{w}, ldw, x, y);
}

BASCULE_KERNEL void gemv_bf16(bsc::u64 n, bsc::u64 k, float alpha, float beta, bsc::in<bsc::bf16> w, bsc::u64 ldw, bsc::in<float> x,
                              bsc::inout<float> y) {
  gemv(n, k, alpha, beta, Bf16Row{w}, ldw, x, y);
}

BASCULE_KERNEL void gemv_q4_0(bsc::u64 n, bsc::u64 k, float alpha, float beta, bsc::in<bsc::u16> w, bsc::u64 ldw, bsc::in<float> x,
                              bsc::inout<float> y) {
  gemv(n, k, alpha, beta, Q40Row{w}, ldw, x, y);
}

BASCULE_KERNEL void gemv_q8_0(bsc::u64 n, bsc::u64 k, float alpha, float beta, bsc::in<bsc::u16> w, bsc::u64 ldw, bsc::in<float> x,
                              bsc::inout<float> y) {
  gemv(n, k, alpha, beta, Q80Row{w}, ldw, x, y);
}
