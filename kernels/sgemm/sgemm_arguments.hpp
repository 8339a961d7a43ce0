// Arguments of the SGEMM contract, in contract order.
//
// C = alpha * op(A) * op(B) + beta * C. All matrices are row-major: element (i, j) of X stands at x[i * ldx + j].
// op(A) is m x k: A is stored m x k (lda >= k), or k x m (lda >= m) if transpose_a is 1. op(B) is k x n: stored k x n
// (ldb >= n), or n x k (ldb >= k) if transpose_b is 1. C is m x n (ldc >= n); what lies between its rows stays
// untouched.
//
// As in BLAS: beta == 0 means that C is written and never read (NaN in it is gone); alpha == 0 or k == 0 means that A
// and B are not read. NaN in alpha, beta, A or B otherwise propagates by the formula. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

struct sgemm_arguments {
  uint32_t transpose_a;  // 0 or 1
  uint32_t transpose_b;  // 0 or 1
  uint64_t m, n, k;
  float alpha;
  bsc_host_span a;
  uint64_t lda;
  bsc_host_span b;
  uint64_t ldb;
  float beta;
  bsc_host_span c;
  uint64_t ldc;
};

}  // namespace bascule::kernels
