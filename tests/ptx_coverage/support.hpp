// What of a form the engine executes: found out by lowering instructions made from the form, not by looking at the text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/ptx/forms.hpp"

namespace bascule::ptx_coverage {

/// Whether some instruction of the form is accepted by lowering.
[[nodiscard]] bool supports(const simt::ptx::Form& form);
/// Whether one with this word of this group is. A kernel's and a function's .param are one space in the typed form, so
/// .param::entry and .param::func are not asked for.
[[nodiscard]] bool supports(const simt::ptx::Form& form, std::size_t group, std::size_t word);

}  // namespace bascule::ptx_coverage
