// The run itself: see runner.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/runner.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bascule/bascule.h"
#include "core/cli/bench/environment.hpp"
#include "core/cli/console.hpp"
#include "core/platform/file.hpp"
#include "tests/gpu/child.hpp"
#include "tests/gpu/plan.hpp"
#include "tests/gpu/present.hpp"
#include "tests/gpu/results.hpp"

namespace bascule::gpu_run {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int) { stop_requested = 1; }

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = request_stop;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    line.erase(0, line.find('=') + 1);
    std::erase(line, '"');
    return line;
  }
  return "unknown";
}

// BASCULE_CUDA_DRIVER: how children are told which library to open.
void name_driver(const std::string& backend, const std::string& driver) {
  if (driver.empty()) return;
  std::string variable = "BASCULE_" + backend + "_DRIVER";
  std::transform(variable.begin(), variable.end(), variable.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  setenv(variable.c_str(), driver.c_str(), 1);
}

}  // namespace

Runner::Runner(const Settings& settings) : settings_(settings), start_(std::chrono::steady_clock::now()) {
  run_.vendor = settings.vendor;
  run_.backend = settings.backend;
  run_.selector = settings.selector;
  run_.driver = settings.driver;
  run_.time_limit = settings.time_limit;
  run_.started = cli::utc_now();
  run_.version = bsc_version();
  std::string command;
  run_.machine = cli::describe_environment(command);
  run_.machine.erase("command");
  run_.machine["distribution"] = distribution();
}

double Runner::elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

bool Runner::prepare_output() {
  std::error_code error;
  for (const char* folder : {"logs", "bench"}) {
    fs::remove_all(fs::path(settings_.out) / folder, error);
    error.clear();
    fs::create_directories(fs::path(settings_.out) / folder, error);
    if (error) {
      std::fprintf(stderr, "bascule-gpu-run: --out %s: %s\n", settings_.out.c_str(), error.message().c_str());
      return false;
    }
  }
  for (const char* file : {"run.json", "report.html", "bench.json"}) fs::remove(fs::path(settings_.out) / file, error);
  return write();
}

bool Runner::write() {
  run_.elapsed = elapsed();
  write_error_.clear();
  const auto put = [&](const char* name, const std::string& text) {
    const core::Status status = core::write_file_atomically(settings_.out + "/" + name, text, 0644);
    if (!status.ok() && write_error_.empty()) write_error_ = status.error().message;
  };
  put("run.json", to_json(run_));
  put("report.html", to_html(run_));
  if (!run_.report.devices.empty()) put("bench.json", cli::to_json(run_.report));
  if (!write_error_.empty()) std::fprintf(stderr, "bascule-gpu-run: results cannot be written: %s\n", write_error_.c_str());
  return write_error_.empty();
}

std::string Runner::why_skip(const Step& step) const {
  for (const Step& other : run_.steps) {
    if (&other == &step) break;
    const bool same_kernel = other.kernel == step.kernel && !step.kernel.empty();
    if (same_kernel && other.kind == StepKind::selftest && other.state != StepState::passed) return "its selftest did not pass";
    if (step.kind == StepKind::peers && other.kind == StepKind::peers && other.state == StepState::unavailable) return "no library to compare with, as said above";
  }
  return {};
}

void Runner::take(Step& step) {
  step.started = elapsed();
  const double limit = limit_of(step, settings_.time_limit - step.started);
  if (const std::string why = why_skip(step); !why.empty() || limit == 0) {
    step.state = StepState::skipped;
    step.message = why.empty() ? "no time left" : why;
    return;
  }
  const bool cut = limit < step.limit;
  step.limit = limit;
  step.state = StepState::running;
  std::fprintf(stderr, "[%5.1f s] %s\n", step.started, step.name.c_str());
  write();
  ChildOptions options;
  options.command = step.command;
  options.output_file = settings_.out + "/" + step.log + ".out.txt";
  options.error_file = settings_.out + "/" + step.log + ".err.txt";
  options.limit = std::chrono::milliseconds(static_cast<long>(limit * 1000));
  const ChildResult child = run_child(options, &stop_requested);
  const std::string output = read_end(options.output_file), errors = read_end(options.error_file, 1u << 16);
  judge_step(step, child, output, errors);
  if (step.state == StepState::timed_out && cut) {
    // It is not the child's fault that little was left.
    step.state = StepState::skipped;
    step.message = "no time left: " + step.message;
  }
  take_results(step, output);
  if (step.state != StepState::passed) {
    std::fprintf(stderr, "          %s %s: %s\n", std::string(name_of(step.state)).c_str(), step.name.c_str(), cli::printable_lines(step.message).c_str());
  }
}

void Runner::take_results(Step& step, const std::string& output) {
  if (step.kind == StepKind::doctor && step.state == StepState::passed) run_.doctor_json = output;
  if (step.kind == StepKind::devices && step.state == StepState::passed && !take_devices(run_, output)) {
    step.state = StepState::failed;
    step.message = "its output names no device; see " + step.log + ".out.txt";
  }
  if (step.kind == StepKind::devices && run_.emulated) {
    run_.notes.push_back("EMULATED: kernels ran on this machine's CPU. Results are what that GPU gives; no time here is a GPU's.");
  }
  if (step.result_file.empty()) return;
  std::string problem;
  const std::string file = settings_.out + "/" + step.result_file;
  std::error_code error;
  const std::size_t before = run_.report.rows.size();
  if (!fs::exists(file, error)) return;
  if (!take_report(run_, file, problem)) {
    if (step.state == StepState::passed) step.state = StepState::failed;
    step.message += (step.message.empty() ? "" : "\n") + problem;
  } else if (step.message.empty()) {
    step.message = std::to_string(run_.report.rows.size() - before) + " new rows";
  }
}

void Runner::skip_rest(const std::string& why) {
  for (Step& step : run_.steps) {
    if (step.state != StepState::waiting) continue;
    step.state = StepState::skipped;
    step.message = why;
  }
}

Verdict Runner::finish(const std::string& state) {
  run_.state = state;
  run_.ended = cli::utc_now();
  Verdict verdict = judge(run_);
  run_.exit_code = static_cast<int>(verdict);
  const bool written = write();
  std::printf("\n%s", to_summary(run_).c_str());
  if (written) {
    std::printf("results: %s/report.html, run.json%s, logs/\n", settings_.out.c_str(), run_.report.devices.empty() ? "" : ", bench.json");
  } else {
    std::printf("RESULTS ARE NOT IN %s (%s): keep what is printed above\n", settings_.out.c_str(), write_error_.c_str());
    verdict = Verdict::no_output;
  }
  return verdict;
}

Verdict Runner::run() {
  run_.steps = plan_steps(settings_, plan_kernels(settings_));
  if (!prepare_output()) return Verdict::no_output;
  catch_signals();
  adopt_orphans();
  name_driver(settings_.backend, settings_.driver);
  for (Step& step : run_.steps) {
    take(step);
    if (stop_requested != 0) {
      skip_rest("interrupted");
      return finish("interrupted");
    }
    if (step.kind == StepKind::devices && step.state != StepState::passed) {
      skip_rest("there is no device to run on");
      return finish("no device");
    }
  }
  const bool late = std::any_of(run_.steps.begin(), run_.steps.end(), [](const Step& step) {
    return step.state == StepState::skipped && step.message.starts_with("no time left");
  });
  return finish(late ? "out of time" : "complete");
}

}  // namespace bascule::gpu_run
