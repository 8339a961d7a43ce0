// A report as one self-contained HTML page: bars of the rates per kernel (drawn as SVG here, no script), then every row.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdio>
#include <map>

#include "../console.hpp"
#include "core/cli/bench/page.css.hpp"
#include "present.hpp"

namespace bascule::cli {
namespace {

constexpr int kColours = 6;

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Position of a device in the report gives its colour, so that a device looks the same in every chart.
std::string colour_of(const Report& report, const std::string& device) {
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    if (report.devices[i].id == device) return "c" + std::to_string(i % kColours);
  }
  return "c0";
}

double work_of(const Row& row) { return row.operations > 0 ? row.operations : row.bytes; }

// Horizontal bars: rate of the median, whiskers: the rates at the ends of its 95 % interval. One chart per kernel.
std::string chart(const Report& report, const std::string& kernel, const std::vector<CaseGroup>& groups) {
  constexpr double kBarWidth = 640, kBarHeight = 14, kLabelHeight = 15, kGap = 10, kValueWidth = 150;
  const auto has_bar = [](const Row& row) { return row.state == RowState::measured; };
  double highest = 0;
  for (const CaseGroup& group : groups) {
    for (const Row* row : group.rows) {
      if (row->kernel == kernel && has_bar(*row)) {
        highest = std::max(highest, work_of(*row) / summarise(row->samples).median_95.low);
      }
    }
  }
  if (highest == 0) return {};
  std::string bars;
  double y = 4;
  for (const CaseGroup& group : groups) {
    if (group.kernel != kernel) continue;
    bars += "<text x=\"0\" y=\"" + number(y + 11) + "\">" + escape(group.label) + "</text>";
    y += kLabelHeight;  // above its bars: labels of LLM shapes are longer than any column beside them would be
    for (const Row* row : group.rows) {
      if (has_bar(*row)) {
        const Summary summary = summarise(row->samples);
        const auto x_of = [&](double ns) { return kBarWidth * work_of(*row) / ns / highest; };
        const double middle = y + kBarHeight / 2;
        bars += "<rect class=\"" + colour_of(report, row->device) + "\" x=\"0\" y=\"" + number(y) +
                "\" width=\"" + number(x_of(summary.median)) + "\" height=\"" + number(kBarHeight - 2) + "\"><title>" +
                escape(row->device + " " + row->variant + ": " + format_time(summary.median)) + "</title></rect>" +
                "<line class=\"whisker\" x1=\"" + number(x_of(summary.median_95.high)) + "\" x2=\"" +
                number(x_of(summary.median_95.low)) + "\" y1=\"" + number(middle - 1) + "\" y2=\"" + number(middle - 1) + "\"/>" +
                "<text class=\"soft\" x=\"" + number(x_of(summary.median_95.low) + 6) + "\" y=\"" + number(y + 11) + "\">" +
                escape(rate_of(*row, summary.median)) + "</text>";
      } else {
        bars += "<text class=\"soft\" x=\"4\" y=\"" + number(y + 11) + "\">" +
                escape(row->device + ": " + std::string(name_of(row->state))) + "</text>";
      }
      y += kBarHeight;
    }
    y += kGap;
  }
  return "<h2>" + escape(kernel) + "</h2><div class=\"scroll\"><svg role=\"img\" aria-label=\"rates of " + escape(kernel) +
         "\" width=\"" + number(kBarWidth + kValueWidth) + "\" height=\"" + number(y) + "\" viewBox=\"0 0 " +
         number(kBarWidth + kValueWidth) + " " + number(y) + "\">" + bars + "</svg></div>\n";
}

std::string cell(const std::string& text, const char* classes = "") {
  return std::string("<td") + (*classes ? std::string(" class=\"") + classes + "\"" : "") + ">" + text + "</td>";
}

std::string check_cell(const Row& row) {
  if (row.state == RowState::overhead) return row.check.pass ? cell("ok", "good") : cell("computes nothing", "soft");
  if (row.state == RowState::unsupported) return cell(escape(row.error), "soft");
  if (row.state == RowState::failed) return cell(escape(row.error), "bad");
  if (row.state == RowState::wrong) return cell("WRONG: " + escape(row.check.message), "bad");
  char text[128];
  const int length = std::snprintf(text, sizeof text, "ok, %.2g of allowed error", row.check.worst_ratio);
  if (row.check.checked != row.check.total) {
    std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), ", %llu of %llu elements",
                  static_cast<unsigned long long>(row.check.checked), static_cast<unsigned long long>(row.check.total));
  }
  return cell(text, "good");
}

std::string table_row(const Report& report, const CaseGroup& group, const Row& row, double margin) {
  const bool first = &row == group.rows.front();
  std::string out = first ? "<tr class=\"first\">" : "<tr>";
  out += cell(first ? escape(group.label) + (row.shrunk.empty() ? "" : "<br><span class=\"soft\">" + escape(row.shrunk) + "</span>") : "");
  out += cell(escape(row.device) + (report.find_device(row.device)->emulated ? " <b>emulated</b>" : ""));
  out += cell(escape(row.variant) + " <span class=\"soft\">" + escape(row.variant_class) + "</span>");
  if (row.samples.empty()) {
    out += cell("-", "n") + cell("-", "n") + cell("-", "n") + cell("-", "n");
  } else {
    const Summary summary = summarise(row.samples);
    out += cell(escape(format_time(summary.median)), "n");
    out += cell(escape(format_time(summary.median_95.low)) + " &ndash; " + escape(format_time(summary.median_95.high)), "n");
    out += cell(row.state == RowState::overhead ? "overhead" : escape(rate_of(row, summary.median)), "n");
    if (first) {
      out += cell("", "n");
    } else {
      const Comparison comparison = compare_rows(report, row, report, *group.rows.front(), margin);
      char text[96];
      std::snprintf(text, sizeof text, "%.3f <span class=\"soft\">[%.3f, %.3f] %s</span>", comparison.median_ratio,
                    comparison.ratio ? comparison.ratio->low : 0, comparison.ratio ? comparison.ratio->high : 0,
                    std::string(name_of(comparison.verdict)).c_str());
      out += cell(comparison.ratio ? text : escape(comparison.refused), "n");
    }
  }
  out += cell(std::to_string(row.samples.size()), "n");
  out += cell(row.samples.empty() ? "" : escape(row.clock), "soft");
  return out + check_cell(row) + "</tr>\n";
}

}  // namespace

std::string to_html(const Report& report, double margin, const Preface& preface) {
  const std::vector<CaseGroup> groups = group_by_case(report);
  const std::string title = preface.title.empty() ? "Bascule bench: suite " + report.suite : preface.title;
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
      "<title>" + escape(title) + "</title><style>\n" + std::string(embedded::bench_page_css) +
      "</style></head><body>\n<h1>" + escape(title) + "</h1>\n" + preface.html;
  if (report.devices.empty()) return page + "</body></html>\n";
  page += "<p class=\"soft\">" + escape(report.started) + ", cache mode " + escape(report.cache_mode) + "</p>\n<p>";
  for (const DeviceRecord& device : report.devices) {
    page += "<span class=\"key " + colour_of(report, device.id) + "\"></span><b>" + escape(device.id) + "</b> " + escape(device.name) +
            " <span class=\"soft\">" + escape(device.driver) + (device.emulated ? ", emulated: checked, never timed" : "") + "</span>";
  }
  page += "</p>\n<p class=\"soft\">Bars: rate of the median time; whiskers: its 95 % interval. A number appears only where the result of "
          "the same run was checked. Ratios are times over the first device's, below 1 is faster.</p>\n";
  std::vector<std::string> kernels;
  for (const CaseGroup& group : groups) {
    if (std::find(kernels.begin(), kernels.end(), group.kernel) == kernels.end()) kernels.push_back(group.kernel);
  }
  for (const std::string& kernel : kernels) page += chart(report, kernel, groups);
  page += "<h2>All rows</h2><div class=\"scroll\"><table><thead><tr><th>case</th><th>device</th><th>variant</th><th class=\"n\">median</th>"
          "<th class=\"n\">95 % of median</th><th class=\"n\">rate</th><th class=\"n\">time ratio [95 %]</th><th class=\"n\">samples</th>"
          "<th>clock</th><th>check</th></tr></thead><tbody>\n";
  for (const CaseGroup& group : groups) {
    for (const Row* row : group.rows) page += table_row(report, group, *row, margin);
  }
  page += "</tbody></table></div>\n<h2>Environment</h2><table>";
  for (const auto& [key, value] : report.environment) page += "<tr>" + cell(escape(key)) + cell(escape(value)) + "</tr>";
  return page + "</table>\n</body></html>\n";
}

}  // namespace bascule::cli
