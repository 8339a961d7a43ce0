// See access_check.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/matrix_in_memory.hpp"
#include "backends/simt/sanitizer/access_check.hpp"

namespace bascule::simt {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;

Strength strength_of(const Instruction& instruction) {
  if (!is_strong(instruction)) return Strength::weak;
  if (instruction.has(Modifier::cta)) return Strength::block;
  return instruction.has(Modifier::cluster) ? Strength::cluster : Strength::everyone;
}

unsigned matrices_of(const Instruction& instruction) {
  return instruction.has(Modifier::x4) ? 4 : instruction.has(Modifier::x2) ? 2 : 1;
}

/// Slots before the operand at `position`, spread out.
unsigned slots_before(const Instruction& instruction, const ptx::Function& function, unsigned position) {
  unsigned slots = 0;
  for (unsigned i = 0; i < position; ++i) {
    const ptx::Operand& operand = function.operand(instruction, i);
    slots += operand.kind == ptx::Operand::Kind::vector ? operand.count : 1;
  }
  return slots;
}

/// The operand that is the address.
unsigned address_position(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::ld:
    case Operation::ldu:
    case Operation::atom:
    case Operation::wmma_load:
    case Operation::ldmatrix: return 1;
    default: return 0;
  }
}

}  // namespace

bool is_strong(const Instruction& instruction) {
  return instruction.operation == Operation::atom || instruction.operation == Operation::red || instruction.has(Modifier::volatile_) ||
         instruction.has(Modifier::relaxed) || instruction.has(Modifier::acquire) || instruction.has(Modifier::release) ||
         instruction.has(Modifier::acq_rel);
}

bool is_checked_access(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::ld:
    case Operation::ldu:
    case Operation::st:
    case Operation::atom:
    case Operation::red:
    case Operation::ldmatrix:
    case Operation::stmatrix:
    case Operation::wmma_load:
    case Operation::wmma_store:
    case Operation::cp_async: return true;
    default: return false;
  }
}

AccessForm access_form(const Instruction& instruction, const ptx::Function& function) {
  AccessForm form;
  const unsigned position = address_position(instruction);
  form.bytes = bits_of(instruction.type()) / 8 * instruction.vector;
  form.where = where_of(instruction, function, position, instruction.space());
  form.wide = is_wide(function, function.operand(instruction, position));
  form.address_slot = slots_before(instruction, function, position);
  form.slot_count = slots_before(instruction, function, instruction.operand_count);
  form.strength = strength_of(instruction);
  form.acquires = instruction.has(Modifier::acquire) || instruction.has(Modifier::acq_rel);
  form.releases = instruction.has(Modifier::release) || instruction.has(Modifier::acq_rel);
  switch (instruction.operation) {
    case Operation::wmma_load:
    case Operation::wmma_store: {
      const MatrixInMemory matrix = matrix_in_memory(instruction);
      form.kind = instruction.operation == Operation::wmma_load ? AccessForm::Kind::load : AccessForm::Kind::store;
      form.bytes = matrix.line_bytes;
      form.alignment = matrix.alignment;
      form.address_slot = instruction.operation == Operation::wmma_load ? matrix.registers : 0;
      form.slot_count = matrix.registers + 2;
      return form;
    }
    case Operation::st: form.kind = AccessForm::Kind::store; break;
    case Operation::atom:
    case Operation::red: form.kind = AccessForm::Kind::atomic; break;
    case Operation::stmatrix:
    case Operation::ldmatrix:
      form.kind = instruction.operation == Operation::ldmatrix ? AccessForm::Kind::load : AccessForm::Kind::store;
      form.bytes = 16;
      form.lanes = 8 * matrices_of(instruction);
      break;
    case Operation::cp_async:
      form.kind = AccessForm::Kind::copy_target;
      form.where = Where::shared;
      form.bytes = static_cast<unsigned>(function.operand(instruction, 2).bits);
      break;
    default: break;
  }
  form.alignment = form.bytes;
  return form;
}

}  // namespace bascule::simt
