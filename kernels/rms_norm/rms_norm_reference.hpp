// Float64 reference of RMSNorm over one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace bascule::kernels {

// value[j], j < columns, and the error that rule R2 allows there: twice what a plain f32 implementation gets wrong at
// most in this row, relative to the value (its sum is common to the row), plus kFunctionError.
void rms_norm_reference_row(const float* x, const float* w, std::uint64_t columns, float epsilon, double* value,
                            double* allowed);

}  // namespace bascule::kernels
