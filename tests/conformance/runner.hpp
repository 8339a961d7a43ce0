// Running cases, each in a process of its own with a time limit: a crash, a hang, output or a leak is that case's failure
// and nobody else's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/conformance/case.hpp"
#include "tests/conformance/plugin_library.hpp"

namespace bascule::conformance {

enum class Outcome { passed, skipped, failed };
std::string_view outcome_name(Outcome outcome);

struct Result {
  Outcome outcome = Outcome::failed;
  std::string reason;  // of a skip or failure
  double seconds = 0;
};

struct Task {
  const Case* item;
  OptionList options;
};

struct RunSettings {
  PluginLocation plugin;
  double time_limit_seconds = 60;
  unsigned jobs = 1;
};

// In this process.
Result run_case(const Case& item, const PluginLocation& plugin, const OptionList& options);

// In children; results in the order of `tasks`.
std::vector<Result> run_tasks(const RunSettings& settings, std::span<const Task> tasks);

// Opens the plugin in a child and describes it and its first device as JSON; "" and `problem` if that fails.
std::string describe_plugin(const RunSettings& settings, const OptionList& options, std::string& problem);

}  // namespace bascule::conformance
