// Float64 reference of softmax over one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace bascule::kernels {

// value[j], j < columns, and the error that rule R2 allows there: twice what a plain f32 implementation gets wrong at
// most in this row, relative to the value, plus kFunctionError.
void softmax_reference_row(const float* x, std::uint64_t columns, double* value, double* allowed);

}  // namespace bascule::kernels
