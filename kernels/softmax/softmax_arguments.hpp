// Arguments of the softmax contract, in contract order: y[i][j] = e^x[i][j] / sum over j of e^x[i][j].
//
// rows x columns of f32, row-major; a row starts x_stride (y_stride) elements after the one before it, both >= columns.
// The largest element of a row is subtracted first, so no finite row overflows. A row of -inf alone (fully masked)
// gives 0; a NaN or +inf makes its row NaN. y may be x itself with the same stride. Launch: grid rows, grain 1. The
// results do not depend on how it is split (determinism = threads). SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

struct softmax_arguments {
  uint64_t rows, columns;
  bsc_host_span x;
  uint64_t x_stride;
  bsc_host_span y;
  uint64_t y_stride;
};

}  // namespace bascule::kernels
