// Float64 references of the reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_reference.hpp"

#include <cmath>
#include <limits>

#include "reduce_arguments.hpp"

namespace bascule::kernels {

reference_value reduce_sum_reference(const float* x, std::uint64_t n) {
  double sum = 0, magnitude = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    sum += double{x[i]};
    magnitude += std::fabs(double{x[i]});
  }
  return {sum, r1_bound(n, magnitude, sum)};
}

std::uint64_t arg_max_reference(const float* x, std::uint64_t n) {
  if (n == 0) return kNoIndex;
  std::uint64_t best = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    if (std::isnan(x[i])) return i;
    if (x[i] > x[best]) best = i;
  }
  return best;
}

float reduce_max_reference(const float* x, std::uint64_t n) {
  return n == 0 ? -std::numeric_limits<float>::infinity() : x[arg_max_reference(x, n)];
}

}  // namespace bascule::kernels
