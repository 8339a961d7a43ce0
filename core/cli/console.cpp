// Printing: see console.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "console.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace bascule::cli {
namespace {

std::string four_digits(double value, const char* unit) {
  const int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string format_time(double nanoseconds) {
  if (nanoseconds < 999.95) return four_digits(nanoseconds, "ns");
  if (nanoseconds < 999.95e3) return four_digits(nanoseconds / 1e3, "us");
  if (nanoseconds < 999.95e6) return four_digits(nanoseconds / 1e6, "ms");
  return four_digits(nanoseconds / 1e9, "s");
}

std::string format_rate(double per_second, std::string_view unit) {
  constexpr std::array kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (per_second >= 999.95 && prefix + 1 < kPrefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  return four_digits(per_second, (std::string(kPrefixes[prefix]) + std::string(unit) + "/s").c_str());
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  if (!rows_.empty() && !rows_.back().empty()) rows_.emplace_back();
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = width_of(columns_[column].title);
    for (const auto& row : rows_) {
      if (!row.empty()) width = std::max(width, width_of(row[column]));
    }
    widths.push_back(width);
  }
  std::string out;
  const auto append = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string& cell = cell_of(column);
      const std::string padding(widths[column] - width_of(cell), ' ');
      line += columns_[column].align == Align::left ? cell + padding : padding + cell;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  append([&](std::size_t column) -> const std::string& { return columns_[column].title; });
  for (const auto& row : rows_) {
    if (row.empty()) {
      out += '\n';
    } else {
      append([&](std::size_t column) -> const std::string& { return row[column]; });
    }
  }
  return out;
}

Progress::Progress(std::uint64_t total, bool enabled)
    : total_(total), enabled_(enabled), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { finish(); }

void Progress::step(const std::string& what) {
  ++done_;
  if (!enabled_) return;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K[%llu/%llu] %s", static_cast<unsigned long long>(done_),
                 static_cast<unsigned long long>(total_), what.c_str());
  } else {
    std::fprintf(stderr, "[%llu/%llu] %s\n", static_cast<unsigned long long>(done_), static_cast<unsigned long long>(total_),
                 what.c_str());
  }
  std::fflush(stderr);
}

void Progress::finish() {
  if (enabled_ && terminal_ && done_ > 0) std::fputs("\r\033[K", stderr);
  enabled_ = false;
}

std::string printable(std::string_view text) {
  std::string out;
  bool broken = false;  // at the beginning of a line but the first: its indentation goes with the line's end
  for (const char c : printable_lines(text)) {
    if (broken && c == ' ') continue;
    broken = c == '\n';
    out += broken ? ' ' : c;
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = '?';
  }
  return out;
}

}  // namespace bascule::cli
