// The vector exponential of every CPU level at each of the 2^32 f32 values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "exponential_error.hpp"

namespace bascule::kernels {
namespace {

TEST_CASE("the vector exponential is within 1.1 ulp at every f32") {
  for (const auto& level : exponential_levels()) {
    const exponential_error error = measure(level, 0, 1);
    MESSAGE(level.name << ": " << error.worst << " ulp at " << error.where);
    CHECK(error.worst <= 1.1);
    CHECK(error.wrong_special == 0);
  }
}

}  // namespace
}  // namespace bascule::kernels
