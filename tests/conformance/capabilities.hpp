// The capabilities that docs/capabilities.md lists; the suite carries that page.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bascule::conformance {

struct DocumentedCapability {
  std::string name;
  std::string unit;
};

// Rows of the page's tables: | `name` | unit | meaning |
std::vector<DocumentedCapability> parse_capabilities(std::string_view page);
const DocumentedCapability* find_capability(std::string_view name);

}  // namespace bascule::conformance
