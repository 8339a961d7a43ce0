// What the engine does itself: branches, exits, barriers, the stack.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/function_lowering.hpp"

#include <algorithm>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/operand_width.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Operation;

bool is_hint(Operation operation) {
  switch (operation) {
    case Operation::griddepcontrol:
    case Operation::setmaxnreg:
    case Operation::pmevent: return true;
    default: return false;
  }
}

bool is_control(Operation operation) {
  switch (operation) {
    case Operation::bra:
    case Operation::brx_idx:
    case Operation::call:
    case Operation::exit:
    case Operation::ret:
    case Operation::trap:
    case Operation::brkpt:
    case Operation::nanosleep:
    case Operation::bar_sync:
    case Operation::bar_arrive:
    case Operation::bar_red:
    case Operation::bar_warp_sync:
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
    case Operation::barrier_red:
    case Operation::barrier_cluster_arrive:
    case Operation::barrier_cluster_wait:
    case Operation::alloca:
    case Operation::stacksave:
    case Operation::stackrestore: return true;
    default: return is_hint(operation);
  }
}

bool FunctionLowering::lower_control(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::bra:
      emit(instruction.guarded ? run_branch : run_jump, &instruction, {}, 0, true).target =
          graph_.block_of[function_.operand(instruction, 0).index];
      return true;
    case Operation::brx_idx: {
      auto& blocks = branch_blocks_.emplace_back();
      for (const std::uint32_t target : function_.branch_lists[instruction.side]) blocks.push_back(graph_.block_of[target]);
      const Reference index = source(instruction, function_.operand(instruction, 0), 32);
      emit(run_branch_table, &instruction, {index}, 0, true).side = &blocks;
      return true;
    }
    case Operation::exit: emit(run_exit, &instruction, {}, 0, true); return true;
    case Operation::ret: lower_return(&instruction); return true;
    case Operation::trap: emit(run_trap, &instruction, {}, 0, true).own = true; return true;
    case Operation::brkpt: emit(run_breakpoint, &instruction, {}, 0, true).own = true; return true;
    case Operation::bar_warp_sync:
      emit(run_warp_barrier, &instruction, {source(instruction, function_.operand(instruction, 0), 32)}, 0, true).own = true;
      return true;
    case Operation::nanosleep: emit(run_give_turn, &instruction, {}, 0, true); return true;
    default: return false;
  }
}

bool FunctionLowering::lower_barrier(const Instruction& instruction) {
  BarrierOp what;
  switch (instruction.operation) {
    case Operation::bar_sync:
    case Operation::barrier_sync: break;
    case Operation::bar_arrive:
    case Operation::barrier_arrive: what.kind = BarrierOp::Kind::arrive; break;
    case Operation::barrier_cluster_arrive:
    case Operation::barrier_cluster_wait:
      emit(instruction.operation == Operation::barrier_cluster_arrive ? run_cluster_arrive : run_cluster_wait, &instruction, {}, 0,
           true, instruction.has(Modifier::aligned) ? 1 : 0)
          .own = true;
      return true;
    case Operation::bar_red:
    case Operation::barrier_red:
      what.kind = instruction.has(Modifier::popc)   ? BarrierOp::Kind::red_popc
                  : instruction.has(Modifier::and_) ? BarrierOp::Kind::red_and
                                                    : BarrierOp::Kind::red_or;
      break;
    default: return false;
  }
  const bool bar = instruction.operation == Operation::bar_sync || instruction.operation == Operation::bar_arrive ||
                   instruction.operation == Operation::bar_red;
  what.aligned = bar || instruction.has(Modifier::aligned);
  std::vector<Reference> references;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = function_.operand(instruction, i);
    references.push_back(source(instruction, operand, operand_width(instruction, i)));
    if (i + 1 == instruction.operand_count) what.negated = operand.negated;
  }
  emit(run_barrier, &instruction, references, instruction.destinations, true, what.pack()).own = true;
  return true;
}

bool FunctionLowering::lower_stack(const Instruction& instruction) {
  if (instruction.operation != Operation::alloca && instruction.operation != Operation::stacksave &&
      instruction.operation != Operation::stackrestore) {
    return false;
  }
  if (stack_top_ == kNoSlot) stack_top_ = new_value(32);
  const unsigned width = register_width(instruction.type());
  if (instruction.operation == Operation::alloca) {
    std::uint64_t alignment = 16;
    if (instruction.operand_count > 2 && function_.operand(instruction, 2).kind == Operand::Kind::immediate) {
      alignment = std::max<std::uint64_t>(function_.operand(instruction, 2).bits, 1);
    }
    const Reference size = source(instruction, function_.operand(instruction, 1), width);
    emit(run_alloca, &instruction, {source(instruction, function_.operand(instruction, 0), width), stack_top_, size, stack_top_},
         2, true, alignment | std::uint64_t{width / 8} << 32);
  } else if (instruction.operation == Operation::stacksave) {
    emit(run_stack_save, &instruction, {source(instruction, function_.operand(instruction, 0), width), stack_top_}, 1, true,
         width / 8);
  } else {
    emit(run_stack_restore, &instruction, {stack_top_, source(instruction, function_.operand(instruction, 0), width)}, 1, true,
         width / 8);
  }
  return true;
}

}  // namespace bascule::simt
