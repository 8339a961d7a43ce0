// The suite's own parts: lists, the capability page, and that the table of faults is complete.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "backends/null/fault.hpp"
#include "tests/conformance/capabilities.hpp"
#include "tests/conformance/case.hpp"
#include "tests/conformance/check.hpp"
#include "tests/conformance/expectations.hpp"
#include "tests/conformance/faults.hpp"

namespace bascule::conformance {

TEST_CASE("every fault that the null plugin can plant stands once in the table, with an existing case") {
  std::string problem;
  const auto faults = read_faults(BASCULE_FAULT_TABLE, problem);
  CHECK(problem == "");
  std::set<std::string> names;
  for (const PlantedFault& fault : faults) CHECK_MESSAGE(names.insert(fault.fault).second, fault.fault);
  const std::set<std::string> planted = {
#define BSC_NULL_NAME(name) #name,
      BSC_NULL_FAULTS(BSC_NULL_NAME)
#undef BSC_NULL_NAME
  };
  for (const std::string& name : planted) CHECK_MESSAGE(names.contains(name), name << " is not in the table");
  for (const std::string& name : names) CHECK_MESSAGE(planted.contains(name), name << " is no fault of the null plugin");
  CHECK(planted.size() >= 40);
}

TEST_CASE("case names are unique and of the form entry.rule") {
  std::set<std::string> names;
  for (const Case& item : all_cases()) {
    CHECK_MESSAGE(names.insert(item.name).second, item.name);
    CHECK(item.name.find('.') != std::string::npos);
    CHECK(find_case(item.name) == &item);
  }
  CHECK(find_case("no.such_case") == nullptr);
}

TEST_CASE("a list of expectations must name existing cases, each once, and count its skips") {
  const std::string name = all_cases().front().name;
  const auto problem_of = [](const std::string& text) {
    std::string problem;
    Expectations::parse(text, problem);
    return problem;
  };
  CHECK(problem_of("# nothing\nskips 0\n") == "");
  CHECK(problem_of("skips 1\nskip " + name + " why not\n") == "");
  CHECK(problem_of("skips 0\nfail " + name + " a known fault\n") == "");
  CHECK(problem_of("skip " + name + "\n") != "");
  CHECK(problem_of("skips 2\nskip " + name + "\n") != "");
  CHECK(problem_of("skips 2\nskip " + name + "\nskip " + name + "\n") != "");
  CHECK(problem_of("skips 1\nskip no.such_case\n") != "");
  CHECK(problem_of("skips 0\nignore " + name + "\n") != "");

  std::string problem;
  const Expectations skips = Expectations::parse("skips 1\nskip " + name + "\n", problem);
  CHECK(skips.allows(name, Outcome::skipped));
  CHECK(!skips.allows(name, Outcome::passed));
  CHECK(!skips.allows(name, Outcome::failed));
  CHECK(skips.allows("another", Outcome::passed));
  CHECK(!skips.allows("another", Outcome::skipped));
  const Expectations fails = Expectations::parse("skips 0\nfail " + name + "\n", problem);
  CHECK(fails.allows(name, Outcome::failed));
  CHECK(!fails.allows(name, Outcome::passed));
  const Expectations either = Expectations::parse("skips 0\neither " + name + "\n", problem);
  CHECK(either.allows(name, Outcome::skipped));
  CHECK(either.allows(name, Outcome::passed));
  CHECK(!either.allows(name, Outcome::failed));
}

TEST_CASE("capabilities are read from the tables of their page") {
  const auto list = parse_capabilities("| name | unit | meaning |\n|---|---|---|\n| `fp64` | — | yes |\n| `room` | bytes | x |\n");
  REQUIRE(list.size() == 2);
  CHECK(list[0].name == "fp64");
  CHECK(list[0].unit == "");
  CHECK(list[1].unit == "bytes");
  REQUIRE(find_capability("local_memory") != nullptr);
  CHECK(find_capability("local_memory")->unit == "bytes");
  CHECK(find_capability("warp_drive") == nullptr);
}

TEST_CASE("an error struct that was written to on success is noticed, as is one that was not filled on failure") {
  Error error;
  CHECK(error.untouched());
  CHECK_NOTHROW(expect_ok(BSC_OK, error, "call"));
  CHECK_THROWS_AS(expect_refused(BSC_INTERNAL, error, {BSC_INTERNAL}, "call"), CaseFailed);
  error.get()->code = BSC_OK;
  CHECK(!error.untouched());
  CHECK_THROWS_AS(expect_ok(BSC_OK, error, "call"), CaseFailed);
}

TEST_CASE("a write beyond the size that was given is noticed") {
  Guarded<bsc_plugin_times> times(BSC_STRUCT_TIMES, 24);
  times.get()->submitted = 1;
  CHECK(times.guard_intact());
  times.get()->started = 1;
  CHECK(!times.guard_intact());
}

}  // namespace bascule::conformance
