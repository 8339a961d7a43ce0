// Compiled once per x86-64 level, each offering the address of its copy of the inline function (as a constant: reading it
// executes no code of the level).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/cpu_levels/fixture.hpp"

extern "C" {
#if BASCULE_CPU_LEVEL == 2
constinit const bascule::test::Function sum_of_doubles_x86_64_v2 = &bascule::test::sum_of_doubles;
#elif BASCULE_CPU_LEVEL == 3
constinit const bascule::test::Function sum_of_doubles_x86_64_v3 = &bascule::test::sum_of_doubles;
#else
constinit const bascule::test::Function sum_of_doubles_x86_64_v4 = &bascule::test::sum_of_doubles;
#endif
}
