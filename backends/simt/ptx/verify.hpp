// Rules of single instructions that the table of forms does not express.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "backends/simt/ptx/ir.hpp"
#include "backends/simt/ptx/requirement.hpp"

namespace bascule::simt::ptx {

struct VerifyInput {
  const Instruction& instruction;  // its operands are the last ones of the function
  const Function& function;
  const Module& module;
  const Platform& platform;
  bool param_entry = false, param_func = false;  // .param::entry, .param::func
};

struct Problem {
  Location location;  // line 0: the instruction
  std::string message;
  std::string hint;
};

/// The first rule that the instruction breaks.
[[nodiscard]] std::optional<Problem> verify(const VerifyInput& input);

}  // namespace bascule::simt::ptx
