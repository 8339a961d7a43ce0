// The same program binary on every backend, moved by configuration alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "program.hpp"

using namespace bascule::test;

namespace {

void check_ran_on(const Outcome& outcome, const std::string& backend) {
  CAPTURE(backend);
  CAPTURE(outcome.output);
  CAPTURE(outcome.errors);
  CHECK(outcome.code == 0);
  CHECK(outcome.output.find("selection: " + backend + ":0") != std::string::npos);
  CHECK(outcome.output.find(backend == "null" ? "NOT CHECKED" : "correct") != std::string::npos);
}

std::vector<std::string> backends_here() {
  const Program program;
  return has_opencl(program) ? std::vector<std::string>{"cpu", "opencl", "null"} : std::vector<std::string>{"cpu", "null"};
}

}  // namespace

TEST_CASE("one program moves between cpu, opencl and null by the file that BASCULE_CONFIG names") {
  for (const std::string& backend : backends_here()) {
    const Program program;
    const std::string file = program.directory().write("chosen.toml", "backends = [\"" + backend + "\"]\n");
    check_ran_on(program.run_other(BASCULE_EXAMPLE, {{"BASCULE_CONFIG", file}}), backend);
  }
}

TEST_CASE("one program moves between cpu, opencl and null by the user's file") {
  for (const std::string& backend : backends_here()) {
    const Program program;
    program.directory().write(".config/bascule/bascule.toml", "backends = [\"" + backend + "\"]\n");
    check_ran_on(program.run_other(BASCULE_EXAMPLE, {}), backend);
  }
}

TEST_CASE("one program moves between cpu, opencl and null by BASCULE_BACKENDS") {
  for (const std::string& backend : backends_here()) {
    const Program program;
    check_ran_on(program.run_other(BASCULE_EXAMPLE, {{"BASCULE_BACKENDS", backend}}), backend);
  }
}

TEST_CASE("a library never reads ./bascule.toml") {
  const Program program;
  program.directory().write("bascule.toml", "backends = [\"null\"]\n");
  check_ran_on(program.run_other(BASCULE_EXAMPLE, {}), "cpu");
}

TEST_CASE("an unusable choice ends the program with the reason, and never runs elsewhere") {
  const Program program;
  const Outcome outcome = program.run_other(BASCULE_EXAMPLE, {{"BASCULE_BACKENDS", "level_zero"}});
  CHECK(outcome.code != 0);
  CHECK(outcome.output.find("correct") == std::string::npos);
  CHECK(outcome.errors.find("PLUGIN_MISSING") != std::string::npos);
}
