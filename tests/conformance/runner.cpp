// One case in this process; many in children.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <list>

#include "tests/conformance/child.hpp"
#include "tests/conformance/describe.hpp"

namespace bascule::conformance {
namespace {

// A result on its way through the pipe: its outcome's name, a newline, the reason.
std::string encode(const Result& result) {
  return fmt::format("{}\n{}", outcome_name(result.outcome), result.reason);
}

Result decode(const Child& child) {
  Result result;
  result.seconds = child.seconds;
  const std::size_t line = child.report.find('\n');
  if (line != std::string::npos) {
    const std::string_view name = std::string_view(child.report).substr(0, line);
    result.outcome = name == "passed" ? Outcome::passed : name == "skipped" ? Outcome::skipped : Outcome::failed;
    result.reason = child.report.substr(line + 1);
  }
  if (!child.end.empty()) {
    result.outcome = Outcome::failed;
    result.reason += (result.reason.empty() ? "" : "; then ") + child.end;
    if (!child.standard_error.empty()) result.reason += "; standard error: " + child.standard_error;
  } else if (!child.standard_output.empty()) {
    result.outcome = Outcome::failed;
    result.reason += fmt::format("{}something printed to standard output: {}", result.reason.empty() ? "" : "; ",
                                 child.standard_output);
  }
  return result;
}

struct Running {
  std::size_t index;
  Child child;
};

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "passed";
    case Outcome::skipped: return "skipped";
    case Outcome::failed: return "failed";
  }
  return "";
}

Result run_case(const Case& item, const PluginLocation& location, const OptionList& options) {
  Result result;
  try {
    const PluginLibrary plugin(location);
    if (!plugin.problem().empty()) throw CaseFailed(plugin.problem());
    Context context = {plugin, options};
    item.run(context);
    result.outcome = Outcome::passed;
  } catch (const CaseSkipped& skipped) {
    result.outcome = Outcome::skipped;
    result.reason = skipped.what();
  } catch (const std::exception& exception) {
    result.outcome = Outcome::failed;
    result.reason = exception.what();
  }
  return result;
}

std::vector<Result> run_tasks(const RunSettings& settings, std::span<const Task> tasks) {
  std::vector<Result> results(tasks.size());
  std::list<Running> running;
  std::size_t next = 0;
  while (next < tasks.size() || !running.empty()) {
    while (next < tasks.size() && running.size() < std::max(1u, settings.jobs)) {
      const Task& task = tasks[next];
      const auto body = [&] { return encode(run_case(*task.item, settings.plugin, task.options)); };
      running.push_back({next, Child(body, settings.time_limit_seconds)});
      ++next;
    }
    bool idle = true;
    for (auto at = running.begin(); at != running.end();) {
      if (!at->child.poll()) {
        ++at;
        continue;
      }
      results[at->index] = decode(at->child);
      at = running.erase(at);
      idle = false;
    }
    if (idle) pause_briefly();
  }
  return results;
}

std::string describe_plugin(const RunSettings& settings, const OptionList& options, std::string& problem) {
  Child child([&] { return describe_in_this_process(settings.plugin, options); }, settings.time_limit_seconds);
  while (!child.poll()) pause_briefly();
  if (child.end.empty() && child.report.starts_with('{')) return child.report;
  problem = !child.end.empty() ? fmt::format("opening it, the process {} {}", child.end, child.standard_error) : child.report;
  return "";
}

}  // namespace bascule::conformance
