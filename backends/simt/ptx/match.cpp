// Which form an instruction has by its operands, and whether they fit it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/match.hpp"

#include <algorithm>
#include <bit>

namespace bascule::simt::ptx {
namespace {

using Kind = Operand::Kind;
using Vector = OperandSpec::Vector;

std::string type_text(Type type) { return "." + std::string(name_of(type)); }

// Operands that modifiers ask for: there if and only if one of these is.
std::span<const Modifier> asked_for_by(const OperandSpec& spec) {
  static constexpr Modifier kPolicy[] = {Modifier::L2_cache_hint};
  static constexpr Modifier kBlocks[] = {Modifier::multicast_cluster};
  static constexpr Modifier kMask[] = {Modifier::cp_mask};
  static constexpr Modifier kOffsets[] = {Modifier::im2col, Modifier::im2col_w, Modifier::im2col_w_128};
  if (!spec.optional) return {};
  if (spec.name == "policy") return kPolicy;
  if (spec.name == "ctas") return kBlocks;
  if (spec.name == "mask") return kMask;
  if (spec.name == "offsets") return kOffsets;
  return {};
}

// The form's operands as a reader would write them: "d, [a]{, policy}".
std::string operands_text(std::span<const OperandSpec> specs) {
  std::string text;
  for (const OperandSpec& spec : specs) {
    const std::string separator = text.empty() ? "" : spec.piped ? "|" : ", ";
    const std::string name = (spec.opens ? "[" : "") + std::string(spec.name) + (spec.closes ? "]" : "");
    text += spec.optional ? "{" + separator + name + "}" : separator + name;
  }
  return text.empty() ? "none" : text;
}

class FormMatch {
 public:
  FormMatch(const MatchInput& input, std::span<const OperandSpec> specs, Mismatch& mismatch)
      : input_(input), specs_(specs), mismatch_(mismatch), positions_(specs.size(), -1) {}

  bool run() { return align(0, 0) && check_all(); }
  [[nodiscard]] std::size_t progress() const { return progress_; }
  [[nodiscard]] std::vector<int> positions() && { return std::move(positions_); }

 private:
  // Gives each spec its raw operand by their shapes; tries to have an optional operand before it tries without.
  bool align(std::size_t spec, std::size_t raw) {
    progress_ = std::max(progress_, raw);
    if (spec == specs_.size()) return raw == input_.operands.size();
    const OperandSpec& current = specs_[spec];
    const auto modifiers = asked_for_by(current);
    const bool asked = std::any_of(modifiers.begin(), modifiers.end(),
                                   [&](Modifier modifier) { return input_.instruction.has(modifier); });
    const bool wanted = modifiers.empty() || asked;
    if (wanted && raw < input_.operands.size() && shape_fits(current, input_.operands[raw])) {
      positions_[spec] = static_cast<int>(raw);
      if (align(spec + 1, raw + 1)) return true;
      positions_[spec] = -1;
    }
    const bool may_be_absent = modifiers.empty() ? current.optional : !asked;
    return may_be_absent && align(spec + 1, raw);
  }

  bool shape_fits(const OperandSpec& spec, const RawOperand& raw) const {
    const Kind kind = raw.operand.kind;
    if (spec.piped != raw.piped || spec.inside != raw.continued) return false;
    if (spec.opens) return kind == Kind::address || raw.subscripted;
    if (kind == Kind::address) return false;
    if (spec.kind == OperandSpec::Kind::label) return kind == Kind::label;
    return vector_shape_fits(spec, kind == Kind::vector);
  }

  bool vector_shape_fits(const OperandSpec& spec, bool is_vector) const {
    switch (spec.vector) {
      case Vector::none:
        return !is_vector;
      case Vector::counted:
        return is_vector;
      case Vector::as_instruction:
        return is_vector == (input_.instruction.vector > 1);
      case Vector::as_instruction_or_scalar:
        return input_.instruction.vector > 1 || !is_vector;
      case Vector::scalar_or_any:
        return true;
      case Vector::any:
        return is_vector;
    }
    return false;
  }

  bool check_all() {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (positions_[i] < 0) continue;
      const RawOperand& raw = input_.operands[static_cast<std::size_t>(positions_[i])];
      if (!check(specs_[i], raw, 1 + static_cast<std::size_t>(positions_[i]))) return false;
      ++progress_;  // further than any form whose operands have the wrong shape
    }
    return true;
  }

  bool check(const OperandSpec& spec, const RawOperand& raw, std::size_t number) {
    number_ = number;
    progress_ += 1000;
    if (!requirement_met(spec, raw)) return false;
    if (raw.operand.kind == Kind::vector) return check_vector(spec, raw);
    if (spec.opens) return check_address(raw);
    return check_scalar(spec, raw, operand_type(spec, input_.instruction, 1));
  }

  bool requirement_met(const OperandSpec& spec, const RawOperand& raw) {
    const Requirement& requirement = form_table().requirement(spec.requirement);
    return requirement.met(input_.platform) ||
           fail(raw, "'" + std::string(spec.name) + "' " + requirement.explain(input_.platform));
  }

  bool check_vector(const OperandSpec& spec, const RawOperand& raw) {
    const std::size_t count = raw.operand.count;
    if (spec.vector == Vector::as_instruction && count != input_.instruction.vector) {
      return fail(raw, "has " + std::to_string(count) + " elements, .v" + std::to_string(input_.instruction.vector) +
                           " " + std::to_string(input_.instruction.vector));
    }
    if (spec.vector == Vector::counted &&
        std::find(spec.counts.begin(), spec.counts.end(), count) == spec.counts.end()) {
      std::string wanted;
      for (const auto allowed : spec.counts) {
        if (allowed != 0) wanted += (wanted.empty() ? "" : " or ") + std::to_string(allowed);
      }
      return fail(raw, "has " + std::to_string(count) + " elements; this form has " + wanted);
    }
    const Type type = operand_type(spec, input_.instruction, count);
    if (spec.rule == TypeRule::part && type == Type::none) {
      return fail(raw, "cannot be " + std::to_string(count) + " parts of " + type_text(input_.instruction.type()));
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!check_scalar(spec, input_.elements[raw.first_element + i], type)) return false;
    }
    return true;
  }

  bool check_address(const RawOperand& raw) {
    if (raw.type == Type::none) return true;
    const char kind = kind_of(raw.type);
    const unsigned bits = bits_of(raw.type);
    if ((kind == 'b' || kind == 'u' || kind == 's') && (bits == 32 || bits == 64)) return true;
    return fail(raw, "has the base '" + std::string(raw.name) + "' of type " + type_text(raw.type),
                "an address is a 32- or 64-bit register of an integer or untyped kind");
  }

  bool check_scalar(const OperandSpec& spec, const RawOperand& raw, Type type) {
    if (raw.operand.negated && spec.kind != OperandSpec::Kind::predicate) return fail(raw, "takes no '!'");
    if (raw.minus && !spec.minus) return fail(raw, "takes no '-'", "use neg first");
    if (raw.operand.component != 0 && raw.operand.kind == Kind::reg && !spec.selector)
      return fail(raw, "takes no selector");
    switch (raw.operand.kind) {
      case Kind::sink:
        return sink_fits(spec) || fail(raw, "may not be '_'");
      case Kind::reg:
        return check_register(spec, raw, type);
      case Kind::immediate:
        return check_immediate(spec, raw, type);
      case Kind::special:
        return check_special(spec, raw, type);
      case Kind::symbol:
      case Kind::function:
        return check_symbol(spec, raw, type);
      case Kind::label:
        return spec.kind == OperandSpec::Kind::label || fail_unknown(raw);
      default:
        return fail(raw, "is not what is expected here");
    }
  }

  // Loads write somewhere; single elements of what they load may be left out.
  bool sink_fits(const OperandSpec& spec) const {
    const Operation operation = input_.instruction.operation;
    const bool load = operation == Operation::ld || operation == Operation::ldu;
    return spec.sink && !(load && input_.instruction.vector == 1);
  }

  bool check_register(const OperandSpec& spec, const RawOperand& raw, Type type) {
    if (spec.kind == OperandSpec::Kind::constant) return fail(raw, "must be a constant");
    if (spec.kind == OperandSpec::Kind::label) return fail(raw, "must be a label");
    if (type == Type::none || type_fits(type, raw.type, spec.relaxed)) return true;
    std::string hint = "registers that fit are " + std::string(spec.relaxed ? "at least " : "") +
                       std::to_string(bits_of(type)) + " bits wide";
    if (type == Type::pred) hint = "declare it as .pred, or make one with setp";
    return fail(
        raw,
        "is '" + std::string(raw.name) + "' of type " + type_text(raw.type) + ", which does not fit " + type_text(type),
        hint);
  }

  bool check_immediate(const OperandSpec& spec, const RawOperand& raw, Type type) {
    if (spec.kind == OperandSpec::Kind::reg) {
      return fail(raw, spec.destination ? "is written and must be a register" : "must be a register");
    }
    const std::string problem = constant_problem(raw.constant, type);
    return problem.empty() || fail(raw, problem);
  }

  bool check_special(const OperandSpec& spec, const RawOperand& raw, Type type) {
    const Operation operation = input_.instruction.operation;
    if (spec.destination) return fail(raw, "is a special register, which cannot be written");
    if (operation != Operation::mov && operation != Operation::cvt) {
      return fail(raw, "is a special register", "only mov and cvt read special registers");
    }
    const bool half = operation == Operation::mov && bits_of(type) == 16 && bits_of(raw.type) == 32;  // as of old
    if (half || type_fits(type, raw.type, spec.relaxed)) return true;
    return fail(raw, "is of type " + type_text(raw.type) + ", which does not fit " + type_text(type));
  }

  bool check_symbol(const OperandSpec& spec, const RawOperand& raw, Type type) {
    if (spec.kind != OperandSpec::Kind::value_or_symbol) {
      return fail(raw, "is the name '" + std::string(raw.name) + "' and must be a register",
                  "mov its address into a register first");
    }
    const char kind = kind_of(type);
    if ((kind == 'b' || kind == 'u' || kind == 's') && (bits_of(type) == 64 || bits_of(type) == 32)) return true;
    return fail(raw, "is an address, which does not fit " + type_text(type), "addresses are .u64 or .b64");
  }

  bool fail_unknown(const RawOperand& raw) {
    mismatch_ = {raw.operand.location, raw.length, "'" + std::string(raw.name) + "' is not declared", {}, raw.name};
    return false;
  }

  bool fail(const RawOperand& raw, std::string what, std::string hint = {}) {
    mismatch_ = {raw.operand.location,
                 raw.length,
                 "operand " + std::to_string(number_) + " of '" + std::string(name_of(input_.instruction.operation)) +
                     "' " + std::move(what),
                 std::move(hint),
                 {}};
    return false;
  }

  const MatchInput& input_;
  std::span<const OperandSpec> specs_;
  Mismatch& mismatch_;
  std::vector<int> positions_;
  std::size_t progress_ = 0;
  std::size_t number_ = 0;
};

Type unsigned_of(unsigned bits) {
  switch (bits) {
    case 8:
      return Type::b8;
    case 16:
      return Type::b16;
    case 32:
      return Type::b32;
    case 64:
      return Type::b64;
    default:
      return Type::none;
  }
}

Type widened(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    case Type::s32:
      return Type::s64;
    default:
      return Type::none;
  }
}

// Shared by all forms that take the wrong number or kinds of operands.
Mismatch shape_mismatch(const MatchInput& input, const std::vector<std::uint32_t>& forms, std::size_t progress) {
  const FormTable& table = form_table();
  for (const RawOperand& raw : input.operands) {
    if (raw.operand.kind == Kind::label) {
      return {raw.operand.location, raw.length, "'" + std::string(raw.name) + "' is not declared", {}, raw.name};
    }
  }
  std::string expected;
  for (std::size_t i = 0; i < forms.size() && i < 3; ++i) {
    const std::string text = operands_text(table.operands(table.forms()[forms[i]]));
    if (expected.find(text) == std::string::npos) expected += (expected.empty() ? "" : "; or ") + text;
  }
  Mismatch mismatch;
  mismatch.message =
      "the operands of '" + std::string(name_of(input.instruction.operation)) + "' are not what it takes";
  mismatch.hint = "operands: " + expected;
  if (progress < input.operands.size()) {
    mismatch.location = input.operands[progress].operand.location;
    mismatch.length = input.operands[progress].length;
  }
  return mismatch;
}

}  // namespace

Type operand_type(const OperandSpec& spec, const Instruction& instruction, std::size_t elements) {
  switch (spec.rule) {
    case TypeRule::nth:
      return instruction.type(spec.type_index);
    case TypeRule::wide:
      return widened(instruction.type());
    case TypeRule::half:
      return unsigned_of(bits_of(instruction.type()) / 2);
    case TypeRule::part:
      if (elements == 0) return Type::none;
      return unsigned_of(static_cast<unsigned>(bits_of(instruction.type()) / elements));
    case TypeRule::fixed:
      return spec.type;
    case TypeRule::any:
      break;
  }
  return Type::none;
}

bool type_fits(Type wanted, Type actual, bool relaxed) {
  if (wanted == actual || wanted == Type::none) return true;
  if (wanted == Type::pred || actual == Type::pred) return false;
  const unsigned wanted_bits = bits_of(wanted), actual_bits = bits_of(actual);
  const char wanted_kind = kind_of(wanted), actual_kind = kind_of(actual);
  const bool wanted_integer = wanted_kind == 'u' || wanted_kind == 's';
  const bool actual_integer = actual_kind == 'u' || actual_kind == 's';
  // Types without registers of their own (tf32, fp8, 4-bit integers) are kept in untyped ones that are wide enough.
  const unsigned needed = wanted_bits < 8 ? 8 : wanted_bits;
  const bool wide_enough = relaxed ? actual_bits >= needed : actual_bits == needed;
  if (!wide_enough) return false;
  if (wanted_kind == 'b' || actual_kind == 'b') return true;
  if (wanted_integer) return actual_integer;
  return false;  // floating point and packed: the same type or untyped bits
}

std::string constant_problem(const Constant& constant, Type type) {
  if (type == Type::none) return {};
  const char kind = kind_of(type);
  const unsigned bits = bits_of(type);
  if (constant.is_integer()) {
    if (kind != 'f' && kind != 'x') return {};
    return "is an integer, which does not fit " + type_text(type);
  }
  const bool single = constant.kind == Constant::Kind::single;
  if (kind == 'f' && (bits == 32 || bits == 64) && type != Type::tf32) return {};
  if (kind == 'b' && (single ? bits == 32 : bits == 64)) return {};
  return "is a floating-point number, which does not fit " + type_text(type);
}

std::uint64_t convert_constant(const Constant& constant, Type type) {
  const unsigned bits = bits_of(type);
  if (!constant.is_integer()) {
    const bool single = constant.kind == Constant::Kind::single;
    if (type == Type::f32) {
      if (single) return constant.bits;
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)));
    }
    if (type == Type::f64 && single) {
      const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits));
      return std::bit_cast<std::uint64_t>(static_cast<double>(narrow));
    }
    return constant.bits;
  }
  if (type == Type::pred) return constant.bits != 0 ? 1 : 0;
  if (bits == 0 || bits >= 64) return constant.bits;
  const std::uint64_t low = constant.bits & ((std::uint64_t{1} << bits) - 1);
  const bool negative = kind_of(type) == 's' && (low >> (bits - 1)) != 0;
  return negative ? low | ~((std::uint64_t{1} << bits) - 1) : low;
}

bool match_operands(const MatchInput& input, const std::vector<std::uint32_t>& forms, Match& match,
                    Mismatch& mismatch) {
  const FormTable& table = form_table();
  std::size_t best = 0;
  for (const std::uint32_t index : forms) {
    const Form& form = table.forms()[index];
    Mismatch reason;
    FormMatch attempt(input, table.operands(form), reason);
    if (attempt.run()) {
      match.form = &form;
      match.positions = std::move(attempt).positions();
      return true;
    }
    if (attempt.progress() < best) continue;
    best = attempt.progress();
    mismatch = reason;
  }
  if (mismatch.message.empty()) mismatch = shape_mismatch(input, forms, best);
  return false;
}

}  // namespace bascule::simt::ptx
