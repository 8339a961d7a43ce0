// A kernel in the dialect: one source for every vendor. Contract, typed handle and entry come from the signature; what a
// signature cannot say stands in BASCULE_CONTRACT.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

BASCULE_CONTRACT(axpb, doc("y[i] = a * x[i] + b"), length(x, y.length), nan(propagate), determinism(threads),
                 tolerance(R2, ulps(1), absolute(1e-5)), values(a, -4, 4), values(b, -4, 4), values(x, -100, 100))
BASCULE_KERNEL void axpb(float a, float b, bsc::in<float> x, bsc::out<float> y) {
  for (auto i : bsc::grid_stride(y.size())) y[i] = a * x[i] + b;
}
