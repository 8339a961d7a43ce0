// y = e^x through each level's vector exponential; `count` is a multiple of 16. For tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace bascule::kernels {

namespace x86_64_v2 {
void evaluate_exponential(const float* x, float* y, std::uint64_t count);
}
namespace x86_64_v3 {
void evaluate_exponential(const float* x, float* y, std::uint64_t count);
}
namespace x86_64_v4 {
void evaluate_exponential(const float* x, float* y, std::uint64_t count);
}
namespace x86_64_v4_on_v3 {
void evaluate_exponential(const float* x, float* y, std::uint64_t count);
}

}  // namespace bascule::kernels
