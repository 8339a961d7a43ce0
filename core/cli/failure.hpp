// How the `bascule` program ends: documented exit codes, and the exception that carries a failure to main.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace bascule::cli {

// The same for every command; printed by `bascule --help`.
enum class ExitCode : int {
  kSuccess = 0,
  kFailed = 1,       // the work itself failed: a kernel, a driver, a file
  kUsage = 2,        // wrong options, configuration, arguments or input files
  kUnavailable = 3,  // a required backend or device is not usable here
  kWrongResult = 4,  // it ran, and the result is wrong (selftest, bench, conform, check)
  kDifferent = 5,    // compare: the files cannot be compared
  kUnverified = 6,   // check: nothing failed, but some image had nothing to be compared with, or none could be run
};

// Thrown by commands, caught by main only.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message, std::string remedy = {})
      : std::runtime_error(message), code_(code), remedy_(std::move(remedy)) {}

  ExitCode code() const { return code_; }
  const std::string& remedy() const { return remedy_; }

 private:
  ExitCode code_;
  std::string remedy_;
};

}  // namespace bascule::cli
