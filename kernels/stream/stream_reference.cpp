// Float64 references of the stream kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_reference.hpp"

#include <cmath>

namespace bascule::kernels {

// One rounding each: half a ulp, which r1_bound gives for a sum of no terms.
reference_value stream_scale_reference(float scalar, float c) {
  const double value = double{scalar} * c;
  return {value, r1_bound(0, 0, value)};
}

reference_value stream_add_reference(float a, float b) {
  const double value = double{a} + b;
  return {value, r1_bound(0, 0, value)};
}

// Two roundings: of the product, and of the sum. A fused implementation is inside the bound too.
reference_value stream_triad_reference(float scalar, float b, float c) {
  const double product = double{scalar} * c;
  return {b + product, r1_bound(1, std::fabs(product), b + product)};
}

reference_value stream_dot_reference(const float* a, const float* b, std::uint64_t n) {
  double sum = 0, magnitude = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double product = double{a[i]} * b[i];
    sum += product;
    magnitude += std::fabs(product);
  }
  return {sum, r1_bound(n, magnitude, sum)};
}

}  // namespace bascule::kernels
