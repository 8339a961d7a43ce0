// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <set>

#include "tests/cpu_levels/fixture.hpp"

TEST_CASE("ordinary code and each x86-64 level call their own copy of an inline function") {
  const std::set<bascule::test::Function> copies = {&bascule::test::sum_of_doubles, sum_of_doubles_x86_64_v2,
                                                    sum_of_doubles_x86_64_v3, sum_of_doubles_x86_64_v4};
  CHECK(copies.size() == 4);
}

TEST_CASE("a level that this machine can run works after the isolation, the others are left alone") {
  CHECK(bascule::test::sum_of_doubles(10) == 30);
  if (__builtin_cpu_supports("sse4.2")) CHECK(sum_of_doubles_x86_64_v2(10) == 30);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) CHECK(sum_of_doubles_x86_64_v3(10) == 30);
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    CHECK(sum_of_doubles_x86_64_v4(10) == 30);
  }
}
