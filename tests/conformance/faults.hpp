// The test of the suite itself: faults that the null plugin can plant, each of which a named case must catch.
//
//   FAULT CASE [OPTION=VALUE ...]
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/runner.hpp"

namespace bascule::conformance {

struct PlantedFault {
  std::string fault;
  const Case* item;
  OptionList options;  // without the fault
};

std::vector<PlantedFault> read_faults(const std::string& path, std::string& problem);

// Runs each case with and without its fault: it must fail with it and pass without. Returns how many do not.
std::size_t run_faults(const RunSettings& settings, const std::vector<PlantedFault>& faults, std::string& text);

}  // namespace bascule::conformance
