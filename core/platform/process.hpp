// Runs another program, with a time limit and bounded output.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

struct ProcessOptions {
  std::string program;                 // absolute path
  std::vector<std::string> arguments;  // without the program's name
  std::chrono::nanoseconds time_limit = std::chrono::seconds(5);
  std::size_t max_output_bytes = 1 << 20;  // kept of each stream; the rest is read and dropped
};

struct ProcessResult {
  enum class End { kExit, kSignal, kTimeLimit };
  End end = End::kExit;
  int code = 0;  // exit code, or signal number
  std::string output;
  std::string errors;  // the last max_output_bytes of stderr: what a crashing program said comes last
};

// Waits for the end. The child has this process's environment, no standard input, and a process group of its own, which
// is killed as a whole when the limit passes. An error only if it cannot be started.
Result<ProcessResult> run_process(const ProcessOptions& options);

// "SIGABRT (Aborted)"
std::string signal_name(int signal_number);

}  // namespace bascule::core
