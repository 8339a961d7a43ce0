// What of a form the engine executes: found out by lowering instructions made from the form, not by looking at the text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "backends/simt/ptx/forms.hpp"

namespace bascule::ptx_coverage {

/// For each group of the form, for each of its words: whether some instruction with it is accepted by lowering.
struct Support {
  std::vector<std::vector<bool>> words;
  bool any = false;
};
[[nodiscard]] Support support_of(const simt::ptx::Form& form);

}  // namespace bascule::ptx_coverage
