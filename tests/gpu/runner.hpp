// Takes the steps of a run one after the other and writes down what has been done after each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>

#include "tests/gpu/run.hpp"
#include "tests/gpu/settings.hpp"

namespace bascule::gpu_run {

class Runner {
 public:
  explicit Runner(const Settings& settings);
  // Everything, with the summary on standard output at the end.
  Verdict run();

 private:
  double elapsed() const;
  bool prepare_output();
  void take(Step& step);
  void take_results(Step& step, const std::string& output);
  std::string why_skip(const Step& step) const;
  void skip_rest(const std::string& why);
  bool write();
  Verdict finish(const std::string& state);

  Settings settings_;
  Run run_;
  std::chrono::steady_clock::time_point start_;
  std::string write_error_;
};

}  // namespace bascule::gpu_run
