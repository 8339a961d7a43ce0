// Float64 references of the stream kernels. Copy is exact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../common/tolerance.hpp"

namespace bascule::kernels {

reference_value stream_scale_reference(float scalar, float c);
reference_value stream_add_reference(float a, float b);
reference_value stream_triad_reference(float scalar, float b, float c);
reference_value stream_dot_reference(const float* a, const float* b, std::uint64_t n);

}  // namespace bascule::kernels
