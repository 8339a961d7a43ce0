// Reading lists of expectations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace bascule::conformance {

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line.substr(0, line.find('#')))};
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

bool read_lines(const std::string& path, std::vector<std::string>& lines) {
  std::ifstream stream(path);
  if (!stream) return false;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return true;
}

Expectations Expectations::read(const std::string& path, std::string& problem) {
  std::ifstream stream(path);
  if (!stream) {
    problem = fmt::format("the list {} cannot be read", path);
    return {};
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  Expectations result = parse(text, problem);
  if (!problem.empty()) problem = path + ": " + problem;
  return result;
}

Expectations Expectations::parse(std::string_view text, std::string& problem) {
  Expectations result;
  std::optional<std::string> stated_skips;
  std::istringstream stream{std::string(text)};
  unsigned number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "skips" && words.size() == 2) {
      stated_skips = words[1];
    } else if ((words[0] == "skip" || words[0] == "fail" || words[0] == "either") && words.size() >= 2) {
      if (find_case(words[1]) == nullptr) problem = fmt::format("line {}: there is no case {}", number, words[1]);
      if (result.entries_.contains(words[1])) problem = fmt::format("line {}: {} stands here twice", number, words[1]);
      result.entries_[words[1]] = words[0] == "skip" ? Kind::skip : words[0] == "fail" ? Kind::fail : Kind::either;
    } else {
      problem = fmt::format("line {}: expected skip, fail or either with CASE and reason, or \"skips COUNT\"", number);
    }
    if (!problem.empty()) return result;
  }
  const auto skips = std::count_if(result.entries_.begin(), result.entries_.end(),
                                   [](const auto& entry) { return entry.second == Kind::skip; });
  if (stated_skips.value_or("") != std::to_string(skips)) {
    problem = fmt::format("{} lines say skip, the line \"skips\" says {}", skips, stated_skips.value_or("nothing"));
  }
  return result;
}

bool Expectations::allows(const std::string& name, Outcome outcome) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return outcome == Outcome::passed;
  switch (found->second) {
    case Kind::skip: return outcome == Outcome::skipped;
    case Kind::fail: return outcome == Outcome::failed;
    case Kind::either: return outcome != Outcome::failed;
  }
  return false;
}

}  // namespace bascule::conformance
