// Comparing many elements: text is made only for the one that is wrong.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <source_location>
#include <string_view>
#include <vector>

#include "tests/conformance/check.hpp"

namespace bascule::conformance {

// `wanted(i)` is what element i has to be.
template <class T, class Wanted>
void expect_elements(const std::vector<T>& elements, Wanted wanted, std::string_view what,
                     std::source_location where = std::source_location::current()) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const T right = static_cast<T>(wanted(i));
    if (elements[i] != right) {
      fail(fmt::format("{}: element {} is {}, expected {}", what, i, elements[i], right), where);
    }
  }
}

}  // namespace bascule::conformance
