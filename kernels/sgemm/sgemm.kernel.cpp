// SGEMM in the dialect, for every target: 16 x 16 threads make a 64 x 64 tile of C, 4 x 4 elements each, from tiles of A and
// B in shared memory. Contract: sgemm.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

namespace {
constexpr bsc::u32 kTile = 64, kDepth = 16, kThreads = 16, kPer = 4;
constexpr bsc::u32 kPitch = kTile + 1;  // keeps transposed stores off one bank
}  // namespace

BASCULE_KERNEL void sgemm(bsc::u32 transpose_a, bsc::u32 transpose_b, bsc::u64 m, bsc::u64 n, bsc::u64 k, float alpha,
                          bsc::in<float> a, bsc::u64 lda, bsc::in<float> b, bsc::u64 ldb, float beta, bsc::inout<float> c,
                          bsc::u64 ldc) {
  using bsc::u32;
  using bsc::u64;
  BASCULE_SHARED float tile_a[kDepth * kPitch];
  BASCULE_SHARED float tile_b[kDepth * kPitch];
  const u64 a_row = transpose_a ? 1 : lda, a_column = transpose_a ? lda : 1;
  const u64 b_row = transpose_b ? 1 : ldb, b_column = transpose_b ? ldb : 1;
  const u32 x = bsc::thread_id(0), y = bsc::thread_id(1), thread = y * kThreads + x;
  const u64 row = u64{bsc::block_id(1)} * kTile, column = u64{bsc::block_id(0)} * kTile;
  float sums[kPer][kPer] = {};
  const u64 depth = alpha == 0.0f ? 0 : k;
  for (u64 begin = 0; begin < depth; begin += kDepth) {
    for (u32 e = thread; e < kTile * kDepth; e += kThreads * kThreads) {
      // Neighbouring threads read neighbouring elements, whichever way the matrix lies.
      const u32 ai = transpose_a ? e % kTile : e / kDepth, al = transpose_a ? e / kTile : e % kDepth;
      const u32 bj = transpose_b ? e / kDepth : e % kTile, bl = transpose_b ? e % kDepth : e / kTile;
      tile_a[al * kPitch + ai] = row + ai < m && begin + al < k ? a[(row + ai) * a_row + (begin + al) * a_column] : 0.0f;
      tile_b[bl * kPitch + bj] = column + bj < n && begin + bl < k ? b[(begin + bl) * b_row + (column + bj) * b_column] : 0.0f;
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
      if (ci >= m || cj >= n) continue;
      const u64 at = ci * ldc + cj;
      const float product = depth == 0 ? 0.0f : alpha * sums[i][j];
      c[at] = beta == 0.0f ? product : depth == 0 ? beta * c[at] : product + beta * c[at];
    }
  }
}
