// Float64 references of the reductions. Maximum and index are exact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../common/tolerance.hpp"

namespace bascule::kernels {

reference_value reduce_sum_reference(const float* x, std::uint64_t n);

// -inf for n = 0; NaN if there is one.
float reduce_max_reference(const float* x, std::uint64_t n);

// Lowest index of the maximum, or of a NaN; kNoIndex for n = 0.
std::uint64_t arg_max_reference(const float* x, std::uint64_t n);

}  // namespace bascule::kernels
