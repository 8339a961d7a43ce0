// Kernels that work on tiles in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

// Blocks of 32 x 8; a padded tile keeps columns in different banks.
KERNEL transpose(const float* in, float* out, u32 width, u32 height) {
  static SHARED float tile[32][33];
  const u32 x = block_x() * 32 + thread_x(), y = block_y() * 32 + thread_y();
  for (u32 i = 0; i < 32; i += 8) {
    if (x < width && y + i < height) tile[thread_y() + i][thread_x()] = in[(y + i) * width + x];
  }
  barrier();
  const u32 tx = block_y() * 32 + thread_x(), ty = block_x() * 32 + thread_y();
  for (u32 i = 0; i < 32; i += 8) {
    if (tx < height && ty + i < width) out[(ty + i) * height + tx] = tile[thread_x()][thread_y() + i];
  }
}

// C = A B by tiles of 32 x 32, blocks of 16 x 16, 2 x 2 elements for each thread.
KERNEL sgemm(const float* a, const float* b, float* c, u32 m, u32 n, u32 k) {
  static SHARED float tile_a[32][17], tile_b[16][33];
  const u32 tx = thread_x(), ty = thread_y(), row = block_y() * 32, column = block_x() * 32;
  float sum[2][2] = {};
  for (u32 from = 0; from < k; from += 16) {
    for (u32 i = 0; i < 32; i += 16) {
      tile_a[ty + i][tx] = row + ty + i < m && from + tx < k ? a[(row + ty + i) * k + from + tx] : 0;
      tile_b[ty][tx + i] = from + ty < k && column + tx + i < n ? b[(from + ty) * n + column + tx + i] : 0;
    }
    barrier();
    for (u32 i = 0; i < 16; ++i) {
      for (u32 y = 0; y < 2; ++y) {
        for (u32 x = 0; x < 2; ++x) sum[y][x] = __builtin_fmaf(tile_a[ty + 16 * y][i], tile_b[i][tx + 16 * x], sum[y][x]);
      }
    }
    barrier();
  }
  for (u32 y = 0; y < 2; ++y) {
    for (u32 x = 0; x < 2; ++x) {
      if (row + ty + 16 * y < m && column + tx + 16 * x < n) c[(row + ty + 16 * y) * n + column + tx + 16 * x] = sum[y][x];
    }
  }
}

// Sorts 512 keys for each block of 256, ascending.
KERNEL bitonic_sort(u32* keys) {
  static SHARED u32 values[512];
  u32* const own = keys + block_x() * 512;
  const u32 t = thread_x();
  values[t] = own[t];
  values[t + 256] = own[t + 256];
  for (u32 size = 2; size <= 512; size *= 2) {
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      barrier();
      const u32 low = 2 * t - (t & (stride - 1)), high = low + stride;
      const bool ascending = (low & size) == 0;
      const u32 first = values[low], second = values[high];
      if ((first > second) == ascending) {
        values[low] = second;
        values[high] = first;
      }
    }
  }
  barrier();
  own[t] = values[t];
  own[t + 256] = values[t + 256];
}

// Counts bytes: in shared memory first.
KERNEL histogram(const u8* in, u32* counts, u32 n) {
  static SHARED u32 own[256];
  for (u32 i = thread_x(); i < 256; i += threads_x()) own[i] = 0;
  barrier();
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) atomic_add(&own[in[i]], 1);
  barrier();
  for (u32 i = thread_x(); i < 256; i += threads_x()) {
    if (own[i] != 0) atomic_add(&counts[i], own[i]);
  }
}
