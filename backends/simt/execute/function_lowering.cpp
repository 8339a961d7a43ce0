// Instructions to drafts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/function_lowering.hpp"

#include <fmt/format.h>

#include <algorithm>

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
