// A report as a table: see present.hpp. The page is in present_html.cpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "present.hpp"

#include <algorithm>
#include <cstdio>

#include "../console.hpp"

namespace bascule::cli {
namespace {

std::string percent(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * part / whole);
  return text;
}

std::string check_text(const Row& row) {
  switch (row.state) {
    case RowState::failed: return "error";
    case RowState::overhead: return row.check.pass ? "ok" : "computes nothing";
    case RowState::wrong: return "WRONG";
    case RowState::unsupported: return "no variant";
    case RowState::checked:
    case RowState::measured: break;
  }
  char text[48];
  std::snprintf(text, sizeof text, row.check.checked == row.check.total ? "ok %.2g" : "ok %.2g (sampled)", row.check.worst_ratio);
  return text;
}

std::string ratio_text(const Comparison& comparison) {
  if (!comparison.ratio) return comparison.refused;
  char text[96];
  std::snprintf(text, sizeof text, "%.3f [%.3f, %.3f] %s", comparison.median_ratio, comparison.ratio->low,
                comparison.ratio->high, std::string(name_of(comparison.verdict)).c_str());
  return text;
}

void add_row(Table& table, const Report& report, const CaseGroup& group, const Row& row, double margin) {
  const bool first = &row == group.rows.front();
  const std::string title = first ? group.label : "";
  const std::string device = row.device + (report.find_device(row.device)->emulated ? " EMULATED" : "");
  if (row.samples.empty()) {
    table.add({title, device, row.variant, "-", "", "-", "-", check_text(row)});
    return;
  }
  const Summary summary = summarise(row.samples);
  const std::string ratio = first ? "" : ratio_text(compare_rows(report, row, report, *group.rows.front(), margin));
  const std::string rate = row.state == RowState::overhead ? "overhead" : rate_of(row, summary.median);
  table.add({title, device, row.variant, format_time(summary.median),
             percent(summary.upper_quartile - summary.lower_quartile, summary.median), rate, ratio, check_text(row)});
}

}  // namespace

std::vector<CaseGroup> group_by_case(const Report& report) {
  std::vector<CaseGroup> groups;
  for (const Row& row : report.rows) {
    const auto same = [&](const CaseGroup& group) { return group.kernel == row.kernel && group.label == row.label; };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      groups.push_back({row.kernel, row.label, {&row}});
    } else {
      found->rows.push_back(&row);
    }
  }
  return groups;
}

std::string rate_of(const Row& row, double median_ns) {
  if (row.operations > 0) return format_rate(row.operations / median_ns * 1e9, row.operation_unit);
  return format_rate(row.bytes / median_ns * 1e9, "B");
}

Comparison compare_rows(const Report& report, const Row& row, const Report& baseline_report, const Row& baseline, double margin) {
  Comparison comparison;
  if (report.find_device(row.device)->emulated || baseline_report.find_device(baseline.device)->emulated) {
    comparison.refused = "emulated";
  } else if (row.state != RowState::measured || baseline.state != RowState::measured) {
    comparison.refused = "no result";
  } else if (row.number_format != baseline.number_format) {
    comparison.refused = "unlike formats: " + row.number_format + ", " + baseline.number_format;
  } else if (row.shape != baseline.shape) {
    comparison.refused = "unlike shapes";
  } else if (row.cache_mode != baseline.cache_mode) {
    comparison.refused = "unlike cache modes";
  } else {
    comparison.ratio = ratio_95(row.samples, baseline.samples);
    comparison.median_ratio = quantile(row.samples, 0.5) / quantile(baseline.samples, 0.5);
    comparison.verdict = judge(*comparison.ratio, margin);
  }
  return comparison;
}

std::string to_table(const Report& report, double margin) {
  const std::string baseline = report.devices.empty() ? "" : report.devices.front().id;
  Table table({{"case"},
               {"device"},
               {"variant"},
               {"median", Table::Align::right},
               {"IQR", Table::Align::right},
               {"rate", Table::Align::right},
               {"time / " + baseline + " [95 %]"},
               {"check (error/allowed)"}});
  for (const CaseGroup& group : group_by_case(report)) {
    if (group.rows.size() > 1) table.add_rule();
    for (const Row* row : group.rows) add_row(table, report, group, *row, margin);
  }
  std::string out = table.text();
  for (const Row& row : report.rows) {
    if (row.state == RowState::wrong) out += "WRONG " + row.label + " on " + row.device + ": " + printable(row.check.message) + '\n';
    if (row.state == RowState::failed) out += "ERROR " + row.label + " on " + row.device + ": " + printable(row.error) + '\n';
  }
  std::string unsupported;  // one line for each kernel and device, however many cases
  for (const Row& row : report.rows) {
    if (row.state != RowState::unsupported) continue;
    const std::string line = "  " + printable(row.error) + '\n';
    if (unsupported.find(line) == std::string::npos) unsupported += line;
  }
  if (!unsupported.empty()) out += "No variant runs there; `bascule explain KERNEL --backend BACKEND` gives the reasons:\n" + unsupported;
  const auto emulated = [](const DeviceRecord& device) { return device.emulated; };
  if (std::any_of(report.devices.begin(), report.devices.end(), emulated)) {
    out += "EMULATED devices are checked and not timed: how long this host takes says nothing about the GPU that they stand for.\n";
  }
  std::string shrunk;
  for (const CaseGroup& group : group_by_case(report)) {
    if (!group.rows.front()->shrunk.empty()) shrunk += "  " + group.label + ": " + group.rows.front()->shrunk + '\n';
  }
  if (!shrunk.empty()) out += "Shapes made smaller to suit this machine:\n" + shrunk;
  return out;
}

}  // namespace bascule::cli
