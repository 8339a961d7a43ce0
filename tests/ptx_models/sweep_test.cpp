// Every instruction that has a scalar meaning, with all its types, roundings and modifiers, against its host model. One case
// per chapter, run by one ctest each; every x86-64 level that the machine has.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/sweep.hpp"

#include <doctest/doctest.h>

#include "tests/ptx_models/engine.hpp"

namespace bascule::ptx_models {
namespace {

void sweep_all_levels(const Forms& forms) {
  REQUIRE(!forms.empty());
  for (const std::uint32_t level : cpu_levels()) {
    const SweepReport report = sweep(forms, level);
    CHECK_MESSAGE(report.failures.empty(), "x86-64-v" << level << ": " << report.summary());
  }
}

}  // namespace

TEST_CASE("chapter integer: integer arithmetic agrees with its models") { sweep_all_levels(integer_forms()); }
TEST_CASE("chapter extended: extended precision agrees with its models") { sweep_all_levels(extended_forms()); }
TEST_CASE("chapter bit: fields, counts and permutations agree with their models") { sweep_all_levels(bit_forms()); }
TEST_CASE("chapter logic: logic and shifts agree with their models") { sweep_all_levels(logic_forms()); }
TEST_CASE("chapter comparison: comparison and selection agree with their models") { sweep_all_levels(comparison_forms()); }
TEST_CASE("chapter float: f32 and f64 arithmetic agrees with its models bit for bit") { sweep_all_levels(float_forms()); }
TEST_CASE("chapter half: f16 and bf16 arithmetic agrees with its models bit for bit") { sweep_all_levels(half_forms()); }
TEST_CASE("chapter convert: conversions agree with their models bit for bit") { sweep_all_levels(convert_forms()); }
TEST_CASE("chapter narrow: packed and small formats agree with their models bit for bit") { sweep_all_levels(narrow_forms()); }
TEST_CASE("chapter approximate: approximations keep their bounds and special values") { sweep_all_levels(approximate_forms()); }
TEST_CASE("chapter dot: dot products agree with their models") { sweep_all_levels(dot_forms()); }
TEST_CASE("chapter move: moves, packing and unpacking agree with their models") { sweep_all_levels(move_forms()); }
TEST_CASE("chapter memory: loads and stores agree with their models") { sweep_all_levels(memory_forms()); }
TEST_CASE("chapter atomic: what atom and red compute agrees with its models") { sweep_all_levels(atomic_forms()); }

}  // namespace bascule::ptx_models
