// Softmax in the dialect, for every target: a block of threads per row. Contract: softmax.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

BASCULE_KERNEL void softmax(bsc::u64 rows, bsc::u64 columns, bsc::in<float> x, bsc::u64 x_stride, bsc::out<float> y,
                            bsc::u64 y_stride) {
  const auto larger_or_nan = [](float a, float b) { return bsc::is_nan(a) || a > b ? a : b; };
  const float lowest = -bsc::internal::infinity();
  for (bsc::u64 row = bsc::block_id(); row < rows; row += bsc::grid_size()) {
    const bsc::u64 from = row * x_stride, to = row * y_stride;
    float largest = lowest;
    for (auto j : bsc::block_stride(columns)) largest = larger_or_nan(largest, x[from + j]);
    largest = bsc::block_reduce(largest, lowest, larger_or_nan);
    float sum = 0.0f;
    for (auto j : bsc::block_stride(columns)) sum += bsc::exp(x[from + j] - largest);
    sum = bsc::block_reduce_add(sum);
    for (auto j : bsc::block_stride(columns)) {
      y[to + j] = largest == lowest ? 0.0f : bsc::exp(x[from + j] - largest) / sum;
    }
  }
}
