// Float64 references of what GEMM does after the sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace bascule::kernels {

// 0: x, 1: max(x, 0), 2: gelu, 3: silu; a NaN stays one.
double activation_reference(std::uint32_t activation, double x);

// How far a variant's own f32 function may be from it: 2^-20 |x|, 0 for none and relu.
double activation_error(std::uint32_t activation, double x);

}  // namespace bascule::kernels
