// The verdict: as text for people, as JSON for records.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/conformance/expectations.hpp"
#include "tests/conformance/runner.hpp"

namespace bascule::conformance {

struct Report {
  std::string plugin_json;  // from describe_plugin
  std::string plugin_file;
  OptionList options;
  std::string expectations_file;  // "" if none
  std::optional<Expectations> expectations;
  std::vector<const Case*> cases;
  std::vector<Result> results;

  bool as_expected(std::size_t index) const;
  // Without a list no failure is expected, and skips are not judged.
  bool passed() const;
};

std::string text_report(const Report& report, bool verbose);
std::string json_report(const Report& report);

// XXH3-128 of a file's content in hexadecimal; "" if it cannot be read.
std::string hash_file(const std::string& path);

}  // namespace bascule::conformance
