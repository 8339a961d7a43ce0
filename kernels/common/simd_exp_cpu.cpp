// The vector exponential as a plain function of each level, through which the tests check it over all of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "evaluate_exponential.hpp"
#include "simd_exp.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {

void evaluate_exponential(const float* x, float* y, uint64_t count) {
  for (uint64_t i = 0; i + kLanes <= count; i += kLanes) store(y + i, exponential(load(x + i)));
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE
