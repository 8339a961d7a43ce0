// ptx check, and what cannot be emulated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "program.hpp"

using namespace bascule::test;

TEST_CASE("ptx check of a text with an error prints its place in the file, and nothing about kernels") {
  const Program program;
  program.directory().write("bad.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { fma.xx.f32 %f1, %f1, %f1, %f1; }\n");
  for (const char* file : {"bad.ptx", "text.ptx"}) {
    program.directory().write("text.ptx", "no PTX\n");
    const Outcome outcome = program.run({"ptx", "check", file});
    CAPTURE(outcome.output);
    CAPTURE(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(outcome.output.starts_with(std::string(file) + ":"));
    CHECK(outcome.output.find("0 kernels") == std::string::npos);
  }
}

TEST_CASE("run names the file of an image that does not load, with the line") {
  const Program program;
  program.directory().write("bad.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { fma.xx.f32 %f1, %f1, %f1, %f1; }\n");
  const Outcome outcome = program.run({"run", "bad.ptx", "--backend", "cpu", "--grid", "1", "--block", "1"});
  CHECK(outcome.code == 2);
  CHECK(outcome.errors.find("\nbad.ptx:4:") != std::string::npos);
}

TEST_CASE("emulate refuses a GPU that nothing describes with the names there are, and does not start the program") {
  const Program program;
  for (const char* gpu : {"sm_81", "./absent.toml"}) {
    const Outcome outcome = program.run({"emulate", "cuda", "--gpu", gpu, "--", "/bin/echo", "started"});
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find(gpu) != std::string::npos);
    CHECK(outcome.errors.find("sm_80") != std::string::npos);
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("explain on an emulated GPU says so") {
  const Program program;
  if (program.run({"devices", "-d", "emulated:sm_80"}).code != 0) return;
  CHECK(program.run({"explain", "arg_max_f32", "-d", "emulated:sm_80"}).output.find("(sm_80, EMULATED)") != std::string::npos);
}

TEST_CASE("an emulated GPU that no plugin offers is refused with the ones there are, a backend that is not listed too") {
  const Program program;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"devices", "-d", "emulated:sm_81"}, {"devices", "-b", "cpu", "-d", "emulated:sm_80"}}) {
    const Outcome outcome = program.run(words);
    CAPTURE(outcome.errors);
    CHECK(outcome.code == 2);
    CHECK(outcome.errors.find("emulated:sm_80 of cuda") != std::string::npos);
  }
}
