// Targets and the command line of the kernel compiler.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/compiler/options.hpp"

#include <doctest/doctest.h>

#include "kernels/compiler/failure.hpp"

using namespace bascule::compiler;

namespace {

std::string targets(const std::vector<std::string>& words) {
  std::string text;
  for (const Target& target : parse_targets(words)) text += (text.empty() ? "" : " ") + target.suffix();
  return text;
}

Options options(std::vector<std::string> words) {
  words.insert(words.begin(), "bascule-kernel-compiler");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return parse_options(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

TEST_CASE("each target is made once, in order") {
  CHECK(targets({"cuda:sm_80", "hip:gfx942,gfx1100", "spirv"}) == "ptx_sm_80 hsaco_gfx942 hsaco_gfx1100 spirv");
  CHECK(targets({"cuda:sm_80,sm_90a", "cuda:sm_80"}) == "ptx_sm_80 ptx_sm_90a");
}

TEST_CASE("cpu is PTX for sm_80 unless there is other PTX anyway") {
  CHECK(targets({"cpu"}) == "ptx_sm_80");
  CHECK(targets({"cpu", "cuda:sm_90"}) == "ptx_sm_90");
  CHECK(targets({"spirv", "cpu"}) == "spirv ptx_sm_80");
}

TEST_CASE("what is no target is refused with the targets there are") {
  for (const char* word : {"cuda", "cuda:", "cuda:gfx942", "cuda:sm_80,", "hip:sm_80", "opencl", "cuda:sm_80;rm"}) {
    CAPTURE(word);
    try {
      parse_targets({word});
      FAIL("not refused");
    } catch (const Failure& failure) {
      CHECK(failure.remedy().find("hip:gfx942") != std::string::npos);
    }
  }
}

TEST_CASE("a command line without a name, a directory, a source or a known option is refused") {
  const auto refused = [](std::vector<std::string> words) {
    try {
      options(std::move(words));
      return false;
    } catch (const Failure&) {
      return true;
    }
  };
  CHECK_FALSE(refused({"--name", "demo", "--directory", "out", "--target", "cpu", "--compiler", "c++", "x.cpp"}));
  CHECK(refused({"--name", "2demo", "--directory", "out", "--target", "cpu", "x.cpp"}));
  CHECK(refused({"--name", "demo", "--target", "cpu", "x.cpp"}));
  CHECK(refused({"--name", "demo", "--directory", "out", "--target", "cpu"}));
  CHECK(refused({"--name", "demo", "--directory", "out", "--compiler", "c++", "x.cpp"}));
  CHECK(refused({"--name", "demo", "--directory", "out", "--target", "cpu", "--fast", "x.cpp"}));
  CHECK(refused({"--name", "demo", "--directory", "out", "x.cpp", "--target"}));
}
