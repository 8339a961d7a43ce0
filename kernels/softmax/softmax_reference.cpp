// Float64 reference of softmax, and the plain f32 implementation that rule R2 measures by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "softmax_reference.hpp"

#include <cmath>
#include <limits>

#include "../common/tolerance.hpp"

namespace bascule::kernels {
namespace {

struct row_facts {
  float largest;
  bool undefined;  // a NaN or +inf: the row is NaN
};

row_facts examine(const float* x, std::uint64_t columns) {
  row_facts facts{-std::numeric_limits<float>::infinity(), false};
  for (std::uint64_t j = 0; j < columns; ++j) {
    if (std::isnan(x[j]) || x[j] == std::numeric_limits<float>::infinity()) facts.undefined = true;
    facts.largest = std::fmax(facts.largest, x[j]);
  }
  return facts;
}

}  // namespace

void softmax_reference_row(const float* x, std::uint64_t columns, double* value, double* allowed) {
  const row_facts facts = examine(x, columns);
  const bool masked = std::isinf(facts.largest) && facts.largest < 0;
  if (facts.undefined || masked) {
    for (std::uint64_t j = 0; j < columns; ++j) {
      value[j] = facts.undefined ? std::numeric_limits<double>::quiet_NaN() : 0.0;
      allowed[j] = 0.0;
    }
    return;
  }
  double sum = 0;
  float plain_sum = 0;
  for (std::uint64_t j = 0; j < columns; ++j) {
    sum += std::exp(double{x[j]} - double{facts.largest});
    plain_sum += std::exp(x[j] - facts.largest);
  }
  double plain_error = 0;  // relative
  for (std::uint64_t j = 0; j < columns; ++j) {
    value[j] = std::exp(double{x[j]} - double{facts.largest}) / sum;
    if (value[j] < kSmallestNormalF32) continue;
    const double plain = double{std::exp(x[j] - facts.largest) / plain_sum};
    plain_error = std::fmax(plain_error, std::fabs(plain - value[j]) / value[j]);
  }
  for (std::uint64_t j = 0; j < columns; ++j)
    allowed[j] = r2_bound(plain_error, kFunctionError) * value[j] + 2 * kSmallestF32;
}

}  // namespace bascule::kernels
