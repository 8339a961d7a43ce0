// Operands: registers, constants, addresses of variables, special registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/function_lowering.hpp"
#include "backends/simt/execute/operand_width.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Operand;
using ptx::SpecialRegister;
using What = LaunchConstant::What;

std::uint8_t FunctionLowering::width_of_register(std::uint32_t index) const {
  return static_cast<std::uint8_t>(register_width(function_.registers[index].type));
}

Reference FunctionLowering::new_value(unsigned width) {
  drafts_.widths.push_back(static_cast<std::uint8_t>(width));
  return static_cast<Reference>(drafts_.widths.size() - 1);
}

Reference FunctionLowering::launch_constant(LaunchConstant wanted) {
  for (const LaunchConstant& known : all_.program.launch_constants) {
    if (known.what == wanted.what && known.component == wanted.component && known.width == wanted.width &&
        known.sign == wanted.sign && known.bytes == wanted.bytes && known.offset == wanted.offset) {
      return known.slot;
    }
  }
  wanted.slot = all_.program.constants.reserve(wanted.width);
  all_.program.launch_constants.push_back(wanted);
  return wanted.slot;
}

Reference FunctionLowering::special_constant(const Operand& operand, unsigned width) {
  const auto of_launch = [&](What what) {
    LaunchConstant wanted;
    wanted.what = what;
    wanted.component = operand.component;
    wanted.width = static_cast<std::uint8_t>(width);
    return launch_constant(wanted);
  };
  const auto per_lane = [&](auto f) -> Reference {
    if (width != 32) return kNoSlot;
    std::array<std::uint32_t, kLanes> values{};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) values[lane] = f(lane);
    return all_.program.constants.lanes(values);
  };
  const auto extent_of_launch = [&](What what) { return operand.component < 3 ? of_launch(what) : constant(0, width); };
  switch (operand.special) {
    case SpecialRegister::ntid: return extent_of_launch(What::ntid);
    case SpecialRegister::nctaid: return extent_of_launch(What::nctaid);
    case SpecialRegister::nclusterid: return extent_of_launch(What::nclusterid);
    case SpecialRegister::cluster_nctaid: return extent_of_launch(What::cluster_nctaid);
    case SpecialRegister::cluster_ctaid: return extent_of_launch(What::cluster_ctaid);
    case SpecialRegister::cluster_nctarank: return of_launch(What::cluster_nctarank);
    case SpecialRegister::cluster_ctarank: return of_launch(What::cluster_ctarank);
    case SpecialRegister::is_explicit_cluster: return of_launch(What::is_explicit_cluster);
    case SpecialRegister::nwarpid: return of_launch(What::nwarpid);
    case SpecialRegister::nsmid: return of_launch(What::nsmid);
    case SpecialRegister::gridid: return of_launch(What::gridid);
    case SpecialRegister::dynamic_smem_size: return of_launch(What::dynamic_shared);
    case SpecialRegister::total_smem_size:
    case SpecialRegister::aggr_smem_size: return of_launch(What::total_shared);
    case SpecialRegister::laneid: return per_lane([](std::uint32_t lane) { return lane; });
    case SpecialRegister::lanemask_eq: return per_lane([](std::uint32_t lane) { return 1u << lane; });
    case SpecialRegister::lanemask_lt: return per_lane([](std::uint32_t lane) { return (1u << lane) - 1; });
    case SpecialRegister::lanemask_le: return per_lane([](std::uint32_t lane) { return (2u << lane) - 1; });
    case SpecialRegister::lanemask_gt: return per_lane([](std::uint32_t lane) { return ~((2u << lane) - 1); });
    case SpecialRegister::lanemask_ge: return per_lane([](std::uint32_t lane) { return ~((1u << lane) - 1); });
    // No performance monitors, no environment, nothing of shared memory reserved for the system.
    case SpecialRegister::pm:
    case SpecialRegister::pm64:
    case SpecialRegister::envreg:
    case SpecialRegister::reserved_shared_begin:
    case SpecialRegister::reserved_shared_end:
    case SpecialRegister::reserved_shared_cap:
    case SpecialRegister::reserved_shared_offset:
    case SpecialRegister::current_graph_exec: return constant(0, width);
    default: return kNoSlot;
  }
}

Reference FunctionLowering::special(const Instruction* instruction, const Operand& operand, unsigned width, Reference into,
                                    bool guarded) {
  const bool thread = operand.special == SpecialRegister::tid && operand.component < 3;
  if (into == kNoSlot) into = new_value(width);
  // What differs between lanes comes in 32 bits, and nothing in 16.
  const Reference lanes = width == 32 ? kNoSlot : special_constant(operand, 32);
  if (width == 16 || (width != 32 && (thread || lanes != kNoSlot))) {
    const Reference value = lanes != kNoSlot ? lanes : special(instruction, operand, 32, kNoSlot, false);
    emit(all_.moves.convert(4, width / 8, false), instruction, {into, value}, 1, guarded);
    return into;
  }
  emit(thread ? run_thread_index : width == 64 ? run_special64 : run_special32, instruction, {into}, 1, guarded,
       static_cast<std::uint64_t>(operand.special) | std::uint64_t{operand.component} << 8);
  return into;
}

Reference FunctionLowering::variable_base(const Operand& operand, std::int64_t& offset) {
  if (!operand.local_symbol) {
    const ptx::Variable& variable = all_.module.variables[operand.index];
    if (is_shared(variable.space)) {
      offset += all_.shared_of_module[operand.index];
      return kNoSlot;
    }
    offset += static_cast<std::int64_t>(all_.addresses.variables[operand.index]);
    return kNoSlot;
  }
  const ptx::Variable& variable = function_.variables[operand.index];
  switch (variable.space) {
    case ptx::Space::shared:
    case ptx::Space::shared_cta:
    case ptx::Space::shared_cluster: offset += all_.shared_of_function[code_.index][operand.index]; return kNoSlot;
    case ptx::Space::local:
      offset += variable_offsets_[operand.index];
      if (function_.entry) return kNoSlot;  // its frame starts at 0
      if (local_base_ == kNoSlot) local_base_ = new_value(64);
      return local_base_;
    case ptx::Space::param:
      if (function_.entry && operand.index < function_.parameters.size()) {
        LaunchConstant wanted;
        wanted.what = What::parameter_address;
        wanted.width = 64;
        wanted.offset = function_.parameters[operand.index].offset;
        return launch_constant(wanted);
      }
      offset += variable_offsets_[operand.index];
      if (parameter_base_ == kNoSlot) parameter_base_ = new_value(64);
      return parameter_base_;
    default: offset += static_cast<std::int64_t>(all_.addresses.function_variables[code_.index][operand.index]); return kNoSlot;
  }
}

Reference FunctionLowering::fixed_address(const Operand& operand, std::int64_t at, unsigned width) {
  const auto& variables = operand.local_symbol ? function_.variables : all_.module.variables;
  if (!is_shared(variables[operand.index].space)) return constant(static_cast<std::uint64_t>(at), width);
  LaunchConstant wanted;
  wanted.what = What::shared_address;
  wanted.width = static_cast<std::uint8_t>(width);
  wanted.offset = static_cast<std::uint64_t>(at);
  return launch_constant(wanted);
}

Reference FunctionLowering::base_of(const Operand& operand, std::int64_t& offset) {
  offset = operand.offset;
  if (operand.base_kind == Operand::Kind::reg) return register_values_[operand.index];
  if (operand.base_kind != Operand::Kind::symbol) return constant(operand.bits, 64);
  std::int64_t at = 0;
  const Reference base = variable_base(operand, at);
  if (base == kNoSlot) return fixed_address(operand, at, 64);
  offset += at;
  return base;
}

Reference FunctionLowering::sum(const Instruction* instruction, Reference base, std::int64_t addend, unsigned width) {
  if (addend == 0) return base;
  const Reference value = new_value(width);
  emit(width == 64 ? all_.moves.add64 : all_.moves.add32, instruction, {value, base}, 1, false,
       static_cast<std::uint64_t>(addend));
  return value;
}

Reference FunctionLowering::address_of(const Instruction* instruction, const Operand& operand, std::int64_t addend,
                                       unsigned width) {
  std::int64_t offset = addend;
  const Reference base = variable_base(operand, offset);
  if (base == kNoSlot) return fixed_address(operand, offset, width);
  const Reference address = sum(instruction, base, offset, 64);
  if (width == 64) return address;
  const Reference narrow = new_value(width);
  emit(all_.moves.convert(8, width / 8, false), instruction, {narrow, address}, 1, false);
  return narrow;
}

Reference FunctionLowering::source(const Instruction& instruction, const Operand& operand, unsigned width) {
  switch (operand.kind) {
    case Operand::Kind::reg: return register_values_[operand.index];
    case Operand::Kind::immediate: return constant(operand.bits, width);
    case Operand::Kind::function:
      return constant(all_.addresses.functions + kFunctionStride * operand.index, width);
    case Operand::Kind::symbol: return address_of(&instruction, operand, operand.offset, width);
    case Operand::Kind::special: {
      const Reference known = special_constant(operand, width);
      return known != kNoSlot ? known : special(&instruction, operand, width, kNoSlot, false);
    }
    default: return kNoSlot;
  }
}

Draft& FunctionLowering::emit(Handler run, const Instruction* instruction, const std::vector<Reference>& references,
                              unsigned destinations, bool guarded, std::uint64_t immediate) {
  Draft draft;
  draft.run = run;
  draft.instruction = instruction;
  draft.immediate = immediate;
  draft.first = static_cast<std::uint32_t>(drafts_.references.size());
  draft.count = static_cast<std::uint16_t>(references.size());
  draft.destinations = static_cast<std::uint16_t>(destinations);
  if (guarded && instruction != nullptr && instruction->guarded) {
    draft.guard = register_values_[instruction->guard];
    draft.guard_negated = instruction->guard_negated;
  }
  drafts_.references.insert(drafts_.references.end(), references.begin(), references.end());
  drafts_.list.push_back(draft);
  return drafts_.list.back();
}

}  // namespace bascule::simt
