// What every command prints with: quantities in readable units, aligned tables, and a progress line for long work.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::cli {

// 1234567 ns -> "1.235 ms". Four significant digits.
std::string format_time(double nanoseconds);
// Per second: 1.5e9, "B" -> "1.500 GB/s".
std::string format_rate(double per_second, std::string_view unit);
// 1536 -> "1.5 KiB".
std::string format_bytes(std::uint64_t bytes);

// Columns as wide as their widest cell (UTF-8 counted by code point), two spaces apart.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells);
  void add_rule();  // a blank line between groups
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// One line on stderr that says what is being done: rewritten in place and cleared at the end on a terminal, a line per step
// elsewhere.
class Progress {
 public:
  Progress(std::uint64_t total, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(const std::string& what);  // starts the next of `total` steps
  void finish();                        // clears the line

 private:
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool enabled_;
  bool terminal_;
};

// Text safe for a terminal: control characters of foreign text (device names, file contents) become '?', a line's end and the
// indentation after it one space.
std::string printable(std::string_view text);
// The same, keeping line ends.
std::string printable_lines(std::string_view text);

}  // namespace bascule::cli
