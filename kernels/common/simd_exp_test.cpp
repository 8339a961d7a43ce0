// The vector exponential of every CPU level, sampled over all of f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "exponential_error.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

TEST_CASE("the vector exponential is within 1.1 ulp, and right for NaN, infinities, overflow and underflow") {
  for (const auto& level : exponential_levels()) {
    const exponential_error error = measure(level, test::seed() % 1009, 1009);
    INFO(level.name, ": ", error.worst, " ulp at ", error.where);
    CHECK(error.worst <= 1.1);
    CHECK(error.wrong_special == 0);
    float x[16] = {0.0f, -0.0f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}, y[16];
    level.evaluate(x, y, 16);
    CHECK(y[0] == 1.0f);
    CHECK(y[1] == 1.0f);
    CHECK(y[2] == std::numeric_limits<float>::infinity());
    CHECK(y[3] == 0.0f);
  }
}

}  // namespace
}  // namespace bascule::kernels
