// Sums, maxima and their places, by shuffles, shared memory and atomics; rows of matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

// One partial sum for each block: within warps by shuffles, between them through shared memory.
KERNEL sum_by_shuffles(const float* in, float* partial, u32 n) {
  static SHARED float of_warp[32];
  float sum = 0;
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) sum += in[i];
  sum = warp_sum(sum);
  if (lane() == 0) of_warp[thread_x() / 32] = sum;
  barrier();
  if (thread_x() < 32) {
    sum = thread_x() < threads_x() / 32 ? of_warp[thread_x()] : 0;
    sum = warp_sum(sum);
    if (thread_x() == 0) partial[block_x()] = sum;
  }
}

KERNEL sum_by_atomics(const float* in, float* sum, u32* count, u32 n) {
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) {
    atomic_add(sum, in[i]);
    atomic_add(count, 1);
  }
}

// A tree in shared memory with a barrier for each level. Blocks of 256.
KERNEL sum_by_tree(const float* in, float* partial, u32 n) {
  static SHARED float values[256];
  const u32 t = thread_x();
  values[t] = global_x() < n ? in[global_x()] : 0;
  barrier();
  for (u32 half_of = 128; half_of > 0; half_of /= 2) {
    if (t < half_of) values[t] += values[t + half_of];
    barrier();
  }
  if (t == 0) partial[block_x()] = values[0];
}

// The first place of the largest element; one warp for each row.
KERNEL argmax(const float* in, u32* place, u32 rows, u32 columns) {
  const u32 row = global_x() / 32;
  if (row >= rows) return;
  float best = -__builtin_inff();
  u32 at = 0xffffffffu;
  for (u32 i = lane(); i < columns; i += 32) {
    const float value = in[row * columns + i];
    if (value > best || at == 0xffffffffu) {
      best = value;
      at = i;
    }
  }
  for (u32 lanes = 16; lanes > 0; lanes /= 2) {
    const float other = shuffle_xor(best, lanes);
    const u32 other_at = shuffle_xor(at, lanes);
    if (other_at != 0xffffffffu && (at == 0xffffffffu || other > best || (other == best && other_at < at))) {
      best = other;
      at = other_at;
    }
  }
  if (lane() == 0) place[row] = at;
}

// One warp for each row.
KERNEL softmax(const float* in, float* out, u32 rows, u32 columns) {
  const u32 row = global_x() / 32;
  if (row >= rows) return;
  const float* const x = in + (u64)row * columns;
  float largest = -__builtin_inff();
  for (u32 i = lane(); i < columns; i += 32) largest = __builtin_fmaxf(largest, x[i]);
  largest = warp_max(largest);
  float sum = 0;
  for (u32 i = lane(); i < columns; i += 32) sum += fast_exp(x[i] - largest);
  const float factor = approximate_reciprocal(warp_sum(sum));
  for (u32 i = lane(); i < columns; i += 32) out[(u64)row * columns + i] = fast_exp(x[i] - largest) * factor;
}

// One block for each row of f16; mean and variance in f32.
KERNEL layernorm(const half* in, const half* scale, const half* bias, half* out, u32 columns, float epsilon) {
  static SHARED float of_warp[2][32];
  const half* const x = in + (u64)block_x() * columns;
  float sum = 0, squares = 0;
  for (u32 i = thread_x(); i < columns; i += threads_x()) {
    const float value = (float)x[i];
    sum += value;
    squares = __builtin_fmaf(value, value, squares);
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (lane() == 0) {
    of_warp[0][thread_x() / 32] = sum;
    of_warp[1][thread_x() / 32] = squares;
  }
  barrier();
  sum = 0;
  squares = 0;
  for (u32 w = 0; w < threads_x() / 32; ++w) {
    sum += of_warp[0][w];
    squares += of_warp[1][w];
  }
  const float mean = sum / (float)columns;
  const float factor = approximate_rsqrt(squares / (float)columns - mean * mean + epsilon);
  for (u32 i = thread_x(); i < columns; i += threads_x()) {
    const float value = ((float)x[i] - mean) * factor;
    out[(u64)block_x() * columns + i] = (half)(value * (float)scale[i] + (float)bias[i]);
  }
}

// y = A x, one warp for each row; vectors of four where they are aligned.
KERNEL matrix_vector(const float* a, const float* x, float* y, u32 rows, u32 columns) {
  using float4 = __attribute__((ext_vector_type(4))) float;
  const u32 row = global_x() / 32;
  if (row >= rows) return;
  float sum = 0;
  if (columns % 4 == 0) {
    const float4* const line = (const float4*)(a + (u64)row * columns);
    for (u32 i = lane(); i < columns / 4; i += 32) {
      const float4 left = line[i], right = ((const float4*)x)[i];
      sum += left.x * right.x + left.y * right.y + left.z * right.z + left.w * right.w;
    }
  } else {
    for (u32 i = lane(); i < columns; i += 32) sum = __builtin_fmaf(a[(u64)row * columns + i], x[i], sum);
  }
  sum = warp_sum(sum);
  if (lane() == 0) y[row] = sum;
}
