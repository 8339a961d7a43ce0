// Collecting and printing what is wrong with a PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/diagnostic.hpp"

#include <algorithm>
#include <charconv>

#include "backends/simt/ptx/parser.hpp"
#include "backends/simt/ptx/reporter.hpp"

namespace bascule::simt::ptx {
namespace {

constexpr std::size_t kMaxShownColumns = 200;  // of a source line

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t current = 1; current < line; ++current) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// "x.cu:12" where a line marker (# 12 "x.cu") before `line` says so, else "".
std::string marked_line(std::string_view text, std::uint32_t line) {
  std::string_view file;
  std::uint32_t number = 0;
  for (std::uint32_t current = 1; current < line; ++current) {
    const std::string_view one = text.substr(0, text.find('\n'));
    ++number;
    const std::size_t open = one.find('"'), close = one.rfind('"');
    std::size_t digits = one.find_first_of("0123456789");
    if (one.starts_with('#') && digits < open && open < close) {
      std::from_chars(one.data() + digits, one.data() + open, number);
      file = one.substr(open + 1, close - open - 1);
    }
    if (one.size() == text.size()) break;
    text.remove_prefix(one.size() + 1);
  }
  return file.empty() ? std::string() : std::string(file) + ":" + std::to_string(number);
}

std::string shown(char c) {
  if (c == '\t') return " ";
  return (c >= ' ' && c < 127) ? std::string(1, c) : std::string("?");
}

// The part of the line around the column, and below it the caret.
std::string excerpt(std::string_view line, std::uint32_t column, std::uint32_t length) {
  std::size_t at = column - 1;
  std::string before;
  if (at > kMaxShownColumns / 2 && line.size() > kMaxShownColumns) {
    const std::size_t cut = at - kMaxShownColumns / 2;
    line = line.substr(std::min(cut, line.size()));
    at -= cut;
    before = "...";
  }
  std::string text = "  " + before;
  for (const char c : line.substr(0, kMaxShownColumns)) text += shown(c);
  text += "\n  " + std::string(before.size() + at, ' ') + "^";
  const std::size_t end = std::min(at + length, std::min(line.size(), kMaxShownColumns));
  if (end > at + 1) text += std::string(end - at - 1, '~');
  return text + "\n";
}

}  // namespace

std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
  constexpr std::string_view kNames[] = {"note", "warning", "error"};
  std::string result(file);
  const Location at = diagnostic.location;
  if (at.line != 0) result += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  result +=
      ": " + std::string(kNames[static_cast<std::size_t>(diagnostic.severity)]) + ": " + diagnostic.message + "\n";
  if (at.line != 0) result += excerpt(line_of(text, at.line), at.column, diagnostic.length);
  if (const std::string source = marked_line(text, at.line); !source.empty()) result += "  from " + source + "\n";
  if (!diagnostic.hint.empty()) result += "  hint: " + diagnostic.hint + "\n";
  return result;
}

bool Reporter::full() const { return errors_ >= kMaxDiagnostics; }

void Reporter::add(Severity severity, Location location, std::uint32_t length, std::string message, std::string hint) {
  if (severity == Severity::error) {
    if (full()) return;
    ++errors_;
    if (diagnostics_.size() >= kMaxDiagnostics) {  // an error pushes out the last thing that is none
      const auto last = std::find_if(diagnostics_.rbegin(), diagnostics_.rend(),
                                     [](const Diagnostic& kept) { return kept.severity != Severity::error; });
      if (last != diagnostics_.rend()) diagnostics_.erase(std::next(last).base());
    }
  } else if (diagnostics_.size() >= kMaxDiagnostics) {
    return;
  }
  const auto place =
      std::upper_bound(diagnostics_.begin(), diagnostics_.end(), location, [](Location at, const Diagnostic& kept) {
        return at.line != kept.location.line ? at.line < kept.location.line : at.column < kept.location.column;
      });
  diagnostics_.insert(place, {severity, location, length == 0 ? 1 : length, std::move(message), std::move(hint)});
}

}  // namespace bascule::simt::ptx
