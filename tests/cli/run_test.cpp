// `bascule run`: a raw OpenCL C image with every kind of argument, and what it says of wrong ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"

using namespace bascule::test;

namespace {

const std::string kImage = std::string(BASCULE_CLI_TESTDATA) + "/axpb.cl";

std::vector<std::string> axpb(std::vector<std::string> rest) {
  std::vector<std::string> words = {"run", kImage + ":axpb", "--backend", "opencl"};
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

}  // namespace

TEST_CASE("an OpenCL C kernel runs on values, literals and .npy files, and prints or writes its outputs") {
  const Program program;
  if (!has_opencl(program)) {
    MESSAGE("no OpenCL device here: not tested");
    return;
  }
  const Outcome printed = program.run(axpb({"--grid", "1", "--block", "4", "f32:2", "f32:0.5", "in:f32:=1,2,3,4", "out:f32:4:-", "u64:4"}));
  CAPTURE(printed.errors);
  REQUIRE(printed.code == 0);
  CHECK(printed.output == "[3] f32 x 4: 2.5 4.5 6.5 8.5\n");

  // y.npy becomes the next run's input, from element 1 on.
  REQUIRE(program.run(axpb({"--grid", "1", "--block", "4", "f32:2", "f32:0.5", "in:f32:=1,2,3,4", "out:f32:4:y.npy", "u64:4"})).code == 0);
  const Outcome again = program.run(axpb({"--json", "--grid", "1", "--block", "1", "f32:1", "f32:0", "in:f32:y.npy", "out:f32:2:-", "u64:2", "--fill", "zero"}));
  REQUIRE(again.code == 0);
  CHECK(nlohmann::json::parse(again.output).at("outputs").at(0).at("values") == nlohmann::json({2.5, 0.0}));
}

TEST_CASE("outputs hold the fill where the kernel does not write") {
  const Program program;
  if (!has_opencl(program)) return;
  const Outcome nan = program.run(axpb({"--fill", "nan", "--grid", "1", "--block", "2", "f32:1", "f32:0", "in:f32:=1,2", "out:f32:3:-", "u64:2"}));
  CHECK(nan.output.find("1 2 -nan") != std::string::npos);
  const Outcome byte = program.run({"run", kImage + ":count", "--backend", "opencl", "--fill", "0x11", "--grid", "1", "--block", "1", "out:i32:2:-"});
  CHECK(byte.output.find("0 286331153") != std::string::npos);
}

TEST_CASE("an empty grid succeeds and runs nothing") {
  const Program program;
  if (!has_opencl(program)) return;
  const Outcome outcome = program.run(axpb({"--grid", "0", "--block", "64", "f32:1", "f32:0", "in:f32:=1", "out:f32:1:-", "u64:1"}));
  CAPTURE(outcome.errors);
  CHECK(outcome.code == 0);
  CHECK(outcome.output == "[3] f32 x 1: 0\n");
}

TEST_CASE("what is wrong with a run is named, with a remedy, and exits non-zero") {
  const Program program;
  if (!has_opencl(program)) return;
  const std::vector<std::string> good = {"f32:1", "f32:0", "in:f32:=1", "out:f32:1:-", "u64:1"};
  const auto with = [&](std::vector<std::string> front, const std::vector<std::string>& arguments) {
    front.insert(front.end(), arguments.begin(), arguments.end());
    return axpb(front);
  };
  const std::vector<std::vector<std::string>> wrong = {
      {"run", "/no/such.cl", "--backend", "opencl", "--grid", "1", "--block", "1"},
      {"run", BASCULE_CLI_TESTDATA, "--backend", "opencl", "--grid", "1", "--block", "1"},
      {"run", kImage, "--backend", "opencl", "--grid", "1", "--block", "1"},                // two kernels: which?
      {"run", kImage + ":axbp", "--backend", "opencl", "--grid", "1", "--block", "1"},
      {"run", std::string(BASCULE_CLI_TESTDATA) + "/broken.cl", "--backend", "opencl", "--grid", "1", "--block", "1", "out:f32:1:-"},
      {"run", kImage + ":axpb", "--backend", "cpu", "--grid", "1", "--block", "1"},         // the cpu takes no OpenCL C
      {"run", kImage + ":axpb", "--backend", "nope", "--grid", "1", "--block", "1"},
      with({"--grid", "x", "--block", "1"}, good),
      with({"--grid", "1", "--block", "1,2,3,4"}, good),
      with({"--grid", "1", "--block", "1000000"}, good),                                    // beyond the device's block
      with({"--grid", "1", "--block", "1", "--fill", "ones"}, good),
      with({"--grid", "1", "--block", "1"}, {"f32:1"}),                                     // too few
      with({"--grid", "1", "--block", "1"}, {"f64:1", "f32:0", "in:f32:=1", "out:f32:1:-", "u64:1"}),  // wrong size
      with({"--grid", "1", "--block", "1"}, {"f32:1", "f32:0", "in:f32:=1", "out:f32:4611686018427387904:-", "u64:1"}),
      with({"--grid", "1", "--block", "1"}, {"f32:1", "f32:0", "in:f32:=1", "out:f32:1:/no/such/dir/y.npy", "u64:1"}),
  };
  for (const auto& words : wrong) {
    const Outcome outcome = program.run(words);
    CAPTURE(words.back());
    CAPTURE(outcome.errors);
    CHECK(outcome.code >= 1);
    CHECK(outcome.code <= 3);
    CHECK(outcome.errors.find("bascule: ") != std::string::npos);
    CHECK(outcome.errors.find("remedy: ") != std::string::npos);
  }
}

TEST_CASE("a failed build shows the compiler's log") {
  const Program program;
  if (!has_opencl(program)) return;
  const Outcome outcome =
      program.run({"run", std::string(BASCULE_CLI_TESTDATA) + "/broken.cl", "--backend", "opencl", "--grid", "1", "--block", "1", "out:f32:1:-"});
  CHECK(outcome.code == 2);
  CHECK(outcome.errors.find("undeclared_name") != std::string::npos);
}
