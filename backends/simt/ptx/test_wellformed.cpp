// Whether a module that the parser gave is consistent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/test_wellformed.hpp"

namespace bascule::simt::ptx {
namespace {

std::string check(const Module& module, const Function& function, const Operand& operand, bool element) {
  const auto variables = operand.local_symbol ? function.variables.size() : module.variables.size();
  switch (operand.kind) {
    case Operand::Kind::reg:
      if (operand.index >= function.registers.size()) return "register";
      break;
    case Operand::Kind::symbol:
      if (operand.index >= variables) return "symbol";
      break;
    case Operand::Kind::function:
      if (operand.index >= module.functions.size()) return "function";
      break;
    case Operand::Kind::address:
      if (operand.base_kind == Operand::Kind::reg && operand.index >= function.registers.size()) return "base register";
      if (operand.base_kind == Operand::Kind::symbol && operand.index >= variables) return "base symbol";
      break;
    case Operand::Kind::vector:
      if (element || operand.index + std::size_t{operand.count} > function.elements.size()) return "vector";
      break;
    case Operand::Kind::label:
      if (operand.index > function.instructions.size()) return "label";
      break;
    default:
      break;
  }
  return {};
}

std::string check(const Module& module, const Function& function, const Instruction& instruction) {
  if (instruction.first_operand + std::size_t{instruction.operand_count} > function.operands.size()) return "operands";
  if (instruction.destinations > instruction.operand_count) return "destinations";
  if (instruction.guarded &&
      (instruction.guard >= function.registers.size() || function.registers[instruction.guard].type != Type::pred)) {
    return "guard";
  }
  if (instruction.operation == Operation::call && instruction.side >= function.calls.size()) return "call";
  if (instruction.operation == Operation::brx_idx && instruction.side >= function.branch_lists.size())
    return "branch list";
  if (instruction.source.file >= module.files.size()) return "source file";
  if (instruction.location.line == 0) return "location";
  return {};
}

std::string check(const Module& module, const Function& function) {
  for (const Instruction& instruction : function.instructions) {
    if (auto found = check(module, function, instruction); !found.empty()) return found;
  }
  for (const Operand& operand : function.operands) {
    if (auto found = check(module, function, operand, false); !found.empty()) return found;
  }
  for (const Operand& operand : function.elements) {
    if (auto found = check(module, function, operand, true); !found.empty()) return found;
  }
  for (const auto& list : function.branch_lists) {
    for (const std::uint32_t target : list) {
      if (target > function.instructions.size()) return "branch target";
    }
  }
  for (const Call& call : function.calls) {
    if (call.function && *call.function >= module.functions.size()) return "callee";
    if (call.prototype && *call.prototype >= module.prototypes.size()) return "prototype";
    for (const std::uint32_t target : call.targets) {
      if (target >= module.functions.size()) return "call target";
    }
    for (const auto* list : {&call.results, &call.arguments}) {
      for (const Operand& operand : *list) {
        if (auto found = check(module, function, operand, true); !found.empty()) return found;
      }
    }
  }
  return {};
}

}  // namespace

std::string malformation(const Module& module) {
  for (const Function& function : module.functions) {
    if (auto found = check(module, function); !found.empty())
      return "'" + function.name + "': " + found + " out of range";
  }
  for (const Variable& variable : module.variables) {
    if (variable.initial.size() > variable.bytes) return "'" + variable.name + "': initial values beyond its size";
    for (const Relocation& relocation : variable.relocations) {
      const std::size_t symbols = relocation.function ? module.functions.size() : module.variables.size();
      if (relocation.symbol >= symbols || relocation.offset + relocation.bytes > variable.bytes) {
        return "'" + variable.name + "': relocation out of range";
      }
    }
  }
  return {};
}

}  // namespace bascule::simt::ptx
