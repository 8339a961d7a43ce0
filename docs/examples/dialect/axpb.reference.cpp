// What axpb must compute, as a plain host function of the same name and parameters: `bascule check` compares with it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

inline void axpb(float a, float b, bsc::in<float> x, bsc::out<float> y) {
  for (bsc::u64 i = 0; i < y.size(); ++i) y[i] = static_cast<float>(static_cast<double>(a) * x[i] + b);
}
