// Float64 reference of SGEMM and the error that rule R1 allows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../common/tolerance.hpp"
#include "sgemm_arguments.hpp"

namespace bascule::kernels {

// Element (row, column) of the result. `x` describes the inputs; x.c holds C as it was before the call.
reference_value sgemm_reference_element(const sgemm_arguments& x, std::uint64_t row, std::uint64_t column);

// The whole result: value[i * n + j] and allowed[i * n + j], m * n elements each. Time m * n * k.
void sgemm_reference(const sgemm_arguments& x, double* value, double* allowed);

}  // namespace bascule::kernels
