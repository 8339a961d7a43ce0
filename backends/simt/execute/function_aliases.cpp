// Instructions that need no operation, or only a copy: parameters that are constants of the launch or registers, special
// registers, and registers that are written once, with a constant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/function_lowering.hpp"

#include <algorithm>

#include "backends/simt/execute/operand_width.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Operand;
using ptx::Operation;

// A part of the kernel's parameters is a constant of the launch.
bool FunctionLowering::launch_parameter(const Instruction& instruction, unsigned element, unsigned width, Reference& value) {
  MoveOperands operands;
  if (!function_.entry || !is_parameter_access(instruction, operands) || instruction.operation != Operation::ld) return false;
  const Operand& address = function_.operand(instruction, operands.address);
  if (address.kind != Operand::Kind::address || address.base_kind != Operand::Kind::symbol || !address.local_symbol ||
      address.index >= function_.parameters.size()) {
    return false;
  }
  const ptx::Variable& parameter = function_.parameters[address.index];
  const std::uint32_t bytes = ptx::bits_of(instruction.type()) / 8;
  const std::int64_t offset = address.offset + std::int64_t{element} * bytes;
  if (bytes == 0 || bytes > 8 || offset < 0 || offset % bytes != 0 || static_cast<std::uint64_t>(offset) + bytes > parameter.bytes) {
    return false;
  }
  LaunchConstant wanted;
  wanted.what = LaunchConstant::What::parameter;
  wanted.width = static_cast<std::uint8_t>(width);
  wanted.bytes = static_cast<std::uint8_t>(bytes);
  wanted.sign = ptx::kind_of(instruction.type()) == 's';
  wanted.offset = parameter.offset + static_cast<std::uint64_t>(offset);
  value = launch_constant(wanted);
  return true;
}

bool FunctionLowering::lower_parameter_access(const Instruction& instruction) {
  MoveOperands operands;
  if (!is_parameter_access(instruction, operands)) return false;
  const Operand& address = function_.operand(instruction, operands.address);
  if (address.kind != Operand::Kind::address || address.base_kind != Operand::Kind::symbol || !address.local_symbol) return false;
  if (function_.variables[address.index].space != ptx::Space::param) return false;
  const bool of_kernel = function_.entry && address.index < function_.parameters.size();
  if (!of_kernel && plans_[address.index].in_memory) return false;
  const Operand& value = function_.operand(instruction, operands.value);
  const std::uint32_t bytes = ptx::bits_of(instruction.type()) / 8;
  const bool sign = ptx::kind_of(instruction.type()) == 's';
  for (unsigned element = 0; element < instruction.vector; ++element) {
    const Operand& part = value.kind == Operand::Kind::vector ? function_.elements[value.index + element] : value;
    if (part.kind == Operand::Kind::sink) continue;
    const unsigned width = part.kind == Operand::Kind::reg ? width_of_register(part.index) : bytes * 8;
    if (of_kernel) {
      Reference known = kNoSlot;
      if (!launch_parameter(instruction, element, width, known)) return false;
      const Reference to = register_values_[part.index];
      if (to == known) continue;  // an alias
      emit(all_.moves.convert(width / 8, width / 8, false), &instruction, {to, known}, 1, true).lane_by_lane = true;
      continue;
    }
    const auto& parts = plans_[address.index].parts;
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const ParameterPlan::Part& candidate) {
      return candidate.offset == address.offset + std::int64_t{element} * bytes;
    });
    const Reference place = parameter_values_[address.index][static_cast<std::size_t>(at - parts.begin())];
    if (instruction.operation == Operation::ld) {
      emit(all_.moves.convert(bytes, width / 8, sign), &instruction, {register_values_[part.index], place}, 1, true);
    } else {
      emit(all_.moves.convert(width / 8, bytes, false), &instruction, {place, source(instruction, part, width)}, 1, true);
    }
  }
  return true;
}

bool FunctionLowering::lower_special_move(const Instruction& instruction) {
  if (instruction.operation != Operation::mov || instruction.operand_count != 2) return false;
  const Operand& to = function_.operand(instruction, 0);
  const Operand& from = function_.operand(instruction, 1);
  if (to.kind != Operand::Kind::reg) return false;
  if (is_value(register_values_[to.index]) == false) return true;  // an alias
  if (from.kind != Operand::Kind::special) return false;
  const unsigned width = width_of_register(to.index);
  if (special_constant(from, width) != kNoSlot) return false;
  special(&instruction, from, width, register_values_[to.index], true);
  return true;
}

// A register that is written once, with a constant, is that constant.
void FunctionLowering::find_aliases() {
  std::vector<std::uint8_t> definitions(function_.registers.size(), 0);
  const auto define = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg && definitions[operand.index] < 2) ++definitions[operand.index];
  };
  for (const Instruction& instruction : function_.instructions) {
    for (std::size_t i = 0; i < instruction.destinations; ++i) {
      const Operand& operand = function_.operand(instruction, i);
      if (operand.kind != Operand::Kind::vector) {
        define(operand);
        continue;
      }
      for (std::size_t k = 0; k < operand.count; ++k) define(function_.elements[operand.index + k]);
    }
  }
  for (const ptx::Call& call : function_.calls) {
    for (const Operand& result : call.results) define(result);
  }
  for (const std::uint32_t reg : function_.parameter_registers) definitions[reg] = 2;
  for (const Instruction& instruction : function_.instructions) {
    if (instruction.guarded || instruction.destinations != 1) continue;
    const Operand& to = function_.operand(instruction, 0);
    if (to.kind != Operand::Kind::reg || definitions[to.index] != 1 || width_of_register(to.index) == 1) continue;
    if (const Reference alias = alias_of(instruction); alias != kNoSlot) register_values_[to.index] = alias;
  }
}

Reference FunctionLowering::alias_of(const Instruction& instruction) {
  const unsigned width = width_of_register(function_.operand(instruction, 0).index);
  if (instruction.operand_count < 2) return kNoSlot;
  const Operand& from = function_.operand(instruction, 1);
  Reference value = kNoSlot;
  switch (instruction.operation) {
    case Operation::ld: return instruction.vector == 1 && launch_parameter(instruction, 0, width, value) ? value : kNoSlot;
    case Operation::mov:
      if (from.kind == Operand::Kind::immediate || from.kind == Operand::Kind::function) return source(instruction, from, width);
      if (from.kind == Operand::Kind::special) return special_constant(from, width);
      if (from.kind == Operand::Kind::symbol) {
        std::int64_t offset = from.offset;
        return variable_base(from, offset) == kNoSlot ? fixed_address(from, offset, width) : kNoSlot;
      }
      return kNoSlot;
    case Operation::cvta:
      // Global addresses are generic ones.
      if (instruction.space() != ptx::Space::global || all_.options.sanitize || from.kind != Operand::Kind::reg) return kNoSlot;
      return width == width_of_register(from.index) && !is_value(register_values_[from.index]) ? register_values_[from.index]
                                                                                              : kNoSlot;
    default: return kNoSlot;
  }
}

}  // namespace bascule::simt
