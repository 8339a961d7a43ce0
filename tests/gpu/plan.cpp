// The plan of a run: see plan.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/gpu/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <tuple>

#include "core/cli/case_library.hpp"

namespace bascule::gpu_run {
namespace {

constexpr const char* kSelftest = "selftest";
constexpr const char* kLevels[] = {"core", "async", "graph", "peer"};
// In this order: what was made for the kernel before what there is for each.
constexpr const char* kSuites[] = {"stream", "llm", "quick"};
// What the vendors' BLAS libraries have an equal of.
constexpr const char* kWithPeer[] = {"sgemm_f32", "gemm_bf16", "gemm_f16"};

// The most that a healthy machine needs, several times over; a hang must not eat the others' time.
constexpr double kMachineLimit = 15, kLookLimit = 30, kConformanceLimit = 60, kSelftestLimit = 60, kBenchLimit = 90, kPeersLimit = 90;
constexpr double kLeastUseful = 0.5;  // seconds; below, starting a child only makes a failure that says nothing

double cost_of(const bsc_case& description) { return std::max(description.bytes, description.operations); }

class StepList {
 public:
  explicit StepList(const Settings& settings) : settings_(settings), bascule_(settings.prefix + "/bin/bascule") {}

  void add(StepKind kind, const std::string& kernel, std::vector<std::string> command, double limit, bool optional = false) {
    Step step;
    step.kind = kind;
    step.kernel = kernel;
    step.name = std::string(name_of(kind)) + (kernel.empty() ? "" : " " + kernel);
    step.command = std::move(command);
    step.limit = settings_.child_limit > 0 ? std::min(limit, settings_.child_limit) : limit;
    step.optional = optional;
    char number[16];
    std::snprintf(number, sizeof number, "%02zu-", steps_.size());
    step.log = "logs/" + std::string(number) + step.name;
    std::replace(step.log.begin(), step.log.end(), ' ', '-');
    steps_.push_back(std::move(step));
  }

  // A command of bascule on the chosen device.
  std::vector<std::string> on_device(const std::string& command) const {
    return {bascule_, command, "--backend", settings_.backend, "--device", settings_.selector};
  }

  void add_identification() {
    if (settings_.vendor == "nvidia" && settings_.driver.empty()) add(StepKind::machine, "nvidia-smi", {"/usr/bin/env", "nvidia-smi", "-q"}, kMachineLimit, true);
    if (settings_.vendor == "amd" && settings_.driver.empty()) add(StepKind::machine, "rocm-smi", {"/usr/bin/env", "rocm-smi", "--showallinfo"}, kMachineLimit, true);
    add(StepKind::doctor, "", {bascule_, "doctor", "--json"}, kLookLimit);
    std::vector<std::string> devices = on_device("devices");
    devices.push_back("--json");
    add(StepKind::devices, "", devices, kLookLimit);
  }

  void add_conformance() {
    for (const char* level : kLevels) {
      std::vector<std::string> command = {bascule_, "conform", settings_.backend, "--json", "--", "--level", level, "--timeout", "20"};
      if (!settings_.driver.empty()) command.insert(command.end(), {"--driver", settings_.driver});
      add(StepKind::conformance, level, command, kConformanceLimit);
      steps_.back().kernel.clear();
    }
  }

  void add_kernel(const PlannedKernel& kernel) {
    std::vector<std::string> selftest = on_device("selftest");
    selftest.insert(selftest.end(), {"--kernel", kernel.name, "--json"});
    add(StepKind::selftest, kernel.name, selftest, kSelftestLimit);
    if (!settings_.bench || kernel.suite.empty()) return;
    const std::string time = std::to_string(settings_.bench_time), least = std::to_string(settings_.bench_time / 4);
    const std::vector<std::string> common = {"--suite", kernel.suite, "--kernel", kernel.name, "--max-time", time, "--min-time", least, "--json"};
    std::vector<std::string> bench = on_device("bench");
    bench.insert(bench.end(), common.begin(), common.end());
    add_measurement(StepKind::bench, kernel.name, bench, kBenchLimit, false);
    if (!settings_.peers || !kernel.has_peer || settings_.backend == "cpu") return;
    std::vector<std::string> peers = on_device("bench");
    peers[0] = settings_.prefix + "/libexec/bascule/bascule-gpu-peers-" + settings_.backend;
    peers.erase(peers.begin() + 1);
    if (!settings_.driver.empty()) peers.insert(peers.end(), {"--driver", settings_.driver});
    if (!settings_.peer_directory.empty()) peers.insert(peers.end(), {"--directory", settings_.peer_directory});
    peers.insert(peers.end(), common.begin(), common.end());
    add_measurement(StepKind::peers, kernel.name, peers, kPeersLimit, true);
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  void add_measurement(StepKind kind, const std::string& kernel, std::vector<std::string> command, double limit, bool optional) {
    const std::string file = "bench/" + std::string(name_of(kind)) + "-" + kernel + ".json";
    command.push_back(settings_.out + "/" + file);
    add(kind, kernel, std::move(command), limit, optional);
    steps_.back().result_file = file;
  }

  const Settings& settings_;
  std::string bascule_;
  std::vector<Step> steps_;
};

// Kernels with the costs of their cases in a suite.
std::map<std::string, double> costs_in(const cli::CaseLibrary& library, const std::string& suite) {
  std::map<std::string, double> costs;
  for (const bsc_case* description : library.cases(suite, UINT64_MAX, 0)) costs[description->kernel] += cost_of(*description);
  return costs;
}

}  // namespace

std::vector<PlannedKernel> plan_kernels(const Settings& settings) {
  const cli::CaseLibrary library(settings.prefix + "/lib/libbascule_kernels.so.0");
  std::vector<std::string> suites(std::begin(kSuites), std::end(kSuites));
  if (settings.suite != "auto") suites = {settings.suite};
  std::vector<PlannedKernel> kernels;
  for (const auto& [name, cost] : costs_in(library, kSelftest)) kernels.push_back({name, "", cost, false});
  for (const std::string& suite : suites) {
    const std::map<std::string, double> costs = costs_in(library, suite);
    for (PlannedKernel& kernel : kernels) {
      const auto found = costs.find(kernel.name);
      if (!kernel.suite.empty() || found == costs.end()) continue;
      kernel.suite = suite;
      kernel.cost += found->second;
    }
  }
  for (PlannedKernel& kernel : kernels) kernel.has_peer = std::find(std::begin(kWithPeer), std::end(kWithPeer), kernel.name) != std::end(kWithPeer);
  std::sort(kernels.begin(), kernels.end(),
            [](const PlannedKernel& a, const PlannedKernel& b) { return std::tie(a.cost, a.name) < std::tie(b.cost, b.name); });
  if (settings.kernels.empty()) return kernels;

  std::vector<PlannedKernel> chosen;
  std::string names;
  for (const PlannedKernel& kernel : kernels) names += (names.empty() ? "" : ", ") + kernel.name;
  for (const std::string& name : settings.kernels) {
    const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const PlannedKernel& kernel) { return kernel.name == name; });
    if (found == kernels.end()) throw UsageError("--kernel " + name + ": the kernels are " + names);
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<Step> plan_steps(const Settings& settings, const std::vector<PlannedKernel>& kernels) {
  StepList list(settings);
  list.add_identification();
  if (settings.conformance) list.add_conformance();
  for (const PlannedKernel& kernel : kernels) list.add_kernel(kernel);
  return list.take();
}

double limit_of(const Step& step, double seconds_left) { return seconds_left < kLeastUseful ? 0 : std::min(step.limit, seconds_left); }

}  // namespace bascule::gpu_run
