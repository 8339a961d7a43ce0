// Runs the `bascule` program in a fresh directory, with an environment of the test's own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace bascule::test {

struct Outcome {
  int code = -1;  // exit code; 128 + signal; 999 for a program that had to be killed
  std::string output, errors;
};

class Program {
 public:
  Program();
  // Working directory: directory(). Every BASCULE_* variable is unset but for `variables`.
  Outcome run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& variables = {}) const;
  // The same for another program.
  Outcome run_other(const std::string& path, const std::map<std::string, std::string>& variables) const;
  const TemporaryDirectory& directory() const { return directory_; }

 private:
  Outcome execute(const std::string& path, const std::vector<std::string>& arguments,
                  const std::map<std::string, std::string>& variables) const;

  TemporaryDirectory directory_;
};

// Whether this machine has an OpenCL device; tests that need one say so and stop otherwise.
bool has_opencl(const Program& program);

}  // namespace bascule::test
