// bascule-conform: the conformance suite of the plugin ABI. A plugin that passes is a backend.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "tests/conformance/expectations.hpp"
#include "tests/conformance/faults.hpp"
#include "tests/conformance/report.hpp"
#include "tests/conformance/runner.hpp"

namespace bascule::conformance {
namespace {

// Documented in --help and docs/plugin-guide.md.
enum ExitCode { kPassed = 0, kFailed = 1, kUsage = 2, kNoPlugin = 3, kSkipped = 77 };

struct Arguments {
  std::string plugin;
  std::vector<std::string> options;
  std::string driver;
  std::vector<std::string> levels;
  std::string one_case;
  std::string expectations;
  std::string json;
  std::string faults;
  double time_limit = 60;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  bool verbose = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.footer(
      "Exit codes: 0 passed (with --expect: everything as the list says), 1 failed, 2 wrong usage, 3 the plugin cannot be\n"
      "opened; with --case also 77 skipped. Levels: core, async, graph, peer. Each case runs in a process of its own.");
  app.add_option("plugin,--plugin", arguments.plugin,
                 "path of a plugin's .so or manifest, or its name in the plugin directories");
  app.add_option("--option", arguments.options, "NAME=VALUE of a plugin option, may be repeated")->take_all();
  app.add_option("--driver", arguments.driver, "the vendor's library to open instead of the plugin's own list");
  app.add_option("--level", arguments.levels, "only cases of this level, may be repeated")
      ->check(CLI::IsMember({"core", "async", "graph", "peer"}));
  app.add_option("--case", arguments.one_case, "run one case, in this process");
  app.add_option("--expect", arguments.expectations, "list of expected skips and failures, itself checked");
  app.add_option("--json", arguments.json, "write the verdict as JSON to this file; - or nothing is standard output")
      ->expected(0, 1);
  app.add_option("--faults", arguments.faults, "table FAULT CASE of faults that the plugin can plant: check each is caught");
  app.add_option("--timeout", arguments.time_limit, "seconds that one case may take")->check(CLI::PositiveNumber);
  app.add_option("--jobs", arguments.jobs, "cases that run at the same time")->check(CLI::Range(1u, 256u));
  app.add_flag("--list", arguments.list, "print the cases with their levels");
  app.add_flag("--verbose", arguments.verbose, "print every case");
}

bool parse_options(const Arguments& arguments, OptionList& options) {
  for (const std::string& text : arguments.options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fmt::print(stderr, "--option {}: expected NAME=VALUE\n", text);
      return false;
    }
    options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return true;
}

int list_cases() {
  for (const Case& item : all_cases()) fmt::print("{:<6} {}\n", level_name(item.level), item.name);
  return kPassed;
}

int run_one(const Arguments& arguments, const PluginLocation& plugin, const OptionList& options) {
  const Case* const item = find_case(arguments.one_case);
  if (item == nullptr) {
    fmt::print(stderr, "there is no case {}; --list names them\n", arguments.one_case);
    return kUsage;
  }
  const Result result = run_case(*item, plugin, options);
  fmt::print(stderr, "{} {}{}{}\n", outcome_name(result.outcome), item->name, result.reason.empty() ? "" : ": ",
             result.reason);
  return result.outcome == Outcome::passed ? kPassed : result.outcome == Outcome::skipped ? kSkipped : kFailed;
}

int run_fault_table(const Arguments& arguments, const RunSettings& settings) {
  std::string problem;
  const auto faults = read_faults(arguments.faults, problem);
  if (!problem.empty() || faults.empty()) {
    fmt::print(stderr, "{}\n", problem.empty() ? "the table of faults is empty" : problem);
    return kUsage;
  }
  std::string text;
  const std::size_t wrong = run_faults(settings, faults, text);
  fmt::print("{}", text);
  return wrong == 0 ? kPassed : kFailed;
}

bool write_json(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return true;
  }
  std::ofstream stream(path);
  stream << text;
  stream.close();
  if (!stream) fmt::print(stderr, "{} cannot be written\n", path);
  return static_cast<bool>(stream);
}

int run_all(const Arguments& arguments, const RunSettings& settings, const OptionList& options) {
  Report report;
  report.plugin_file = settings.plugin.file;
  report.options = options;
  std::string problem;
  if (!arguments.expectations.empty()) {
    report.expectations_file = arguments.expectations;
    report.expectations = Expectations::read(arguments.expectations, problem);
    if (!problem.empty()) {
      fmt::print(stderr, "{}\n", problem);
      return kUsage;
    }
  }
  report.plugin_json = describe_plugin(settings, options, problem);
  if (!problem.empty()) {
    fmt::print(stderr, "{}\n", problem);
    return kNoPlugin;
  }
  std::vector<Task> tasks;
  for (const Case& item : all_cases()) {
    const bool wanted = arguments.levels.empty() || std::find(arguments.levels.begin(), arguments.levels.end(),
                                                              level_name(item.level)) != arguments.levels.end();
    if (!wanted) continue;
    tasks.push_back({&item, options});
    report.cases.push_back(&item);
  }
  report.results = run_tasks(settings, tasks);
  if (arguments.json != "-") fmt::print("{}", text_report(report, arguments.verbose));
  if (!arguments.json.empty() && !write_json(arguments.json, json_report(report))) return kUsage;
  return report.passed() ? kPassed : kFailed;
}

int run(int argc, char** argv) {
  CLI::App app("Checks a Bascule plugin against the plugin ABI.", "bascule-conform");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kUsage;
  }
  if (app.count("--json") != 0 && arguments.json.empty()) arguments.json = "-";
  if (arguments.list) return list_cases();
  if (arguments.plugin.empty()) {
    fmt::print(stderr, "which plugin? See --help.\n");
    return kUsage;
  }
  OptionList options;
  if (!parse_options(arguments, options)) return kUsage;
  RunSettings settings = {locate_plugin(arguments.plugin), arguments.time_limit, arguments.jobs};
  settings.plugin.driver = arguments.driver;
  if (!settings.plugin.problem.empty()) {
    fmt::print(stderr, "{}\n", settings.plugin.problem);
    return kNoPlugin;
  }
  if (!arguments.one_case.empty()) return run_one(arguments, settings.plugin, options);
  if (!arguments.faults.empty()) return run_fault_table(arguments, settings);
  return run_all(arguments, settings, options);
}

}  // namespace
}  // namespace bascule::conformance

int main(int argc, char** argv) {
  try {
    return bascule::conformance::run(argc, argv);
  } catch (const std::exception& exception) {
    fmt::print(stderr, "bascule-conform: {}\n", exception.what());
    return 1;
  }
}
