// Names, and what a run as a whole comes to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/run.hpp"

#include <algorithm>

namespace bascule::gpu_run {

std::string_view name_of(StepKind kind) {
  switch (kind) {
    case StepKind::machine: return "machine";
    case StepKind::doctor: return "doctor";
    case StepKind::devices: return "devices";
    case StepKind::conformance: return "conformance";
    case StepKind::selftest: return "selftest";
    case StepKind::bench: return "bench";
    case StepKind::peers: return "peers";
  }
  return "";
}

std::string_view name_of(StepState state) {
  switch (state) {
    case StepState::waiting: return "waiting";
    case StepState::running: return "running";
    case StepState::passed: return "passed";
    case StepState::wrong: return "WRONG";
    case StepState::failed: return "FAILED";
    case StepState::crashed: return "CRASHED";
    case StepState::timed_out: return "TIMED OUT";
    case StepState::unavailable: return "not available";
    case StepState::skipped: return "skipped";
  }
  return "";
}

Verdict judge(const Run& run) {
  const auto any = [&](StepState state) {
    return std::any_of(run.steps.begin(), run.steps.end(), [state](const Step& step) { return !step.optional && step.state == state; });
  };
  if (any(StepState::wrong)) return Verdict::wrong_result;
  if (any(StepState::crashed) || any(StepState::timed_out)) return Verdict::failed;
  if (run.state == "no device") return Verdict::no_device;
  if (any(StepState::failed)) return Verdict::failed;
  if (run.state == "interrupted") return Verdict::interrupted;
  if (run.state == "out of time") return Verdict::out_of_time;
  // A kernel that has no variant for this device is no failure; a run that checked nothing is.
  const bool checked = std::any_of(run.steps.begin(), run.steps.end(),
                                   [](const Step& step) { return step.kind == StepKind::selftest && step.state == StepState::passed; });
  return checked ? Verdict::passed : Verdict::failed;
}

}  // namespace bascule::gpu_run
