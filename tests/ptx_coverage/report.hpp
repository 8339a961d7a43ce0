// What the tests make of the table of forms: the table of docs/ptx-coverage.md, and what no test has executed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "tests/ptx_coverage/executed.hpp"

namespace bascule::ptx_coverage {

enum class State { runs, untested, parsed_only };

struct FormState {
  const simt::ptx::Form* form = nullptr;
  State state = State::parsed_only;
  std::vector<std::string> untested;  // words that the engine takes and no test executed
  std::vector<std::string> refused;   // words that are refused at load, where others of the form are not
};
[[nodiscard]] FormState state_of(const simt::ptx::Form& form, const Executed& executed);
[[nodiscard]] std::vector<FormState> states_of(const Executed& executed);

/// A line that begins with "untested: " for each form with something that no test has executed.
[[nodiscard]] std::vector<std::string> untested_lines(const std::vector<FormState>& states);

/// docs/ptx-coverage.md
[[nodiscard]] std::string table_of(const std::vector<FormState>& states);

/// The first line in which two texts differ, for a message; empty where they are the same.
[[nodiscard]] std::string first_difference(const std::string& wanted, const std::string& got);

}  // namespace bascule::ptx_coverage
