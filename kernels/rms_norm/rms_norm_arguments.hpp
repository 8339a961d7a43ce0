// Arguments of the RMSNorm contract, in contract order:
// y[i][j] = x[i][j] * w[j] / sqrt(mean over j of x[i][j]^2 + epsilon).
//
// rows x columns of f32, row-major; a row starts x_stride (y_stride) elements after the one before it, both >= columns;
// w has `columns` elements. Squares are summed in f32: |x| must stay below about 1.8e19 / sqrt(columns). A NaN makes
// its row NaN. y may be x itself with the same stride. Launch: grid rows, grain 1. The results do not depend on how it
// is split (determinism = threads). SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

struct rms_norm_arguments {
  uint64_t rows, columns;
  float epsilon;
  bsc_host_span x;
  uint64_t x_stride;
  bsc_host_span w;
  bsc_host_span y;
  uint64_t y_stride;
};

}  // namespace bascule::kernels
