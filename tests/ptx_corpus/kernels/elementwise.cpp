// Kernels of independent elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

KERNEL vector_add(const float* a, const float* b, float* c, u32 n) {
  const u32 i = global_x();
  if (i < n) c[i] = a[i] + b[i];
}

KERNEL saxpy(float factor, const float* x, float* y, u32 n) {
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) y[i] = __builtin_fmaf(factor, x[i], y[i]);
}

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), tanh by exponentials.
KERNEL gelu(const float* x, float* y, u32 n) {
  for (u32 i = global_x(); i < n; i += threads_x() * blocks_x()) {
    const float v = x[i];
    const float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
    const float e = fast_exp(-2.0f * __builtin_fabsf(inner));
    const float t = (1.0f - e) * approximate_reciprocal(1.0f + e);
    y[i] = 0.5f * v * (1.0f + __builtin_copysignf(t, inner));
  }
}

KERNEL collatz(const u32* start, u32* steps, u32 n) {
  const u32 i = global_x();
  if (i >= n) return;
  u64 x = start[i];
  u32 count = 0;
  while (x != 1) {
    x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    ++count;
  }
  steps[i] = count;
}

KERNEL mandelbrot(u16* iterations, u32 width, u32 height, u32 limit) {
  const u32 px = global_x(), py = block_y() * __nvvm_read_ptx_sreg_ntid_y() + thread_y();
  if (px >= width || py >= height) return;
  const double cx = -2.0 + 3.0 * px / width, cy = -1.5 + 3.0 * py / height;
  double x = 0, y = 0;
  u32 i = 0;
  for (; i < limit; ++i) {
    const double xx = x * x, yy = y * y;
    if (xx + yy > 4) break;
    y = 2 * x * y + cy;
    x = xx - yy + cx;
  }
  iterations[py * width + px] = (u16)i;
}

KERNEL nbody(const float* positions, float* accelerations, u32 n, float softening) {
  const u32 i = global_x();
  if (i >= n) return;
  float ax = 0, ay = 0, az = 0;
  const float x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
  for (u32 j = 0; j < n; ++j) {
    const float dx = positions[3 * j] - x, dy = positions[3 * j + 1] - y, dz = positions[3 * j + 2] - z;
    const float inverse = approximate_rsqrt(dx * dx + dy * dy + dz * dz + softening);
    const float force = inverse * inverse * inverse;
    ax = __builtin_fmaf(dx, force, ax);
    ay = __builtin_fmaf(dy, force, ay);
    az = __builtin_fmaf(dz, force, az);
  }
  accelerations[3 * i] = ax;
  accelerations[3 * i + 1] = ay;
  accelerations[3 * i + 2] = az;
}

// Philox 4x32 with ten rounds, one block of four numbers for each thread.
KERNEL philox(u32* out, u32 blocks, u64 seed) {
  for (u32 i = global_x(); i < blocks; i += threads_x() * blocks_x()) {
    u32 c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = (u32)seed, k1 = (u32)(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const u64 p0 = (u64)c0 * 0xD2511F53u, p1 = (u64)c2 * 0xCD9E8D57u;
      c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
      c1 = (u32)p1;
      c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
      c3 = (u32)p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    out[4 * i] = c0;
    out[4 * i + 1] = c1;
    out[4 * i + 2] = c2;
    out[4 * i + 3] = c3;
  }
}

// Five-point stencil in two dimensions; the border is copied.
KERNEL stencil(const float* in, float* out, u32 width, u32 height) {
  const u32 x = global_x(), y = block_y() * __nvvm_read_ptx_sreg_ntid_y() + thread_y();
  if (x >= width || y >= height) return;
  const u32 at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = in[at];
  } else {
    out[at] = 0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
  }
}
