// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/form_use.hpp"

#include <utility>

#include "backends/simt/ptx/match.hpp"

namespace bascule::simt::ptx {
namespace {

using Kind = Operand::Kind;

/// Gives each group of a form one of the instruction's words, or none. Types and spaces are taken in their order; modifiers in
/// any, since some stand elsewhere in the name than in the typed form.
class Assignment {
 public:
  Assignment(const FormTable& table, const Form& form, const Instruction& instruction)
      : table_(table), groups_(table.groups(form)), instruction_(instruction), choices_(groups_.size(), -1) {}

  bool run() { return step(0, false, {}); }
  [[nodiscard]] std::vector<int> choices() && { return std::move(choices_); }

 private:
  struct Taken {
    unsigned modifiers = 0;  // a bit for each
    unsigned types = 0;
    unsigned spaces = 0;
    bool vector = false;
  };

  bool step(std::size_t group, bool taken_before, const Taken& taken) {
    if (group == groups_.size()) {
      return taken.modifiers + 1 == 1u << instruction_.modifier_count && taken.types == instruction_.type_count &&
             taken.spaces == instruction_.space_count && (taken.vector || instruction_.vector == 1);
    }
    const WordGroup& current = groups_[group];
    const auto choices = table_.choices(current);
    for (std::size_t i = 0; i < choices.size() && (!current.with_previous || taken_before); ++i) {
      Taken more = taken;
      if (!take(choices[i].word, more)) continue;
      choices_[group] = static_cast<int>(i);
      if (step(group + 1, true, more)) return true;
    }
    choices_[group] = -1;
    const bool skippable = current.with_previous ? !taken_before : current.optional;
    return skippable && step(group + 1, false, taken);
  }

  bool take(Word word, Taken& taken) const {
    switch (word.kind) {
      case Word::Kind::modifier:
        for (unsigned i = 0; i < instruction_.modifier_count; ++i) {
          if ((taken.modifiers >> i & 1u) != 0 || instruction_.modifiers[i] != static_cast<Modifier>(word.value)) continue;
          taken.modifiers |= 1u << i;
          return true;
        }
        return false;
      case Word::Kind::type:
        return taken.types < instruction_.type_count && instruction_.types[taken.types++] == static_cast<Type>(word.value);
      case Word::Kind::space:
        return taken.spaces < instruction_.space_count && instruction_.spaces[taken.spaces++] == static_cast<Space>(word.value);
      case Word::Kind::vector:
        return !std::exchange(taken.vector, true) && instruction_.vector == word.value;
    }
    return false;
  }

  const FormTable& table_;
  std::span<const WordGroup> groups_;
  const Instruction& instruction_;
  std::vector<int> choices_;
};

bool operand_fits(const OperandSpec& spec, const Operand& operand, const Instruction& instruction, const Function& function) {
  using Vector = OperandSpec::Vector;
  if (operand.kind == Kind::none) return spec.optional;
  if (spec.opens != (operand.kind == Kind::address)) return false;
  if ((spec.kind == OperandSpec::Kind::label) != (operand.kind == Kind::label)) return false;
  if (spec.kind == OperandSpec::Kind::constant && operand.kind != Kind::immediate) return false;
  if (operand.kind == Kind::vector) return spec.vector != Vector::none;
  if (spec.vector == Vector::counted ? spec.counts[0] != 1 : spec.vector == Vector::any) return false;
  if (operand.kind != Kind::reg) return true;
  return type_fits(operand_type(spec, instruction, 1), function.registers[operand.index].type, spec.relaxed);
}

/// How many of a form's operands are operands of the instruction: brx.idx has its list of targets in Instruction::side.
std::size_t operands_of(const Form& form, std::span<const OperandSpec> specs) {
  return form.operation == Operation::brx_idx ? specs.size() - 1 : specs.size();
}

}  // namespace

std::optional<FormUse> find_form_use(const Instruction& instruction, const Function& function) {
  const FormTable& table = form_table();
  for (const std::uint32_t index : table.forms_of(instruction.operation)) {
    const Form& form = table.forms()[index];
    const auto specs = table.operands(form).first(operands_of(form, table.operands(form)));
    bool fits = specs.size() == instruction.operand_count;
    for (std::size_t i = 0; fits && i < specs.size(); ++i) {
      fits = operand_fits(specs[i], function.operand(instruction, i), instruction, function);
    }
    if (!fits) continue;
    Assignment assignment(table, form, instruction);
    if (assignment.run()) return FormUse{&form, std::move(assignment).choices()};
  }
  return std::nullopt;
}

}  // namespace bascule::simt::ptx
