// Committed lists of what a backend is expected to skip or fail. A list is itself checked: what stands in it must happen,
// what does not stand in it must not.
//
//   # comment
//   skips 2                                   how many lines say skip
//   skip memory_map.device_memory  why        the case is skipped
//   fail queue_submit.something    why        the case fails, a known fault
//   either peer_wait.something     why        the case passes or is skipped, depending on the machine
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tests/conformance/runner.hpp"

namespace bascule::conformance {

class Expectations {
 public:
  // `problem` is set if the file cannot be read or is not such a list.
  static Expectations read(const std::string& path, std::string& problem);
  static Expectations parse(std::string_view text, std::string& problem);

  bool allows(const std::string& name, Outcome outcome) const;

 private:
  enum class Kind { skip, fail, either };
  std::map<std::string, Kind> entries_;
};

// Words of a line, without a comment.
std::vector<std::string> words_of(std::string_view line);
// Lines of a text file; false if it cannot be read.
bool read_lines(const std::string& path, std::vector<std::string>& lines);

}  // namespace bascule::conformance
