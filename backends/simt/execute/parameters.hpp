// Parameters of functions and calls (.param variables): which of them can be registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt {

/// How a .param variable of a function's body is held. Its parts are registers when every access is an ld.param or st.param
/// at a constant offset, and no two accesses overlap unless they are of the same bytes.
struct ParameterPlan {
  struct Part {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  bool is_parameter = false;
  bool in_memory = false;
  std::vector<Part> parts;  // by offset
};

/// By Function::variables.
[[nodiscard]] std::vector<ParameterPlan> plan_parameters(const ptx::Function& function);

/// Position of the address and of the value among the operands of an ld or st.
struct MoveOperands {
  std::size_t address = 0;
  std::size_t value = 0;
};
[[nodiscard]] bool is_parameter_access(const ptx::Instruction& instruction, MoveOperands& operands);

}  // namespace bascule::simt
