// Evaluation of expressions and the errors of failed ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/expression.hpp"

#include <algorithm>
#include <array>

#include "core/package/concat.hpp"

namespace bascule::core {

Expression Expression::constant(std::uint64_t value) {
  Expression result;
  result.left_.value = value;
  result.text_ = std::to_string(value);
  return result;
}

bool Expression::uses_slot(std::uint32_t slot) const {
  return std::any_of(names_.begin(), names_.end(), [slot](const Name& name) { return name.slot == slot; });
}

bool Expression::run(const std::uint64_t* values, std::uint64_t& out, Fault* fault) const noexcept {
  std::array<std::uint64_t, kMaxStack> stack;  // the parser has made sure that it suffices
  std::size_t depth = 0;
  for (std::size_t index = 0; index < program_.size(); ++index) {
    const Instruction& instruction = program_[index];
    switch (instruction.operation) {
      case Operation::push_constant: stack[depth++] = instruction.value; break;
      case Operation::push_slot: stack[depth++] = values[instruction.slot]; break;
      case Operation::logical_not: stack[depth - 1] = stack[depth - 1] == 0; break;
      case Operation::to_bool: stack[depth - 1] = stack[depth - 1] != 0; break;
      case Operation::jump: index = instruction.slot - 1; break;
      case Operation::jump_if_zero:
        if (stack[--depth] == 0) index = instruction.slot - 1;
        break;
      default: {
        const std::uint64_t right = stack[--depth];
        const std::uint64_t left = stack[depth - 1];
        if (!apply(instruction.operation, left, right, stack[depth - 1])) {
          if (fault != nullptr) *fault = {instruction.operation, left, right};
          return false;
        }
      }
    }
  }
  out = stack[0];
  return true;
}

Error Expression::failure(const std::uint64_t* values) const {
  std::uint64_t ignored = 0;
  Fault fault{Operation::add, 0, 0};
  std::string what = "fails";
  if (!run(values, ignored, &fault)) {
    const auto joined = [&fault](std::string_view sign) { return concat(fault.left, sign, fault.right); };
    switch (fault.operation) {
      case Operation::add: what = concat("exceeds 64 bits in ", joined(" + ")); break;
      case Operation::subtract: what = concat("goes below zero in ", joined(" - ")); break;
      case Operation::multiply: what = concat("exceeds 64 bits in ", joined(" * ")); break;
      case Operation::divide: what = concat("divides by zero in ", joined(" / ")); break;
      case Operation::modulo: what = concat("divides by zero in ", joined(" % ")); break;
      case Operation::shift_left: what = concat("exceeds 64 bits in ", joined(" << ")); break;
      case Operation::shift_right: what = concat("shifts by 64 or more in ", joined(" >> ")); break;
      case Operation::ceildiv: what = concat("divides by zero in ceildiv(", joined(", "), ")"); break;
      case Operation::align:
        what = concat(fault.right == 0 ? "divides by zero in align(" : "exceeds 64 bits in align(", joined(", "), ")");
        break;
      default: break;
    }
  }
  Error error{BSC_INVALID_ARGUMENT, concat("the expression `", text_, "` ", what)};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    error.message += concat(i == 0 ? " with " : ", ", names_[i].name, " = ", values[names_[i].slot]);
  }
  error.remedy = "pass arguments for which the expression is defined";
  return error;
}

}  // namespace bascule::core
