// One program binary on an emulated NVIDIA GPU, on a driver of AMD's that computes nothing, and on the cpu: one line of
// configuration moves it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "tests/cli/program.hpp"

using namespace bascule::test;

namespace {

Outcome run_on(const std::string& device) {
  const Program program;
  const std::string file = program.directory().write("bascule.toml", "device = \"" + device + "\"\n"
                                                                     "backends = [\"cuda\", \"hip\", \"cpu\"]\n"
                                                                     "backend.hip.driver = \"" BASCULE_STANDIN_HIP "\"\n");
  return program.run_other(BASCULE_EXAMPLE, {{"BASCULE_CONFIG", file}});
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the line `device` moves a program to an emulated GPU, which says what it is and computes") {
  const Outcome outcome = run_on("emulated:sm_80");
  CAPTURE(outcome.errors);
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.output, "selection: cuda:0 Bascule emulated sm_80"));
  CHECK(contains(outcome.output, "variant:   ptx_sm_80"));
  CHECK(contains(outcome.output, "result:    correct"));
}

TEST_CASE("the line `device` moves it to a driver that computes nothing, which refuses the launch and says why") {
  const Outcome outcome = run_on("hip:0");
  CAPTURE(outcome.output);
  CAPTURE(outcome.errors);
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.output, "selection: hip:0 Stand-in GPU (computes nothing)"));
  CHECK_FALSE(contains(outcome.output, "correct"));
  CHECK(contains(outcome.errors, "computes nothing"));
}

TEST_CASE("the line `device` moves it to the cpu, where the same PTX runs") {
  const Outcome outcome = run_on("cpu:0");
  CAPTURE(outcome.errors);
  CHECK(outcome.code == 0);
  CHECK(contains(outcome.output, "selection: cpu:0"));
  CHECK(contains(outcome.output, "variant:   ptx_sm_80"));
  CHECK(contains(outcome.output, "result:    correct"));
}

TEST_CASE("an emulated GPU is never taken unasked, nor where its backend is not listed") {
  const Program program;
  const Outcome listed = program.run_other(BASCULE_EXAMPLE, {{"BASCULE_BACKENDS", "cuda"}});
  CHECK(listed.code == 1);
  CHECK(contains(listed.errors, "DRIVER_MISSING"));
  const Outcome other = program.run_other(BASCULE_EXAMPLE, {{"BASCULE_BACKENDS", "cpu"}, {"BASCULE_DEVICE", "emulated:sm_80"}});
  CHECK(other.code == 1);
  CHECK_FALSE(contains(other.output, "correct"));
}
