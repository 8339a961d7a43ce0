// Float64 references of what GEMM does after the sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm_reference.hpp"

#include <cmath>

namespace bascule::kernels {

double activation_reference(std::uint32_t activation, double x) {
  switch (activation) {
    case 1: return x < 0 ? 0.0 : x;
    case 2: return 0.5 * x * std::erfc(-x * M_SQRT1_2);
    case 3: return x / (1 + std::exp(-x));
    default: return x;
  }
}

double activation_error(std::uint32_t activation, double x) { return activation >= 2 ? std::fabs(x) * 0x1p-20 : 0.0; }

}  // namespace bascule::kernels
