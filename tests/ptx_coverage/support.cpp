// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_coverage/support.hpp"

#include <optional>

#include "backends/simt/execute/lower.hpp"
#include "backends/simt/ptx/match.hpp"
#include "backends/simt/ptx/opcode.hpp"

namespace bascule::ptx_coverage {
namespace {

using namespace simt::ptx;

/// A word for each group, -1 for none.
using Choices = std::vector<int>;

// One of the ways in which the operands that a form leaves open may be written.
struct OperandStyle {
  bool optional_present = false;
  unsigned count_index = 0;  // of a vector's sizes
  bool wide_addresses = true;
};

Operand register_operand(Function& function, Type type) {
  Operand operand;
  operand.kind = Operand::Kind::reg;
  operand.index = static_cast<std::uint32_t>(function.registers.size());
  function.registers.push_back({"r", type == Type::none ? Type::b32 : type, 1, {}});
  return operand;
}

unsigned elements_of(const OperandSpec& spec, const Instruction& instruction, const OperandStyle& style) {
  switch (spec.vector) {
    case OperandSpec::Vector::none: return 0;
    case OperandSpec::Vector::counted: return spec.counts[style.count_index % spec.counts.size()];
    case OperandSpec::Vector::as_instruction:
    case OperandSpec::Vector::as_instruction_or_scalar: return instruction.vector > 1 ? instruction.vector : 0;
    case OperandSpec::Vector::any: return 2 + style.count_index;
    case OperandSpec::Vector::scalar_or_any: return style.count_index == 0 ? 0 : 1 + style.count_index;
  }
  return 0;
}

Operand make_operand(const OperandSpec& spec, const Instruction& instruction, const OperandStyle& style, Function& function) {
  Operand operand;
  if (spec.optional && !style.optional_present) return operand;
  if (spec.kind == OperandSpec::Kind::label) {
    operand.kind = Operand::Kind::label;
    operand.index = 1;
    return operand;
  }
  if (spec.opens) {
    operand = register_operand(function, style.wide_addresses ? Type::b64 : Type::b32);
    operand.kind = Operand::Kind::address;
    operand.base_kind = Operand::Kind::reg;
    return operand;
  }
  const unsigned elements = elements_of(spec, instruction, style);
  const Type type = operand_type(spec, instruction, elements == 0 ? 1 : elements);
  if (spec.kind == OperandSpec::Kind::constant) {
    operand.kind = Operand::Kind::immediate;
    operand.bits = 16;  // as a number of bytes it is right for all copies
    return operand;
  }
  if (elements <= 1) return register_operand(function, type);
  std::vector<Operand> parts;
  for (unsigned i = 0; i < elements; ++i) parts.push_back(register_operand(function, type));
  operand.kind = Operand::Kind::vector;
  operand.count = static_cast<std::uint16_t>(elements);
  operand.index = static_cast<std::uint32_t>(function.elements.size());
  function.elements.insert(function.elements.end(), parts.begin(), parts.end());
  return operand;
}

std::optional<Instruction> instruction_of(const Form& form, const Choices& choices) {
  const FormTable& table = form_table();
  Instruction instruction;
  instruction.operation = form.operation;
  const auto groups = table.groups(form);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (choices[i] < 0) continue;
    if (!append_word(instruction, table.choices(groups[i])[static_cast<std::size_t>(choices[i])].word)) return std::nullopt;
  }
  return instruction;
}

/// A kernel of this instruction and a ret.
bool lowers(const Form& form, Instruction instruction, const OperandStyle& style) {
  Module module;
  module.version = 90;
  module.target = "sm_90a";
  module.target_number = 90;
  module.target_suffix = 'a';
  module.files.emplace_back();
  Function& function = module.functions.emplace_back();
  function.name = "kernel";
  function.entry = function.defined = true;
  function.labels = {1};
  function.branch_lists = {{1}};
  for (const OperandSpec& spec : form_table().operands(form)) {
    const Operand operand = make_operand(spec, instruction, style, function);
    function.operands.push_back(operand);
    if (spec.destination) ++instruction.destinations;
    ++instruction.operand_count;
  }
  Instruction end;
  end.operation = Operation::ret;
  end.first_operand = instruction.operand_count;
  function.instructions = {instruction, end};
  simt::Addresses addresses;
  addresses.function_variables.resize(1);
  return simt::lower(module, 0, addresses, {}).program != nullptr;
}

bool lowers_somehow(const Form& form, const Instruction& instruction) {
  // Calls need prototypes and parameters to be lowered; they run in all forms.
  if (form.operation == Operation::call) return true;
  for (const bool present : {false, true}) {
    for (unsigned count = 0; count < 3; ++count) {
      for (const bool wide : {true, false}) {
        if (lowers(form, instruction, {present, count, wide})) return true;
      }
    }
  }
  return false;
}

/// The next combination; false after the last. `fixed` stays as it is.
bool advance(const Form& form, Choices& choices, std::size_t fixed) {
  const FormTable& table = form_table();
  const auto groups = table.groups(form);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == fixed) continue;
    const int count = static_cast<int>(table.choices(groups[i]).size());
    if (++choices[i] < count) return true;
    choices[i] = groups[i].optional ? -1 : 0;
  }
  return false;
}

bool consistent(const Form& form, const Choices& choices) {
  const auto groups = form_table().groups(form);
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].with_previous && (choices[i] < 0) != (choices[i - 1] < 0)) return false;
  }
  return true;
}

bool word_lowers(const Form& form, std::size_t group, int word) {
  constexpr int kMostTries = 600;  // some forms have millions of combinations, most of which the engine takes or refuses alike
  const auto groups = form_table().groups(form);
  Choices choices;
  for (const WordGroup& each : groups) choices.push_back(each.optional ? -1 : 0);
  if (group < choices.size()) choices[group] = word;
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (consistent(form, choices)) {
      const auto instruction = instruction_of(form, choices);
      if (instruction && lowers_somehow(form, *instruction)) return true;
    }
    if (!advance(form, choices, group)) return false;
  }
  return false;
}

}  // namespace

bool supports(const Form& form) {
  const FormTable& table = form_table();
  const auto groups = table.groups(form);
  if (groups.empty()) return word_lowers(form, 0, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t w = 0; w < table.choices(groups[i]).size(); ++w) {
      if (table.choices(groups[i])[w].word.variant == 0 && supports(form, i, w)) return true;
    }
  }
  return false;
}

bool supports(const Form& form, std::size_t group, std::size_t word) { return word_lowers(form, group, static_cast<int>(word)); }

}  // namespace bascule::ptx_coverage
