// Which form an instruction has by its operands, and whether they fit it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "backends/simt/ptx/constant.hpp"
#include "backends/simt/ptx/forms.hpp"

namespace bascule::simt::ptx {

/// An operand as it was written, before the form says what it means.
struct RawOperand {
  Operand operand;           // vectors: elements in a list of their own
  Type type = Type::none;    // of a register or a special register
  Constant constant;         // immediate
  bool piped = false;        // | before it
  bool continued = false;    // within [ ], but not the first
  bool minus = false;        // - before a register
  bool subscripted = false;  // array[2]: an address where one is wanted
  std::string_view name;     // label: what was written and is not declared (yet)
  std::uint32_t first_element = 0;
  std::uint32_t length = 1;  // columns
};

struct MatchInput {
  const Instruction& instruction;  // modifiers, types, vector
  const std::vector<RawOperand>& operands;
  const std::vector<RawOperand>& elements;
  const Platform& platform;
};

/// Why operands do not fit.
struct Mismatch {
  Location location;  // line 0: the instruction
  std::uint32_t length = 1;
  std::string message;
  std::string hint;
  std::string_view unknown = {};  // the name that is not declared
};

/// For each operand position of the form: the index of the raw operand, or -1 where an optional one is absent.
struct Match {
  const Form* form = nullptr;
  std::vector<int> positions;
};

/// Finds the first form that fits. False: `mismatch` says what is wrong with the form that came nearest.
[[nodiscard]] bool match_operands(const MatchInput& input, const std::vector<std::uint32_t>& forms, Match& match,
                                  Mismatch& mismatch);

/// The type in which an instruction reads or writes the operand; none: any.
[[nodiscard]] Type operand_type(const OperandSpec& spec, const Instruction& instruction, std::size_t elements);

/// Whether a register of type `actual` may stand where `wanted` is read or written.
[[nodiscard]] bool type_fits(Type wanted, Type actual, bool relaxed);

/// A constant in the type in which it is read.
[[nodiscard]] std::uint64_t convert_constant(const Constant& constant, Type type);
/// The reason why a constant cannot be read in a type; empty where it can.
[[nodiscard]] std::string constant_problem(const Constant& constant, Type type);

}  // namespace bascule::simt::ptx
