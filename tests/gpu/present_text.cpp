// A run as tables and as a page. An emulated device's times appear nowhere but in the files of samples.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <map>

#include "core/cli/bench/present.hpp"
#include "core/cli/bench/statistics.hpp"
#include "core/cli/console.hpp"
#include "tests/gpu/present.hpp"

namespace bascule::gpu_run {
namespace {

constexpr double kMargin = 0.01;
constexpr std::size_t kMostNamed = 8;
constexpr StepState kShown[] = {StepState::passed,    StepState::wrong,       StepState::failed, StepState::crashed,
                                StepState::timed_out, StepState::unavailable, StepState::skipped};

// Intervals are resampled a thousand times, and pages are made after each step: from so many samples that this takes no time worth
// speaking of.
constexpr std::size_t kMostSamples = 200;

void thin(cli::Report& report) {
  for (cli::Row& row : report.rows) {
    if (row.samples.size() <= kMostSamples) continue;
    std::vector<double> kept;
    for (std::size_t i = 0; i < kMostSamples; ++i) kept.push_back(row.samples[i * row.samples.size() / kMostSamples]);
    row.samples = std::move(kept);
  }
}

std::size_t count(const Run& run, StepState state) {
  return static_cast<std::size_t>(std::count_if(run.steps.begin(), run.steps.end(), [state](const Step& step) { return step.state == state; }));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

bool is_emulated(const Run& run, const cli::Row& row) {
  const cli::DeviceRecord* const device = run.report.find_device(row.device);
  return device != nullptr && device->emulated;
}

std::string rate_text(const Run& run, const cli::Row& row) {
  if (row.state == cli::RowState::wrong) return "WRONG";
  if (row.samples.empty()) return "error";
  if (is_emulated(run, row)) return "EMULATED";
  return cli::rate_of(row, cli::summarise(row.samples).median);
}

std::string time_text(const Run& run, const cli::Row& row) {
  if (row.samples.empty()) return "-";
  return is_emulated(run, row) ? "not a GPU's" : cli::format_time(cli::summarise(row.samples).median);
}

std::string ratio_text(const cli::Comparison& comparison) {
  if (!comparison.ratio) return comparison.refused;
  char text[96];
  std::snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", comparison.median_ratio, comparison.ratio->low, comparison.ratio->high);
  return text;
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "<br>"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string class_of(StepState state) {
  if (state == StepState::passed) return "good";
  return state == StepState::wrong || state == StepState::failed || state == StepState::crashed || state == StepState::timed_out ? "bad" : "soft";
}

std::string steps_table(const Run& run) {
  std::string table = "<h2>Steps</h2><div class=\"scroll\"><table><thead><tr><th>step</th><th>outcome</th><th class=\"n\">time</th><th>says</th></tr></thead><tbody>\n";
  for (const Step& step : run.steps) {
    table += "<tr><td>" + escape(step.name) + "</td><td class=\"" + class_of(step.state) + "\">" + std::string(name_of(step.state)) +
             "</td><td class=\"n\">" + (step.seconds > 0 ? seconds_text(step.seconds) : "") + "</td><td>" + escape(step.message) + "</td></tr>\n";
  }
  return table + "</tbody></table></div>\n";
}

std::string facts_table(const Run& run) {
  std::string table = "<table>";
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table += "<tr><td>" + escape(name) + "</td><td>" + escape(value) + "</td></tr>";
  };
  add("card", run.card);
  add("driver's library", run.driver);
  add("started, ended", run.started + (run.ended.empty() ? "" : ", " + run.ended));
  add("time used", seconds_text(run.elapsed) + " of " + seconds_text(run.time_limit));
  for (const auto& [name, value] : run.machine) add(name, value);
  return table + "</table>\n";
}

}  // namespace

std::string headline(const Run& run) {
  std::string text = run.emulated ? "EMULATED: " : "";
  text += "run " + run.state + (run.card.empty() ? "" : " on " + run.card) + ":";
  std::string counts;
  for (const StepState state : kShown) {
    if (const std::size_t number = count(run, state); number != 0) counts += (counts.empty() ? " " : ", ") + std::to_string(number) + " " + std::string(name_of(state));
  }
  return text + (counts.empty() ? " nothing done" : counts);
}

std::string to_summary(const Run& whole) {
  Run run = whole;
  thin(run.report);
  cli::Table steps({{"step"}, {"outcome"}, {"time", cli::Table::Align::right}, {"says"}});
  std::map<std::string, std::vector<std::string>> skipped;  // by reason
  for (const Step& step : run.steps) {
    if (step.state != StepState::skipped) {
      steps.add({step.name, std::string(name_of(step.state)), seconds_text(step.seconds), first_line(step.message)});
      continue;
    }
    skipped[first_line(step.message)].push_back(step.name);
  }
  std::string text = steps.text();
  for (const auto& [why, names] : skipped) {
    text += "skipped, " + why + ": ";
    for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i == 0 ? "" : ", ") + names[i];
    text += names.size() > kMostNamed ? " and " + std::to_string(names.size() - kMostNamed) + " more\n" : "\n";
  }

  cli::Table rows({{"case"}, {"on"}, {"variant"}, {"median", cli::Table::Align::right}, {"rate", cli::Table::Align::right}, {"time / first [95 %]"}});
  for (const cli::CaseGroup& group : cli::group_by_case(run.report)) {
    for (const cli::Row* row : group.rows) {
      const bool first = row == group.rows.front();
      rows.add({first ? group.label : "", row->device, row->variant, time_text(run, *row), rate_text(run, *row),
                first ? "" : ratio_text(cli::compare_rows(run.report, *row, run.report, *group.rows.front(), kMargin))});
    }
  }
  if (!run.report.rows.empty()) text += "\n" + rows.text();
  text += "\n";
  for (const std::string& note : run.notes) text += note + "\n";
  for (const Step& step : run.steps) {
    if (class_of(step.state) == "bad") text += std::string(name_of(step.state)) + " " + step.name + ": " + step.message + "\n";
  }
  return cli::printable_lines(text + headline(run) + "\n");
}

std::string to_html(const Run& run) {
  cli::Report report = run.report;
  thin(report);
  cli::Preface preface;
  preface.title = std::string(run.emulated ? "EMULATED: " : "") + "Bascule on " + (run.card.empty() ? run.vendor : run.card);
  preface.html = "<p><b>" + escape(headline(run)) + "</b></p>\n";
  if (run.state == "running") preface.html += "<p class=\"bad\">This page was written while the run went on, or the run was killed: it holds what had been done.</p>\n";
  for (const std::string& note : run.notes) preface.html += "<p>" + escape(note) + "</p>\n";
  preface.html += facts_table(run) + steps_table(run);
  if (!report.rows.empty()) preface.html += "<p class=\"soft\">Below at most " + std::to_string(kMostSamples) + " samples a row, evenly taken; bench.json has all.</p>\n";
  return cli::to_html(report, kMargin, preface);
}

}  // namespace bascule::gpu_run
