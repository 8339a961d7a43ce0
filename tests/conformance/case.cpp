// The list of cases.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/case.hpp"

#include <algorithm>

namespace bascule::conformance {
namespace {

std::vector<Case>& registered() {
  static std::vector<Case> cases;
  return cases;
}

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case Level::core: return "core";
    case Level::async: return "async";
    case Level::graph: return "graph";
    case Level::peer: return "peer";
  }
  return "";
}

CaseRegistration::CaseRegistration(Level level, const char* entry, const char* rule, void (*run)(Context&)) {
  registered().push_back({std::string(entry) + "." + rule, level, run});
}

std::span<const Case> all_cases() {
  auto& cases = registered();
  if (!std::is_sorted(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; })) {
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  }
  return cases;
}

const Case* find_case(std::string_view name) {
  for (const Case& item : all_cases()) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

void skip(const std::string& reason) { throw CaseSkipped(reason); }

}  // namespace bascule::conformance
