// What the rules of single instructions have in common, and those of memory (verify_memory.cpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <string>

#include "backends/simt/ptx/verify.hpp"

namespace bascule::simt::ptx {

using Result = std::optional<Problem>;

[[nodiscard]] inline std::string quoted(const Instruction& instruction) { return "'" + std::string(name_of(instruction.operation)) + "'"; }

[[nodiscard]] inline Problem problem(std::string message, std::string hint = {}, Location location = {}) {
  return {location, std::move(message), std::move(hint)};
}

[[nodiscard]] inline const Operand& operand(const VerifyInput& input, std::size_t position) {
  return input.function.operands[input.instruction.first_operand + position];
}
[[nodiscard]] inline std::size_t operand_count(const VerifyInput& input) {
  return input.function.operands.size() - input.instruction.first_operand;
}

[[nodiscard]] inline bool has_any(const Instruction& instruction, std::initializer_list<Modifier> modifiers) {
  for (const Modifier modifier : modifiers) {
    if (instruction.has(modifier)) return true;
  }
  return false;
}

/// An address in `space`; `bytes` are accessed, 0: not known.
[[nodiscard]] Result verify_address(const VerifyInput& input, const Operand& address, Space space, std::uint64_t bytes);
/// What atom and red have in common; `position` is that of the address.
[[nodiscard]] Result verify_atomic(const VerifyInput& input, std::size_t position);
/// ld, ldu, st.
[[nodiscard]] Result verify_access(const VerifyInput& input, std::size_t position);
/// mov, cvta, mapa: the second operand may be the name of a variable or function.
[[nodiscard]] Result verify_symbol(const VerifyInput& input);
[[nodiscard]] Result verify_cvta(const VerifyInput& input);
[[nodiscard]] Result verify_mbarrier_arrive(const VerifyInput& input);
[[nodiscard]] Result verify_cp_async(const VerifyInput& input);

}  // namespace bascule::simt::ptx
