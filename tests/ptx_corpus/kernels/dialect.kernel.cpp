// Kernels in Bascule's dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

// Gravity in f64, the other bodies by tiles in shared memory.
BASCULE_KERNEL void nbody_f64(bsc::in<double> positions, bsc::out<double> accelerations, double softening) {
  BASCULE_SHARED double tile[3][64];
  const bsc::u32 n = static_cast<bsc::u32>(positions.size() / 3), t = bsc::thread_id();
  const bsc::u32 i = static_cast<bsc::u32>(bsc::global_id());
  const double x = i < n ? positions[3 * i] : 0, y = i < n ? positions[3 * i + 1] : 0, z = i < n ? positions[3 * i + 2] : 0;
  double ax = 0, ay = 0, az = 0;
  for (bsc::u32 from = 0; from < n; from += 64) {
    for (bsc::u32 axis = 0; axis < 3; ++axis) tile[axis][t] = from + t < n ? positions[3 * (from + t) + axis] : 0;
    bsc::block_barrier();
    for (bsc::u32 j = 0; j < 64 && from + j < n; ++j) {
      const double dx = tile[0][j] - x, dy = tile[1][j] - y, dz = tile[2][j] - z;
      const double square = dx * dx + dy * dy + dz * dz + softening;
      const double force = 1.0 / (square * __builtin_sqrt(square));
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    bsc::block_barrier();
  }
  if (i >= n) return;
  accelerations[3 * i] = ax;
  accelerations[3 * i + 1] = ay;
  accelerations[3 * i + 2] = az;
}

// The place of the largest element of a row; the first NaN, if there is one. A block for each row.
BASCULE_KERNEL void argmax_nan(bsc::in<float> x, bsc::out<bsc::u32> place, bsc::u32 columns) {
  const bsc::u32 row = bsc::block_id();
  // Ordered so that integers compare as the floats do, NaNs above all; then the place, the lower one being the larger.
  bsc::u64 best = 0;
  for (auto j : bsc::block_stride(columns)) {
    const float value = x[row * columns + j];
    const bsc::u32 bits = bsc::internal::bits<bsc::u32>(value == 0.0f ? 0.0f : value);
    const bsc::u32 ordered = value != value ? 0xffffffffu : (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
    const bsc::u64 candidate = static_cast<bsc::u64>(ordered) << 32 | (0xffffffffu - static_cast<bsc::u32>(j));
    best = candidate > best ? candidate : best;
  }
  best = bsc::block_reduce(best, bsc::u64{0}, [](bsc::u64 a, bsc::u64 b) { return a > b ? a : b; });
  if (bsc::thread_id() == 0) place[row] = 0xffffffffu - static_cast<bsc::u32>(best);
}

// Rows to 8 bits with one scale each: round(x / (largest magnitude / 127)).
BASCULE_KERNEL void quantize_rows(bsc::in<float> x, bsc::out<bsc::i8> q, bsc::out<float> scales, bsc::u32 columns) {
  const bsc::u64 row = bsc::block_id();
  float largest = 0.0f;
  for (auto j : bsc::block_stride(columns)) largest = bsc::max(largest, bsc::abs(x[row * columns + j]));
  largest = bsc::block_reduce(largest, 0.0f, [](float a, float b) { return b > a ? b : a; });
  const float scale = largest / 127.0f;
  for (auto j : bsc::block_stride(columns)) {
    q[row * columns + j] = scale == 0.0f ? bsc::i8{0} : static_cast<bsc::i8>(__builtin_rintf(x[row * columns + j] / scale));
  }
  if (bsc::thread_id() == 0) scales[row] = scale;
}

// C = A B of bf16 by 16 x 8 fragments; A by rows, B by columns (B[column * k + i]). One warp for each 16 x 8 of C, edges by zeros.
BASCULE_KERNEL void gemm_bf16(bsc::in<bsc::bf16> a, bsc::in<bsc::bf16> b, bsc::out<float> c, bsc::u32 m, bsc::u32 n, bsc::u32 k) {
  if constexpr (bsc::has_matrix_16x8x16) {
    const bsc::u32 lane = bsc::lane_id(), g = lane / 4, t = lane % 4, row = bsc::block_id(1) * 16, column = bsc::block_id(0) * 8;
    const auto zero = bsc::to_bf16(0.0f);
    const auto left = [&](bsc::u32 r, bsc::u32 i) { return r < m && i < k ? a[static_cast<bsc::u64>(r) * k + i] : zero; };
    const auto right = [&](bsc::u32 r, bsc::u32 i) { return r < n && i < k ? b[static_cast<bsc::u64>(r) * k + i] : zero; };
    bsc::matrix_d d{};
    for (bsc::u32 from = 0; from < k; from += 16) {
      bsc::matrix_a<bsc::bf16> fa;
      bsc::matrix_b<bsc::bf16> fb;
      for (bsc::u32 p = 0; p < 4; ++p) {
        const bsc::u32 r = row + g + p % 2 * 8, i = from + 2 * t + p / 2 * 8;
        fa.part[p] = bsc::pack_pair(left(r, i), left(r, i + 1));
      }
      for (bsc::u32 p = 0; p < 2; ++p) {
        const bsc::u32 i = from + 2 * t + p * 8;
        fb.part[p] = bsc::pack_pair(right(column + g, i), right(column + g, i + 1));
      }
      bsc::multiply_add(d, fa, fb);
    }
    for (bsc::u32 e = 0; e < 4; ++e) {
      const bsc::u32 r = row + g + e / 2 * 8, at = column + 2 * t + e % 2;
      if (r < m && at < n) c[static_cast<bsc::u64>(r) * n + at] = d.value[e];
    }
  }
}

// A Fourier transform of 256 complex numbers in shared memory, radix 2, a block of 128 for each.
BASCULE_KERNEL void fourier_256(bsc::in<float> in, bsc::out<float> out) {
  BASCULE_SHARED float re[256];
  BASCULE_SHARED float im[256];
  const bsc::u32 t = bsc::thread_id();
  const bsc::u64 base = static_cast<bsc::u64>(bsc::block_id()) * 512;
  for (bsc::u32 i = t; i < 256; i += 128) {
    const bsc::u32 from = __builtin_bitreverse32(i) >> 24;
    re[i] = in[base + 2 * from];
    im[i] = in[base + 2 * from + 1];
  }
  for (bsc::u32 half = 1; half < 256; half *= 2) {
    bsc::block_barrier();
    const bsc::u32 k = t % half, at = t / half * 2 * half + k;
    const float angle = -3.14159265358979f * static_cast<float>(k) / static_cast<float>(half);
    const float c = bsc::cos(angle), s = bsc::sin(angle);
    const float xr = re[at + half] * c - im[at + half] * s, xi = re[at + half] * s + im[at + half] * c;
    const float ur = re[at], ui = im[at];
    re[at] = ur + xr;
    im[at] = ui + xi;
    re[at + half] = ur - xr;
    im[at + half] = ui - xi;
  }
  bsc::block_barrier();
  for (bsc::u32 i = t; i < 256; i += 128) {
    out[base + 2 * i] = re[i];
    out[base + 2 * i + 1] = im[i];
  }
}

// Sums over rows, each thread with those before it: within sub-groups, then over them.
BASCULE_KERNEL void row_prefix_sums(bsc::in<bsc::u32> x, bsc::out<bsc::u32> y, bsc::u32 columns) {
  BASCULE_SHARED bsc::u32 of_group[32];
  const bsc::u64 row = bsc::block_id();
  const bsc::u32 t = bsc::thread_id(), groups = bsc::block_size() / bsc::lane_count();
  bsc::u32 before = 0;
  for (bsc::u32 from = 0; from < columns; from += bsc::block_size()) {
    const bsc::u32 i = from + t;
    bsc::u32 sum = bsc::inclusive_scan_add(i < columns ? x[row * columns + i] : 0u);
    if (bsc::lane_id() == bsc::lane_count() - 1) of_group[t / bsc::lane_count()] = sum;
    bsc::block_barrier();
    bsc::u32 all = 0;
    for (bsc::u32 g = 0; g < groups; ++g) {
      const bsc::u32 part = of_group[g];
      if (g < t / bsc::lane_count()) sum += part;
      all += part;
    }
    if (i < columns) y[row * columns + i] = before + sum;
    before += all;
    bsc::block_barrier();
  }
}

// RMS norm of f16 with f32 sums; y = x / sqrt(mean(x^2) + epsilon) * weight.
BASCULE_KERNEL void rms_norm_f16(bsc::in<bsc::f16> x, bsc::in<bsc::f16> weight, bsc::out<bsc::f16> y, float epsilon) {
  const bsc::u64 columns = weight.size(), row = bsc::block_id();
  float squares = 0.0f;
  for (auto j : bsc::block_stride(columns)) {
    const float value = bsc::to_float(x[row * columns + j]);
    squares = bsc::fma(value, value, squares);
  }
  squares = bsc::block_reduce_add(squares);
  const float factor = bsc::rsqrt(squares / static_cast<float>(columns) + epsilon);
  for (auto j : bsc::block_stride(columns)) {
    y[row * columns + j] = bsc::to_f16(bsc::to_float(x[row * columns + j]) * factor * bsc::to_float(weight[j]));
  }
}
