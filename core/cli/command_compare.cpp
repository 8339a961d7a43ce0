// `bascule compare A.json B.json`: two saved reports, row by row, unmatched rows first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/present.hpp"
#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

// The device of a file that takes part: the one asked for, or the only one that was measured.
std::string device_of(const Report& report, const std::string& wanted, const std::string& file, const char* option) {
  std::vector<std::string> measured;
  for (const DeviceRecord& device : report.devices) {
    const auto of_device = [&](const Row& row) { return row.device == device.id && row.state == RowState::measured; };
    if (std::any_of(report.rows.begin(), report.rows.end(), of_device)) measured.push_back(device.id);
  }
  std::string names;
  for (const std::string& id : measured) names += (names.empty() ? "" : ", ") + id;
  if (!wanted.empty()) {
    if (report.find_device(wanted) == nullptr) {
      throw Failure(ExitCode::kUsage, file + ": has no device '" + wanted + "'", "it has " + names);
    }
    return wanted;
  }
  const auto emulated = [](const DeviceRecord& device) { return device.emulated; };
  if (measured.empty() && std::any_of(report.devices.begin(), report.devices.end(), emulated)) {
    throw Failure(ExitCode::kDifferent, file + ": has no times, its device is emulated", "compare reports of devices that are not");
  }
  if (measured.empty()) throw Failure(ExitCode::kDifferent, file + ": has no measured row", "run the benchmark again; see its messages");
  if (measured.size() > 1) {
    throw Failure(ExitCode::kUsage, file + ": holds several devices: " + names, std::string("choose one with ") + option);
  }
  return measured.front();
}

const Row* find_row(const Report& report, const std::string& device, const Row& like) {
  for (const Row& row : report.rows) {
    if (row.device == device && row.kernel == like.kernel && row.label == like.label && row.shape == like.shape) return &row;
  }
  return nullptr;
}

// What differs between the runs besides the device.
std::vector<std::string> differences(const Report& a, const Report& b) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& what, const std::string& left, const std::string& right) {
    if (left != right) found.push_back(what + ": " + left + " | " + right);
  };
  add("suite", a.suite, b.suite);
  add("cache mode", a.cache_mode, b.cache_mode);
  add("case library", a.case_library + " " + a.case_library_version, b.case_library + " " + b.case_library_version);
  for (const auto& [key, value] : a.environment) {
    if (key == "selection" || key == "command" || key == "load average at start") continue;
    const auto other = b.environment.find(key);
    add(key, value, other == b.environment.end() ? "(not recorded)" : other->second);
  }
  return found;
}

struct Matched {
  const Row* a;
  const Row* b;
  Comparison comparison;  // time of b over time of a
};

}  // namespace

ExitCode run_compare(const CommonOptions& common, const CompareOptions& options) {
  const Report a = read_report(options.a);
  const Report b = read_report(options.b);
  const std::string device_a = device_of(a, options.device_a, options.a, "--device-a");
  const std::string device_b = device_of(b, options.device_b, options.b, "--device-b");

  std::vector<const Row*> only_a, only_b;
  std::vector<Matched> matched;
  for (const Row& row : a.rows) {
    if (row.device != device_a || row.state == RowState::overhead) continue;
    const Row* other = find_row(b, device_b, row);
    if (other == nullptr) {
      only_a.push_back(&row);
    } else {
      matched.push_back({&row, other, compare_rows(b, *other, a, row, options.margin)});
    }
  }
  for (const Row& row : b.rows) {
    if (row.device == device_b && row.state != RowState::overhead && find_row(a, device_a, row) == nullptr) only_b.push_back(&row);
  }
  const std::vector<std::string> different = differences(a, b);

  if (common.json) {
    Json json = {{"a", {{"file", options.a}, {"device", device_a}}},
                 {"b", {{"file", options.b}, {"device", device_b}}},
                 {"margin", options.margin},
                 {"differences", different},
                 {"only_a", Json::array()},
                 {"only_b", Json::array()},
                 {"rows", Json::array()}};
    for (const Row* row : only_a) json["only_a"].push_back(row->label);
    for (const Row* row : only_b) json["only_b"].push_back(row->label);
    for (const Matched& pair : matched) {
      Json row = {{"label", pair.a->label}, {"variant_a", pair.a->variant}, {"variant_b", pair.b->variant}};
      if (pair.comparison.ratio) {
        row["time_ratio_b_over_a"] = pair.comparison.median_ratio;
        row["interval_95"] = {pair.comparison.ratio->low, pair.comparison.ratio->high};
        row["verdict_of_b"] = name_of(pair.comparison.verdict);
      } else {
        row["refused"] = pair.comparison.refused;
      }
      json["rows"].push_back(row);
    }
    std::printf("%s\n", json.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    std::printf("A: %s, %s (%s)\nB: %s, %s (%s)\n", printable(options.a).c_str(), device_a.c_str(),
                printable(a.find_device(device_a)->name).c_str(), printable(options.b).c_str(), device_b.c_str(),
                printable(b.find_device(device_b)->name).c_str());
    for (const Row* row : only_a) std::printf("only in A: %s\n", printable(row->label).c_str());
    for (const Row* row : only_b) std::printf("only in B: %s\n", printable(row->label).c_str());
    for (const std::string& difference : different) std::printf("differs: %s\n", printable(difference).c_str());
    Table table({{"case"}, {"A", Table::Align::right}, {"B", Table::Align::right}, {"time B / A", Table::Align::right},
                 {"95 %"}, {"B is"}, {"smallest difference seen", Table::Align::right}, {"variants (class)"}});
    for (const Matched& pair : matched) {
      const std::string variants = pair.a->variant + " (" + pair.a->variant_class + ") | " + pair.b->variant + " (" +
                                   pair.b->variant_class + ")";
      if (!pair.comparison.ratio) {
        table.add({pair.a->label, "", "", "", "", pair.comparison.refused, "", variants});
        continue;
      }
      const Interval& interval = *pair.comparison.ratio;
      char ratio[32], range[64], resolved[32];
      std::snprintf(ratio, sizeof ratio, "%.3f", pair.comparison.median_ratio);
      std::snprintf(range, sizeof range, "[%.3f, %.3f]", interval.low, interval.high);
      // Half the interval's width: a difference smaller than this could not have been told from none.
      std::snprintf(resolved, sizeof resolved, "%.1f %%", 50 * (interval.high - interval.low) / pair.comparison.median_ratio);
      table.add({pair.a->label, format_time(quantile(pair.a->samples, 0.5)), format_time(quantile(pair.b->samples, 0.5)), ratio, range,
                 std::string(name_of(pair.comparison.verdict)), resolved, variants});
    }
    std::fputs(printable_lines(table.text()).c_str(), stdout);
  }
  if (matched.empty()) throw Failure(ExitCode::kDifferent, "no row of the two files matches", "run both with the same suite");
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
