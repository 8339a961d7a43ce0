// Most operands have the instruction's first type; here are those that have not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/operand_width.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

unsigned register_width(Type type) {
  const unsigned bits = ptx::bits_of(type);
  if (type == Type::pred) return 1;
  if (bits <= 8) return 8;
  if (bits <= 16) return 16;
  if (bits <= 32) return 32;
  return bits <= 64 ? 64 : 128;
}

namespace {

// Of the last operand, with the one before or both of the narrower kind.
unsigned mixed(const Instruction& instruction, std::size_t position) {
  const bool addend = position + 1 == instruction.operand_count;
  if (instruction.type_count > 1) return register_width(instruction.type(addend || position == 0 ? 0 : 1));
  const unsigned width = register_width(instruction.type());
  return instruction.has(Modifier::wide) && (addend && instruction.operand_count == 4) ? width * 2 : width;
}

}  // namespace

unsigned operand_width(const Instruction& instruction, std::size_t position) {
  const Type first = instruction.type();
  const unsigned width = register_width(first == Type::none ? Type::b32 : first);
  switch (instruction.operation) {
    case Operation::shl:
    case Operation::shr: return position == 2 ? 32 : width;
    case Operation::bfe: return position >= 2 ? 32 : width;
    case Operation::bfi: return position >= 3 ? 32 : width;
    case Operation::set:
    case Operation::slct:
      if (instruction.operation == Operation::slct) return position == 3 ? register_width(instruction.type(1)) : width;
      if (position >= 3) return 1;
      return position == 0 ? width : register_width(instruction.type(1));
    case Operation::setp: return position >= instruction.destinations + 2u ? 1 : width;
    case Operation::lop3: return position >= instruction.destinations + 4u ? 1 : 32;
    case Operation::selp: return position == 3 ? 1 : width;
    case Operation::cvt:
      if (instruction.has(Modifier::rs) && position + 1 == instruction.operand_count) return 32;
      return register_width(position == 0 || instruction.type_count < 2 ? first : instruction.type(1));
    case Operation::cvt_pack: return 32;
    case Operation::mad:
    case Operation::mul: return mixed(instruction, position);
    case Operation::add:
    case Operation::sub:
    case Operation::fma: return mixed(instruction, position);
    case Operation::mul24:
    case Operation::mad24:
    case Operation::dp2a:
    case Operation::dp4a:
    case Operation::prmt:
    case Operation::shf:
    case Operation::bmsk:
    case Operation::szext:
    case Operation::fns:
    case Operation::nanosleep:
    case Operation::brx_idx:
    case Operation::shfl:
    case Operation::shfl_sync:
    case Operation::redux_sync:
    case Operation::elect_sync:
    case Operation::bar_warp_sync:
    case Operation::cp_async:
    case Operation::cp_async_wait_group:
    case Operation::setmaxnreg: return 32;
    case Operation::bar_sync:
    case Operation::bar_arrive:
    case Operation::bar_red:
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
    case Operation::barrier_red: return 32;
    case Operation::vote:
    case Operation::vote_sync: return position == 2 ? 32 : position == 1 ? 1 : width;
    case Operation::match_sync: return position + 1 == instruction.operand_count ? 32 : width;
    // Types are those of a matrix's elements, of which a register holds several.
    case Operation::wmma_load:
    case Operation::wmma_store:
      if (position == 2) return 32;  // the stride
      [[fallthrough]];
    case Operation::mma:
    case Operation::wmma_mma:
    case Operation::ldmatrix:
    case Operation::stmatrix:
    case Operation::movmatrix: return first == Type::f64 ? 64 : 32;
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_arrive_drop:
    case Operation::mbarrier_complete_tx:
    case Operation::mbarrier_expect_tx:
    case Operation::mbarrier_init: return 32;
    case Operation::mbarrier_test_wait:
    case Operation::mbarrier_try_wait:
      return position == 2 && !instruction.has(Modifier::parity) ? 64 : 32;
    case Operation::st_bulk: return position == 1 ? 64 : width;  // a constant size
    case Operation::atom:
    case Operation::red: return width;
    default: return width;
  }
}

}  // namespace bascule::simt
