// The approximate functions on all values of f32, at each level.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/mathematics_fixture.hpp"

namespace bascule::simt::float_test {

TEST_CASE("approximate functions of f32 are inside the ISA's bounds on all values") {
  at_each_level([](const Level& level) {
    for (const Approximation& approximation : kApproximations) {
      const Worst worst = worst_of(level, approximation, 0, 1);
      CAPTURE(ptx::name_of(approximation.operation));
      MESSAGE(level.name << " " << ptx::name_of(approximation.operation) << ": " << worst.share << " of the bound, at " << worst.at);
      CHECK(worst.share <= 1);
    }
  });
}

}  // namespace bascule::simt::float_test
