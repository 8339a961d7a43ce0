// Which line of the table of forms an instruction is written by, and which of the line's words it has: the unit in which coverage
// is counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "backends/simt/ptx/forms.hpp"

namespace bascule::simt::ptx {

struct FormUse {
  const Form* form = nullptr;
  std::vector<int> choices;  // for each of the form's groups the index of its word, -1 where it was left out
};

/// The first form whose words and operands are the instruction's. None only for what did not come from the parser.
[[nodiscard]] std::optional<FormUse> find_form_use(const Instruction& instruction, const Function& function);

}  // namespace bascule::simt::ptx
