// Kernels of an outside project with planted bugs, one per file line that `bascule check` must name, and one that is right.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

inline float element_after(bsc::in<float> x, bsc::u64 i) {
  return x[i + 1];  // line 7: past the end for the last element
}

BASCULE_CONTRACT(shifted, length(x, y.length), values(x, -1, 1))
BASCULE_KERNEL void shifted(bsc::in<float> x, bsc::out<float> y) {
  for (auto i : bsc::grid_stride(y.size())) y[i] = element_after(x, i);
}

BASCULE_CONTRACT(halved, length(x, y.length), values(x, -1, 1))
BASCULE_KERNEL void halved(bsc::in<float> x, bsc::out<float> y) {
  for (auto i : bsc::grid_stride(y.size())) y[i] = 0.499f * x[i];  // not half
}

BASCULE_CONTRACT(doubled, length(x, y.length), tolerance(R4))
BASCULE_KERNEL void doubled(bsc::in<float> x, bsc::out<float> y) {
  for (auto i : bsc::grid_stride(y.size())) y[i] = 2.0f * x[i];
}
