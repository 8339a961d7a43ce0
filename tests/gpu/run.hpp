// The data of one run on a machine with a GPU: what was asked, what the machine is, each step with its outcome, and the
// measurements. Everything that the JSON file, the page and the summary say comes from here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/cli/bench/report.hpp"

namespace bascule::gpu_run {

enum class StepKind { machine, doctor, devices, conformance, selftest, bench, peers };

enum class StepState {
  waiting,      // its turn has not come
  running,
  passed,
  wrong,        // it ran, and a result is wrong
  failed,       // an error
  crashed,      // by a signal
  timed_out,    // it took longer than it may
  unavailable,  // what it needs is not here: no device, no library to compare with
  skipped,      // not started: no time left, or what it builds on did not pass
};

struct Step {
  StepKind kind = StepKind::machine;
  std::string name;                  // "selftest sgemm_f32"
  std::string kernel;                // of selftest, bench, peers
  std::vector<std::string> command;  // the program's absolute path first
  double limit = 0;                  // seconds
  bool optional = false;             // what it says is worth having, its failure does not count

  StepState state = StepState::waiting;
  int exit_code = -1;                // -1: it did not exit by itself
  double started = 0, seconds = 0;   // since the run began; how long
  std::string message;               // one line or a few: why, or what was counted
  std::string log;                   // stem of its files in the output directory: LOG.out.txt, LOG.err.txt
  std::string result_file;           // of bench and peers: the report it writes
};

struct Run {
  std::string vendor, backend, selector, driver;  // driver: "" or the library that replaces the vendor's
  std::string started, ended;                     // UTC
  std::string version;
  double time_limit = 0, elapsed = 0;             // seconds
  std::string state = "running";                  // "running", "complete", "out of time", "interrupted", "no device"
  int exit_code = -1;
  bool emulated = false;
  std::string card;                               // "NVIDIA H200, driver 575.57.08, sm_90a"
  std::map<std::string, std::string> machine;
  std::string devices_json, doctor_json;          // as the commands printed them
  std::vector<std::string> notes;                 // what a reader must know
  std::vector<Step> steps;
  cli::Report report;                             // all rows of all bench and peers steps
};

std::string_view name_of(StepKind kind);
std::string_view name_of(StepState state);

// Documented in --help: what the run as a whole comes to.
enum class Verdict : int { passed = 0, failed = 1, usage = 2, no_device = 3, wrong_result = 4, out_of_time = 5, interrupted = 6, no_output = 7 };
Verdict judge(const Run& run);

}  // namespace bascule::gpu_run
