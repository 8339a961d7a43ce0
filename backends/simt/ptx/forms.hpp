// The table of forms: how each instruction of PTX may be written, from the syntax blocks of the ISA.
//
// A form is a line of text such as  "mad.lo|hi{.sat}.s32 >d, a, b, c"  in forms_*.inc, read once:
//   .x|y            one of the words x, y            {.x|y}      may be left out; {.x.y}: both or none
//   .$name          a named list of words (kLists)   word!70/80  the word needs PTX 7.0 and sm_80; also after an
//   operand
// Operands, separated by commas (or | as in p|q); {} may be left out:
//   >d  written     %a  a register only     #a  a constant only     !p  a predicate, perhaps with ! before it
//   @l  a label     ^a  also the name of a variable or function     -a  may have a minus before it
//   a?  may be _    a~  may be wider than its type (ld, st, cvt)    [a]  an address    a*  may have .b0, .h1 after it
//   a(4) a vector of four; a(2|4) of two or four; a(v) as .v2, .v4, .v8 says; a(v1) also a scalar; a(+) of any size,
//   a(s+) or a scalar a:u32  its type; :0 :1 ... the instruction's first, second type (:0 is the default); :wide  twice
//   as wide as the first; :part  the first type divided by the number of elements; :half half as wide as the first; :*
//   anything
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "backends/simt/ptx/requirement.hpp"
#include "backends/simt/ptx/words.hpp"

namespace bascule::simt::ptx {

struct Choice {
  Word word;
  std::uint32_t requirement = 0;  // in FormTable::requirements; 0: none
};

struct WordGroup {
  bool optional = false;
  bool with_previous = false;  // {.xorsign.abs}: both or none
  std::uint32_t first = 0;     // in FormTable::choices
  std::uint32_t count = 0;
};

enum class TypeRule : std::uint8_t { nth, wide, half, part, fixed, any };

struct OperandSpec {
  enum class Kind : std::uint8_t { value, reg, constant, predicate, label, value_or_symbol };
  enum class Vector : std::uint8_t { none, counted, as_instruction, as_instruction_or_scalar, scalar_or_any, any };
  std::string_view name;
  Kind kind = Kind::value;
  Vector vector = Vector::none;
  TypeRule rule = TypeRule::nth;
  Type type = Type::none;       // fixed
  std::uint8_t type_index = 0;  // nth
  bool optional = false;
  bool destination = false;
  bool piped = false;   // | before it, not a comma
  bool opens = false;   // [ before it
  bool inside = false;  // within [ ], but not the first
  bool closes = false;  // ] after it
  bool sink = false;
  bool relaxed = false;
  bool minus = false;
  bool selector = false;
  std::array<std::uint8_t, 5> counts{};  // of a counted vector; 0 ends the list
  std::uint32_t requirement = 0;

  [[nodiscard]] bool is_address() const { return opens; }
};

struct Form {
  Operation operation = Operation::none;
  std::uint32_t first_group = 0, groups = 0;
  std::uint32_t first_operand = 0, operands = 0;
  std::uint32_t requirement = 0;
  std::string_view text;  // as written in the table
};

class FormTable {
 public:
  FormTable();
  [[nodiscard]] std::span<const Form> forms() const { return forms_; }
  /// Indices of the forms of an operation.
  [[nodiscard]] std::span<const std::uint32_t> forms_of(Operation operation) const;
  [[nodiscard]] std::span<const WordGroup> groups(const Form& form) const {
    return std::span(groups_).subspan(form.first_group, form.groups);
  }
  [[nodiscard]] std::span<const Choice> choices(const WordGroup& group) const {
    return std::span(choices_).subspan(group.first, group.count);
  }
  [[nodiscard]] std::span<const OperandSpec> operands(const Form& form) const {
    return std::span(operands_).subspan(form.first_operand, form.operands);
  }
  [[nodiscard]] const Requirement& requirement(std::uint32_t index) const { return requirements_[index]; }
  /// Lines that could not be read; empty unless the table is wrong.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  friend class FormReader;
  std::vector<Form> forms_;
  std::vector<WordGroup> groups_;
  std::vector<Choice> choices_;
  std::vector<OperandSpec> operands_;
  std::vector<Requirement> requirements_{Requirement{}};
  std::vector<std::vector<std::uint32_t>> of_operation_;
  std::vector<std::string> problems_;
};

/// Read at the first call; thread-safe.
[[nodiscard]] const FormTable& form_table();

}  // namespace bascule::simt::ptx
