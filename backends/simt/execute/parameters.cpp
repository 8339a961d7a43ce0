// See parameters.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/parameters.hpp"

#include <algorithm>

namespace bascule::simt {
namespace {

using ptx::Operand;
using ptx::Operation;

class Planner {
 public:
  explicit Planner(const ptx::Function& function) : function_(function), plans_(function.variables.size()) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      plans_[i].is_parameter = function.variables[i].space == ptx::Space::param;
    }
  }

  std::vector<ParameterPlan> run() {
    for (const ptx::Instruction& instruction : function_.instructions) look_at(instruction);
    for (ParameterPlan& plan : plans_) settle(plan);
    return std::move(plans_);
  }

 private:
  void look_at(const ptx::Instruction& instruction) {
    MoveOperands operands;
    const bool access = is_parameter_access(instruction, operands);
    for (std::size_t i = 0; i < instruction.operand_count; ++i) {
      const Operand& operand = function_.operand(instruction, i);
      const bool based = operand.kind == Operand::Kind::address && operand.base_kind == Operand::Kind::symbol;
      if (!(operand.kind == Operand::Kind::symbol || based) || !operand.local_symbol) continue;
      if (operand.index >= plans_.size() || !plans_[operand.index].is_parameter) continue;
      if (!access || !based || i != operands.address) {
        plans_[operand.index].in_memory = true;
        continue;
      }
      add(plans_[operand.index], instruction, operand);
    }
  }

  void add(ParameterPlan& plan, const ptx::Instruction& instruction, const Operand& address) {
    const std::uint32_t bytes = ptx::bits_of(instruction.type()) / 8;
    const std::uint64_t room = function_.variables[address.index].bytes;
    for (unsigned element = 0; element < instruction.vector; ++element) {
      const std::int64_t offset = address.offset + std::int64_t{element} * bytes;
      if (bytes == 0 || bytes > 8 || offset < 0 || static_cast<std::uint64_t>(offset) + bytes > room) {
        plan.in_memory = true;
        return;
      }
      plan.parts.push_back({static_cast<std::uint32_t>(offset), bytes});
    }
  }

  static void settle(ParameterPlan& plan) {
    std::sort(plan.parts.begin(), plan.parts.end(), [](const auto& a, const auto& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
    });
    const auto same = [](const auto& a, const auto& b) { return a.offset == b.offset && a.bytes == b.bytes; };
    plan.parts.erase(std::unique(plan.parts.begin(), plan.parts.end(), same), plan.parts.end());
    for (std::size_t i = 1; i < plan.parts.size(); ++i) {
      if (plan.parts[i - 1].offset + plan.parts[i - 1].bytes > plan.parts[i].offset) plan.in_memory = true;
    }
    if (plan.in_memory) plan.parts.clear();
  }

  const ptx::Function& function_;
  std::vector<ParameterPlan> plans_;
};

}  // namespace

bool is_parameter_access(const ptx::Instruction& instruction, MoveOperands& operands) {
  if (instruction.space() != ptx::Space::param && instruction.space() != ptx::Space::generic) return false;
  if (instruction.operation == Operation::ld) {
    operands = {1, 0};
    return true;
  }
  if (instruction.operation == Operation::st) {
    operands = {0, 1};
    return true;
  }
  return false;
}

std::vector<ParameterPlan> plan_parameters(const ptx::Function& function) { return Planner(function).run(); }

}  // namespace bascule::simt
