// The expanded text: one statement per line, and before each what tells an assembler and a debugger where it came from.
//
//   .loc 1 20 3            the engine's findings, debuggers and profilers (inside functions)
//   # 20 "x_sm80.ptx"      messages of ptxas and of the engine's front end
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/ptx/source.hpp"

namespace bascule::ptx {

class Writer {
 public:
  explicit Writer(bool markers) : markers_(markers) {}

  void statement(const std::string& text, const Place& place);
  void open(const Place& place);
  void close(const Place& place);

  /// The whole text, with a .file directive for each source that a .loc names.
  std::string finish(const std::string& first_line) const;
  int depth() const { return depth_; }

 private:
  void line(const std::string& text, const Place& place, bool with_location);
  std::size_t file_number(const std::string& name);

  bool markers_;
  int depth_ = 0;
  std::vector<std::string> files_;
  std::string head_, text_;  // head: version, target, address size; .file stands after them
  bool in_head_ = true;
  std::string shown_file_;  // file and line that an assembler believes the next line to have
  std::size_t shown_line_ = 0;
};

}  // namespace bascule::ptx
