// GEMM in bf16 and f16 in the dialect, for every target: 16 x 16 threads make a 64 x 64 tile of C, 4 x 4 elements each, from
// tiles of A and B in shared memory, as f32. Contract: gemm.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

namespace {

constexpr bsc::u32 kTile = 64, kDepth = 16, kThreads = 16, kPer = 4;
constexpr bsc::u32 kPitch = kTile + 1;  // keeps transposed stores off one bank

BSC_INLINE float activated(bsc::u32 activation, float x) {
  if (activation == 1) return bsc::is_nan(x) || x > 0.0f ? x : 0.0f;
  if (activation == 2) return bsc::gelu(x);
  return activation == 3 ? bsc::silu(x) : x;
}

BSC_INLINE void put(bsc::out<bsc::bf16> c, bsc::u64 at, float value) { c[at] = bsc::to_bf16(value); }
BSC_INLINE void put(bsc::out<bsc::f16> c, bsc::u64 at, float value) { c[at] = bsc::to_f16(value); }

template <class T>
BSC_INLINE void gemm(bsc::u32 transpose_b, bsc::u32 activation, bsc::u32 has_bias, bsc::u64 m, bsc::u64 n, bsc::u64 k, bsc::in<T> a, bsc::u64 lda,
                     bsc::in<T> b, bsc::u64 ldb, bsc::in<float> bias, bsc::out<T> c, bsc::u64 ldc) {
  using bsc::u32;
  using bsc::u64;
  BASCULE_SHARED float tile_a[kDepth * kPitch];
  BASCULE_SHARED float tile_b[kDepth * kPitch];
  const u64 b_row = transpose_b ? 1 : ldb, b_column = transpose_b ? ldb : 1;
  const u32 x = bsc::thread_id(0), y = bsc::thread_id(1), thread = y * kThreads + x;
  const u64 tiles_n = (n + kTile - 1) / kTile, tiles = tiles_n * ((m + kTile - 1) / kTile);
  for (u64 tile = bsc::block_id(); tile < tiles; tile += bsc::grid_size()) {
    const u64 row = tile / tiles_n * kTile, column = tile % tiles_n * kTile;
    float sums[kPer][kPer] = {};
    for (u64 begin = 0; begin < k; begin += kDepth) {
      for (u32 e = thread; e < kTile * kDepth; e += kThreads * kThreads) {
        // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
        const u32 ai = e / kDepth, al = e % kDepth;
        const u32 bj = transpose_b ? e / kDepth : e % kTile, bl = transpose_b ? e % kDepth : e / kTile;
        tile_a[al * kPitch + ai] = row + ai < m && begin + al < k ? bsc::to_float(a[(row + ai) * lda + begin + al]) : 0.0f;
        tile_b[bl * kPitch + bj] =
            column + bj < n && begin + bl < k ? bsc::to_float(b[(begin + bl) * b_row + (column + bj) * b_column]) : 0.0f;
      }
      bsc::block_barrier();
      for (u32 l = 0; l < kDepth; ++l) {
        for (u32 i = 0; i < kPer; ++i) {
          const float value = tile_a[l * kPitch + y + i * kThreads];
          for (u32 j = 0; j < kPer; ++j) sums[i][j] = bsc::fma(value, tile_b[l * kPitch + x + j * kThreads], sums[i][j]);
        }
      }
      bsc::block_barrier();
    }
    for (u32 i = 0; i < kPer; ++i) {
      for (u32 j = 0; j < kPer; ++j) {
        const u64 ci = row + y + i * kThreads, cj = column + x + j * kThreads;
        if (ci < m && cj < n) put(c, ci * ldc + cj, activated(activation, sums[i][j] + (has_bias ? bias[cj] : 0.0f)));
      }
    }
  }
}

}  // namespace

BASCULE_KERNEL void gemm_bf16(bsc::u32 transpose_b, bsc::u32 activation, bsc::u32 has_bias, bsc::u64 m, bsc::u64 n, bsc::u64 k,
                              bsc::in<bsc::bf16> a, bsc::u64 lda, bsc::in<bsc::bf16> b, bsc::u64 ldb, bsc::in<float> bias,
                              bsc::out<bsc::bf16> c, bsc::u64 ldc) {
  gemm<bsc::bf16>(transpose_b, activation, has_bias, m, n, k, a, lda, b, ldb, bias, c, ldc);
}

BASCULE_KERNEL void gemm_f16(bsc::u32 transpose_b, bsc::u32 activation, bsc::u32 has_bias, bsc::u64 m, bsc::u64 n, bsc::u64 k,
                             bsc::in<bsc::f16> a, bsc::u64 lda, bsc::in<bsc::f16> b, bsc::u64 ldb, bsc::in<float> bias,
                             bsc::out<bsc::f16> c, bsc::u64 ldc) {
  gemm<bsc::f16>(transpose_b, activation, has_bias, m, n, k, a, lda, b, ldb, bias, c, ldc);
}
