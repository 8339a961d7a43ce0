// The control to isolated_test.cpp: the same objects in a plain link. If this fails, the toolchain has changed its ways, and
// isolated_test.cpp proves nothing any more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/cpu_levels/fixture.hpp"

TEST_CASE("in a plain link all x86-64 levels and ordinary code share one copy of an inline function") {
  const bascule::test::Function own = &bascule::test::sum_of_doubles;
  CHECK((sum_of_doubles_x86_64_v2 == own));
  CHECK((sum_of_doubles_x86_64_v3 == own));
  CHECK((sum_of_doubles_x86_64_v4 == own));
}
