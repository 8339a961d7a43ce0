// Reading the table in docs/capabilities.md.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/capabilities.hpp"

#include <sstream>

#include "docs/capabilities.md.hpp"

namespace bascule::conformance {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

}  // namespace

std::vector<DocumentedCapability> parse_capabilities(std::string_view page) {
  std::vector<DocumentedCapability> list;
  std::istringstream stream{std::string(page)};
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t name_end = line.find('`', 3);
    const std::size_t unit_start = line.find('|', name_end);
    if (name_end == std::string::npos || unit_start == std::string::npos) continue;
    const std::size_t unit_end = line.find('|', unit_start + 1);
    const std::string unit = trimmed(std::string_view(line).substr(unit_start + 1, unit_end - unit_start - 1));
    list.push_back({line.substr(3, name_end - 3), unit == "—" ? "" : unit});
  }
  return list;
}

const DocumentedCapability* find_capability(std::string_view name) {
  static const auto list = parse_capabilities(embedded::docs_capabilities_md);
  for (const DocumentedCapability& item : list) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace bascule::conformance
