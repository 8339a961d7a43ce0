// One child process of a run: its output goes straight to files, so that it outlives whatever happens to the child or to us.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace bascule::gpu_run {

struct ChildOptions {
  std::vector<std::string> command;  // the program's absolute path first
  std::string output_file, error_file;
  std::chrono::milliseconds limit{0};
};

enum class ChildEnd { exited, signalled, timed_out, interrupted, not_started };

struct ChildResult {
  ChildEnd end = ChildEnd::not_started;
  int code = 0;          // exit code, or the signal's number
  double seconds = 0;
  std::string message;   // of not_started: why; else "" or that it could not be killed
};

// Runs it to its end, to the limit, or until *stop is set. Past either, the child, its process group and whatever it started
// are killed. It dies with this process.
ChildResult run_child(const ChildOptions& options, const volatile std::sig_atomic_t* stop = nullptr);

// Processes that lost their parent become ours, so that run_child can end a child's children too. Once per process.
void adopt_orphans();

}  // namespace bascule::gpu_run
