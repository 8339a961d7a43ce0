// What the kernels of faulty.kernel.cpp should compute.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

inline void shifted(bsc::in<float> x, bsc::out<float> y) {
  for (bsc::u64 i = 0; i < y.size(); ++i) y[i] = i + 1 < x.size() ? x[i + 1] : 0.0f;
}
inline void halved(bsc::in<float> x, bsc::out<float> y) {
  for (bsc::u64 i = 0; i < y.size(); ++i) y[i] = 0.5f * x[i];
}
inline void doubled(bsc::in<float> x, bsc::out<float> y) {
  for (bsc::u64 i = 0; i < y.size(); ++i) y[i] = 2.0f * x[i];
}
