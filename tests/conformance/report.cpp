// Writing the verdict.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/report.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace bascule::conformance {
namespace {

struct Counts {
  std::array<std::size_t, 3> of = {};
  std::size_t& operator[](Outcome outcome) { return of[static_cast<std::size_t>(outcome)]; }
};

constexpr Level kLevels[] = {Level::core, Level::async, Level::graph, Level::peer};

Counts count(const Report& report, std::optional<Level> level) {
  Counts counts;
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    if (!level || report.cases[i]->level == *level) ++counts[report.results[i].outcome];
  }
  return counts;
}

nlohmann::ordered_json to_json(Counts counts) {
  return {{"passed", counts[Outcome::passed]}, {"skipped", counts[Outcome::skipped]}, {"failed", counts[Outcome::failed]}};
}

nlohmann::ordered_json case_json(const Report& report, std::size_t i) {
  const Result& result = report.results[i];
  nlohmann::ordered_json json = {{"name", report.cases[i]->name},
                                 {"level", level_name(report.cases[i]->level)},
                                 {"outcome", outcome_name(result.outcome)},
                                 {"as_expected", report.as_expected(i)},
                                 {"seconds", result.seconds}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  return json;
}

}  // namespace

std::string hash_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return "";
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool Report::as_expected(std::size_t index) const {
  const Outcome outcome = results[index].outcome;
  if (!expectations) return outcome != Outcome::failed;
  return expectations->allows(cases[index]->name, outcome);
}

bool Report::passed() const {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!as_expected(i)) return false;
  }
  return !cases.empty();
}

std::string text_report(const Report& report, bool verbose) {
  std::string text;
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const Result& result = report.results[i];
    const bool expected = report.as_expected(i);
    if (expected && !verbose && result.outcome == Outcome::passed) continue;
    if (expected && !verbose && report.expectations) continue;
    text += fmt::format("{:<8}{:<64} {:6.2f} s{}{}{}\n", outcome_name(result.outcome), report.cases[i]->name,
                        result.seconds, expected ? "" : "  NOT EXPECTED", result.reason.empty() ? "" : "\n        ",
                        result.reason);
  }
  for (const Level level : kLevels) {
    Counts counts = count(report, level);
    text += fmt::format("{:<6} {:4} passed {:4} skipped {:4} failed\n", level_name(level), counts[Outcome::passed],
                        counts[Outcome::skipped], counts[Outcome::failed]);
  }
  text += fmt::format("{}: {}\n", report.plugin_file,
                      report.passed() ? (report.expectations ? "passed, all as the list says" : "passed") : "FAILED");
  return text;
}

std::string json_report(const Report& report) {
  nlohmann::ordered_json json;
  json["verdict"] = report.passed() ? "passed" : "failed";
  json["suite"] = {{"hash", hash_file("/proc/self/exe")}, {"cases", report.cases.size()}};
  json["plugin"] = nlohmann::ordered_json::parse(report.plugin_json, nullptr, false);
  json["plugin"]["hash"] = hash_file(report.plugin_file);
  json["options"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : report.options) json["options"][name] = value;
  if (report.expectations) {
    json["expectations"] = {{"file", report.expectations_file}, {"hash", hash_file(report.expectations_file)}};
  }
  json["total"] = to_json(count(report, std::nullopt));
  for (const Level level : kLevels) json["levels"][std::string(level_name(level))] = to_json(count(report, level));
  json["cases"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < report.cases.size(); ++i) json["cases"].push_back(case_json(report, i));
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace bascule::conformance
