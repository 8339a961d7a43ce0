// Instructions to drafts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/function_lowering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/coverage.hpp"
#include "backends/simt/execute/operand_width.hpp"
#include "backends/simt/ptx/describe.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operand;
using ptx::Operation;

namespace {

// Hints to hardware that there is none of here.
bool is_hint(Operation operation) {
  switch (operation) {
    case Operation::griddepcontrol:
    case Operation::setmaxnreg:
    case Operation::pmevent: return true;
    default: return false;
  }
}

// Lanes read each other, or memory is read before all is written: the destination must keep clear of the sources.
bool writes_lane_by_lane(const Instruction& instruction) {
  if (instruction.has(Modifier::cc)) return false;
  switch (instruction.operation) {
    case Operation::shfl:
    case Operation::shfl_sync:
    case Operation::vote:
    case Operation::vote_sync:
    case Operation::match_sync:
    case Operation::redux_sync:
    case Operation::elect_sync:
    case Operation::activemask:
    case Operation::mma:
    case Operation::mma_sp:
    case Operation::movmatrix:
    case Operation::ldmatrix:
    case Operation::stmatrix:
    case Operation::wmma_load:
    case Operation::wmma_mma:
    case Operation::wmma_store:
    case Operation::ld:
    case Operation::ldu:
    case Operation::atom:
    case Operation::call: return false;
    default: return true;
  }
}

}  // namespace

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

FunctionLowering::FunctionLowering(ProgramContext& all, std::uint32_t index)
    : all_(all), function_(all.module.functions[index]), code_(*all.program.functions[index]) {
  code_.function = &function_;
  code_.index = index;
}

void FunctionLowering::refuse(const Instruction& instruction, std::string message, std::string hint) {
  ptx::Diagnostic diagnostic;
  diagnostic.location = instruction.location;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  all_.diagnostics.push_back(std::move(diagnostic));
}

void FunctionLowering::run() {
  graph_ = make_flow_graph(function_);
  for (const ptx::Register& reg : function_.registers) register_values_.push_back(new_value(register_width(reg.type)));
  place_variables();
  find_aliases();  // needs the variables' offsets
  make_formals();
  drafts_.block_begin.resize(graph_.blocks.size());
  drafts_.block_end.resize(graph_.blocks.size());
  for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
    const FlowBlock& block = graph_.blocks[b];
    drafts_.block_begin[b] = static_cast<std::uint32_t>(drafts_.list.size());
    if (b == 0) {
      emit(run_frame_addresses, nullptr, {kNoSlot, kNoSlot, kNoSlot}, 3, false);
      const Handler entered = all_.options.sanitize ? instrumentation().function_entered : nullptr;
      if (entered != nullptr) emit(entered, nullptr, {}, 0, false, local_variable_bytes_);
    }
    if (all_.options.statistics) {
      const auto plain = static_cast<std::uint64_t>(
          std::count_if(function_.instructions.begin() + block.begin, function_.instructions.begin() + block.end,
                        [](const Instruction& instruction) { return !instruction.guarded; }));
      if (plain != 0) emit(run_count, nullptr, {}, 0, false, plain);
    }
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (CoverageCell* const cell = coverage_cell(instruction, function_)) emit(run_covered, &instruction, {}, 0, true).side = cell;
      if (all_.options.statistics && instruction.guarded) emit(run_count, &instruction, {}, 0, true, 1);
      lower_instruction(instruction);
    }
    if (b + 1 == graph_.blocks.size()) lower_return(nullptr);
    drafts_.block_end[b] = static_cast<std::uint32_t>(drafts_.list.size());
  }
  Reference* const prologue = &drafts_.references[drafts_.list.front().first];
  prologue[0] = parameter_base_;
  prologue[1] = local_base_;
  prologue[2] = stack_top_;
  if (all_.diagnostics.empty()) lay_out();
}

void FunctionLowering::place_variables() {
  plans_ = plan_parameters(function_);
  variable_offsets_.assign(function_.variables.size(), 0);
  parameter_values_.resize(function_.variables.size());
  std::uint64_t end = 0;
  const auto place = [&](std::size_t index) {
    const ptx::Variable& variable = function_.variables[index];
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 1);
    end = (end + alignment - 1) / alignment * alignment;
    variable_offsets_[index] = static_cast<std::uint32_t>(end);
    end += variable.bytes;
    all_.program.local_alignment = std::max(all_.program.local_alignment, static_cast<std::uint32_t>(alignment));
  };
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    if (function_.variables[i].space != ptx::Space::local) continue;
    place(i);
    code_.local_variables.push_back({variable_offsets_[i], static_cast<std::uint32_t>(function_.variables[i].bytes), &function_.variables[i]});
    if (all_.options.sanitize) end += kVariableGap;
  }
  code_.local_variable_bytes = static_cast<std::uint32_t>(end);
  local_variable_bytes_ = static_cast<std::uint32_t>(end);
  const std::size_t formals = function_.results.size() + function_.parameters.size();
  for (std::size_t i = 0; i < function_.variables.size(); ++i) {
    if (i < formals) {
      if (!function_.entry) place(i);  // where it lies, or where its parts pass through
    } else if (function_.variables[i].space == ptx::Space::param && plans_[i].in_memory) {
      place(i);
    }
    if (function_.entry && i < formals) continue;
    for (const ParameterPlan::Part& part : plans_[i].parts) parameter_values_[i].push_back(new_value(part.bytes * 8));
  }
  // Rounded up to the program's alignment when that is known; at least something, so that no recursion is without end.
  code_.local_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(end, function_.entry ? 0 : 16));
}

void FunctionLowering::lower_instruction(const Instruction& instruction) {
  if (is_hint(instruction.operation)) return;
  if (instruction.operation == Operation::call) return lower_call(instruction);
  if (lower_control(instruction) || lower_barrier(instruction) || lower_stack(instruction)) return;
  if (lower_parameter_access(instruction) || lower_special_move(instruction)) return;
  lower_with_family(instruction);
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

bool FunctionLowering::collect_operands(const Instruction& instruction, Layout layout, std::vector<Reference>& references,
                                        unsigned& destinations, std::uint64_t& immediate) {
  bool first_address = true;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = function_.operand(instruction, i);
    const unsigned width = operand_width(instruction, i);
    if (operand.kind == Operand::Kind::vector) {
      for (std::size_t k = 0; k < operand.count; ++k) {
        references.push_back(source(instruction, function_.elements[operand.index + k], width));
      }
    } else if (operand.kind == Operand::Kind::address) {
      std::int64_t offset = 0;
      Reference base = base_of(operand, offset);
      if (first_address && layout == Layout::memory) {
        immediate = static_cast<std::uint64_t>(offset);
      } else if (offset != 0) {
        const bool wide = operand.base_kind != Operand::Kind::reg || width_of_register(operand.index) == 64;
        base = sum(&instruction, base, offset, wide ? 64 : 32);
      }
      first_address = false;
      references.push_back(base);
    } else if (operand.kind != Operand::Kind::label) {
      references.push_back(source(instruction, operand, width));
    }
    if (i < instruction.destinations) destinations = static_cast<unsigned>(references.size());
  }
  return true;
}

void FunctionLowering::lower_with_family(const Instruction& instruction) {
  if (instruction.operation == Operation::cvta && instruction.destinations == 1) {
    const Operand& to = function_.operand(instruction, 0);
    if (to.kind == Operand::Kind::reg && !is_value(register_values_[to.index])) return;  // an alias
  }
  Selected selected;
  for (const Select family : all_.families) {
    selected = family(instruction, function_);
    if (selected.run != nullptr) break;
  }
  if (selected.run == nullptr) {
    refuse(instruction, fmt::format("{} is not executed by this engine yet", ptx::form_name(instruction)));
    return;
  }
  std::vector<Reference> references;
  unsigned destinations = 0;
  std::uint64_t immediate = selected.immediate;
  collect_operands(instruction, selected.layout, references, destinations, immediate);
  Draft& draft = emit(selected.run, &instruction, references, destinations, true, immediate);
  draft.own = true;
  draft.lane_by_lane = !all_.options.sanitize && !all_.options.trace && destinations == 1 && writes_lane_by_lane(instruction);
}

}  // namespace bascule::simt
