// See memory_select.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/memory_select.hpp"

namespace bascule::simt {

MemoryForm memory_form(const ptx::Instruction& instruction, const ptx::Function& function, std::size_t value,
                       std::size_t address) {
  MemoryForm form;
  const ptx::Operand& place = function.operand(instruction, address);
  form.where = where_of(instruction, function, address, instruction.space());
  form.wide = is_wide(function, place);
  form.is_signed = kind_of(instruction.type()) == 's';
  form.count = instruction.vector;
  form.memory_bytes = bits_of(instruction.type()) / 8;
  form.register_bytes = form.memory_bytes;
  const ptx::Operand& operand = function.operand(instruction, value);
  const auto look_at = [&](const ptx::Operand& element) {
    if (element.kind == ptx::Operand::Kind::sink) form.sinks = true;
    if (element.kind == ptx::Operand::Kind::reg) form.register_bytes = slot_bytes(function, element, instruction.type());
  };
  if (operand.kind == ptx::Operand::Kind::vector) {
    for (std::size_t i = 0; i < operand.count; ++i) look_at(function.elements[operand.index + i]);
  } else {
    look_at(operand);
  }
  return form;
}

}  // namespace bascule::simt
