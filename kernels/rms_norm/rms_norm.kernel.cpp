// RMSNorm in the dialect, for every target: a block of threads per row. Contract: rms_norm.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

BASCULE_KERNEL void rms_norm(bsc::u64 rows, bsc::u64 columns, float epsilon, bsc::in<float> x, bsc::u64 x_stride,
                             bsc::in<float> w, bsc::out<float> y, bsc::u64 y_stride) {
  for (bsc::u64 row = bsc::block_id(); row < rows; row += bsc::grid_size()) {
    const bsc::u64 from = row * x_stride, to = row * y_stride;
    float sum = 0.0f;
    for (auto j : bsc::block_stride(columns)) sum += x[from + j] * x[from + j];
    sum = bsc::block_reduce_add(sum);
    const float scale = bsc::rsqrt(sum / static_cast<float>(columns) + epsilon);
    for (auto j : bsc::block_stride(columns)) y[to + j] = x[from + j] * scale * w[j];
  }
}
