// A report for people: a table for the terminal and a self-contained HTML page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report.hpp"
#include "statistics.hpp"

namespace bascule::cli {

// The rows of one case, in the order of Report::devices.
struct CaseGroup {
  std::string kernel, label;
  std::vector<const Row*> rows;
};
std::vector<CaseGroup> group_by_case(const Report& report);

// The rate by which the row is judged: operations if the case counts any, else bytes. Of the median time.
std::string rate_of(const Row& row, double median_ns);

// How two rows of one case compare, or why they may not be.
struct Comparison {
  std::optional<Interval> ratio;  // time of `row` / time of `baseline`, 95 %
  double median_ratio = 0;
  Verdict verdict = Verdict::undecided;
  std::string refused;            // "" or why there is no ratio
};
// margin: half-width within which times count as equivalent, >= 0.01.
Comparison compare_rows(const Report& report, const Row& row, const Report& baseline_report, const Row& baseline, double margin);

// What a page says before the measurements, where they are part of something larger.
struct Preface {
  std::string title;  // "": the suite's
  std::string html;
};

std::string to_table(const Report& report, double margin);
std::string to_html(const Report& report, double margin, const Preface& preface = {});

}  // namespace bascule::cli
