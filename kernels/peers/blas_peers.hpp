// The BLAS libraries that SGEMM is compared with, opened at run time so that their equal names do not clash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bascule::kernels::peers {

// Row-major C = A B with A m x k, B k x n, C m x n, all dense.
struct product {
  std::int64_t m, n, k;
  const float *a, *b;
  float* c;
};

struct blas_peer {
  std::string name;  // with its version or the kernel it chose, as far as it tells
  std::function<void(const product&)> multiply;
  std::function<void(int)> set_threads;
};

// Those of OpenBLAS, BLIS and oneDNN that are installed. Sets BLIS_ARCH_TYPE to zen3 on AMD processors of family 25 and
// up, not all of which BLIS 0.9 recognises, and removes OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE: each peer at its best.
// Call before any of the libraries is loaded.
std::vector<blas_peer> open_blas_peers();

}  // namespace bascule::kernels::peers
