// Calls, and the parameters and results of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/function_lowering.hpp"
#include "backends/simt/execute/operand_width.hpp"
#include "backends/simt/execute/services.hpp"

namespace bascule::simt {

using ptx::Instruction;
using ptx::Operand;

namespace {

std::uint32_t piece_bytes(unsigned width) { return width == 1 ? 0 : width / 8; }

}  // namespace

// The callee's side. Results first among the function's variables.
void FunctionLowering::make_formals() {
  if (function_.entry) return;
  std::size_t registers[2] = {0, 0};
  const auto make = [&](const std::vector<ptx::Variable>& formals, const std::vector<std::uint32_t>& in_registers,
                        std::size_t first, std::size_t& reg, std::vector<Formal>& out, bool given) {
    out.resize(formals.size());
    for (std::size_t i = 0; i < formals.size(); ++i) {
      Formal& formal = out[i];
      const std::size_t variable = first + i;
      formal.bytes = static_cast<std::uint32_t>(formals[i].bytes);
      formal.offset = variable_offsets_[variable];
      std::vector<Reference> values;
      if (formals[i].space == ptx::Space::reg) {
        const std::uint32_t index = in_registers[reg++];
        formal.in_memory = false;
        formal.pieces.push_back({0, piece_bytes(width_of_register(index)), 0});
        values.push_back(register_values_[index]);
      } else if (!plans_[variable].in_memory) {
        formal.in_memory = false;
        for (const ParameterPlan::Part& part : plans_[variable].parts) formal.pieces.push_back({part.offset, part.bytes, 0});
        values = parameter_values_[variable];
      }
      if (given) at_start_.insert(at_start_.end(), values.begin(), values.end());
      pending_formals_.push_back({&formal, std::move(values)});
    }
  };
  make(function_.results, function_.result_registers, 0, registers[0], code_.results, false);
  make(function_.parameters, function_.parameter_registers, function_.results.size(), registers[1], code_.parameters, true);
}

void FunctionLowering::lower_return(const Instruction* instruction) {
  if (function_.entry) {
    emit(run_exit, instruction, {}, 0, true);
    return;
  }
  std::vector<Reference> results;
  for (const PendingFormal& pending : pending_formals_) {
    const bool result = pending.formal >= code_.results.data() && pending.formal < code_.results.data() + code_.results.size();
    if (result) results.insert(results.end(), pending.values.begin(), pending.values.end());
  }
  emit(run_return, instruction, results, 0, true).bare = true;
}

// The caller's side of a parameter or result. `formal`: what the callee declares, where that is known.
Formal FunctionLowering::actual_of(const Operand& operand, const ptx::Variable* formal, std::vector<Reference>& values) {
  Formal actual;
  if (operand.kind == Operand::Kind::symbol && operand.local_symbol &&
      function_.variables[operand.index].space == ptx::Space::param) {
    actual.bytes = static_cast<std::uint32_t>(function_.variables[operand.index].bytes);
    actual.offset = variable_offsets_[operand.index];
    actual.in_memory = plans_[operand.index].in_memory;
    if (!actual.in_memory) {
      for (const ParameterPlan::Part& part : plans_[operand.index].parts) actual.pieces.push_back({part.offset, part.bytes, 0});
      values = parameter_values_[operand.index];
    }
    return actual;
  }
  unsigned width = formal != nullptr ? register_width(formal->type) : 32;
  if (operand.kind == Operand::Kind::reg) width = width_of_register(operand.index);
  Instruction none;
  actual.in_memory = false;
  actual.bytes = piece_bytes(width);
  actual.pieces.push_back({0, actual.bytes, 0});
  values.push_back(source(none, operand, width));
  return actual;
}

void FunctionLowering::lower_call(const Instruction& instruction) {
  const ptx::Call& call = function_.calls[instruction.side];
  const std::vector<ptx::Variable>*formal_results = nullptr, *formal_parameters = nullptr;
  if (call.function) {
    const ptx::Function& callee = all_.module.functions[*call.function];
    if (!callee.defined) {
      if (const Handler handler = device_function(callee.name); handler != nullptr) {
        lower_device_function(instruction, call, handler);
        return;
      }
      refuse(instruction, fmt::format("the function {} is declared and not defined", callee.name),
             "link the PTX that defines it into this module; vprintf, malloc, free and __assertfail are there");
      return;
    }
    formal_results = &callee.results;
    formal_parameters = &callee.parameters;
  } else if (call.prototype) {
    formal_results = &all_.module.prototypes[*call.prototype].results;
    formal_parameters = &all_.module.prototypes[*call.prototype].parameters;
  }
  code_.calls.push_back(std::make_unique<CallSite>());
  CallSite& site = *code_.calls.back();
  site.callee = call.function;
  site.targets = call.targets;
  site.arguments.resize(call.arguments.size());
  site.results.resize(call.results.size());
  std::vector<Reference> references;
  const auto take = [&](const std::vector<Operand>& operands, const std::vector<ptx::Variable>* formals,
                        std::vector<Formal>& actuals) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      std::vector<Reference> values;
      actuals[i] = actual_of(operands[i], formals != nullptr && i < formals->size() ? &(*formals)[i] : nullptr, values);
      references.insert(references.end(), values.begin(), values.end());
      pending_formals_.push_back({&actuals[i], std::move(values)});
    }
  };
  take(call.results, formal_results, site.results);
  const auto destinations = static_cast<unsigned>(references.size());
  take(call.arguments, formal_parameters, site.arguments);
  if (!call.function) {
    const Reference pointer = source(instruction, call.pointer, 64);
    references.push_back(pointer);
    pending_slots_.emplace_back(&site.pointer, pointer);
  }
  Draft& draft = emit(call.function ? run_call : run_indirect_call, &instruction, references, destinations, true);
  draft.side = &site;
  draft.bare = true;
}

void FunctionLowering::lower_device_function(const Instruction& instruction, const ptx::Call& call, Handler handler) {
  const ptx::Function& callee = all_.module.functions[*call.function];
  std::vector<Reference> references;
  const auto take = [&](const std::vector<Operand>& operands, const std::vector<ptx::Variable>& formals, bool result) {
    for (std::size_t i = 0; i < formals.size(); ++i) {
      if (i >= operands.size()) {
        references.push_back(kNoSlot);
        continue;
      }
      std::vector<Reference> values;
      const Formal actual = actual_of(operands[i], &formals[i], values);
      if (actual.in_memory || values.size() > 1) {
        refuse(instruction, fmt::format("a call of {} with a parameter that is not one value", callee.name));
        return;
      }
      // A result that nobody reads has no register.
      references.push_back(values.empty() ? (result ? kNoSlot : constant(0, register_width(formals[i].type))) : values[0]);
    }
  };
  take(call.results, callee.results, true);
  const auto destinations = static_cast<unsigned>(references.size());
  take(call.arguments, callee.parameters, false);
  emit(handler, &instruction, references, destinations, true).own = true;
}

}  // namespace bascule::simt
