// Float64 reference of RMSNorm, and the plain f32 implementation that rule R2 measures by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rms_norm_reference.hpp"

#include <cmath>

#include "../common/tolerance.hpp"

namespace bascule::kernels {

void rms_norm_reference_row(const float* x, const float* w, std::uint64_t columns, float epsilon, double* value,
                            double* allowed) {
  double sum = 0;
  float plain_sum = 0;
  for (std::uint64_t j = 0; j < columns; ++j) {
    sum += double{x[j]} * x[j];
    plain_sum += x[j] * x[j];
  }
  const double scale = 1.0 / std::sqrt(sum / static_cast<double>(columns) + double{epsilon});
  const float plain_scale = 1.0f / std::sqrt(plain_sum / static_cast<float>(columns) + epsilon);
  double plain_error = 0;  // relative
  for (std::uint64_t j = 0; j < columns; ++j) {
    value[j] = x[j] * scale * w[j];
    if (value[j] == 0) continue;
    const double error = std::fabs((double{x[j] * plain_scale * w[j]} - value[j]) / value[j]);
    if (error > plain_error) plain_error = error;
  }
  for (std::uint64_t j = 0; j < columns; ++j)
    allowed[j] = r2_bound(plain_error, kFunctionError) * std::fabs(value[j]) + kSmallestF32;
}

}  // namespace bascule::kernels
