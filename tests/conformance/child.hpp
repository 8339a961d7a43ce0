// A child process that runs a function, with what it reports and prints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace bascule::conformance {

class Child {
 public:
  using Clock = std::chrono::steady_clock;

  // Forks; the child writes what `body` returns to a pipe and exits. This process must have one thread only, and must not
  // have opened the plugin: drivers do not survive a fork.
  Child(const std::function<std::string()>& body, double time_limit_seconds);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // Reads what has come, and kills the child when its time is up. True once it has ended.
  bool poll();

  std::string report;          // what `body` returned; empty if it never did
  std::string standard_output;
  std::string standard_error;  // the first part
  std::string end;             // how the process ended if not normally: "killed by signal 11 (Segmentation fault)"
  double seconds = 0;

 private:
  void finish(int status);

  pid_t pid_ = -1;
  int pipes_[3] = {-1, -1, -1};
  bool timed_out_ = false;
  double time_limit_;
  Clock::time_point start_;
};

// Waits until one of the children has something to say, a few milliseconds at most.
void pause_briefly();

}  // namespace bascule::conformance
