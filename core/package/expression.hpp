// Integer expressions of contracts and plans: parsed once into a postfix program, evaluated without allocation.
//
// All arithmetic is on 64-bit unsigned integers and checked: an overflow, a subtraction below zero, a division by zero or a
// shift by 64 or more makes the evaluation fail. `&&`, `||` and `?:` evaluate only the side they need, so that
// `n == 0 ? 0 : m / n` is safe. Grammar, operators and limits: docs/package-format.md.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

// What a name stands for: a constant known now, or a place in the array of values given to evaluate().
struct Symbol {
  bool constant = false;
  std::uint64_t value = 0;  // of a constant
  std::uint32_t slot = 0;   // else
};

// Answers for a name ("n", "x.length", "BLOCK"), or nothing if there is no such name.
using SymbolLookup = std::function<std::optional<Symbol>(std::string_view name)>;

class Expression {
 public:
  static constexpr std::size_t kMaxText = 4096;
  static constexpr unsigned kMaxNesting = 64;
  static constexpr unsigned kMaxStack = 64;

  // The constant 0.
  Expression() = default;
  static Expression constant(std::uint64_t value);

  // Errors (BSC_INVALID_PACKAGE) name the expression, the column and what was expected, or the names there are.
  static Result<Expression> parse(std::string_view text, const SymbolLookup& lookup, std::string_view known_names = {});

  const std::string& text() const { return text_; }
  bool is_constant() const { return form_ == Form::constant; }
  std::uint64_t constant_value() const { return left_.value; }
  bool uses_slot(std::uint32_t slot) const;

  // False if the arithmetic fails; failure() then says why. `values` is indexed by the symbols' slots.
  bool evaluate(const std::uint64_t* values, std::uint64_t& out) const noexcept {
    switch (form_) {
      case Form::constant:
        out = left_.value;
        return true;
      case Form::slot:
        out = values[left_.slot];
        return true;
      case Form::ceildiv_by_constant: {  // the usual grid; the divisor is not 0
        const std::uint64_t dividend = values[left_.slot];
        out = dividend / right_.value + (dividend % right_.value != 0);
        return true;
      }
      case Form::binary:
        return apply(operation_, left_.is_slot ? values[left_.slot] : left_.value,
                     right_.is_slot ? values[right_.slot] : right_.value, out);
      case Form::program:
        break;
    }
    return run(values, out, nullptr);
  }

  // The error of an evaluation that failed: BSC_INVALID_ARGUMENT naming the expression, the operation and the values.
  Error failure(const std::uint64_t* values) const;

 private:
  friend class ExpressionParser;

  enum class Form : std::uint8_t { constant, slot, ceildiv_by_constant, binary, program };
  enum class Operation : std::uint8_t {
    push_constant, push_slot, add, subtract, multiply, divide, modulo, shift_left, shift_right, less, less_equal, greater,
    greater_equal, equal, not_equal, logical_not, to_bool, minimum, maximum, ceildiv, align, jump, jump_if_zero
  };
  struct Instruction {
    Operation operation;
    std::uint32_t slot = 0;   // push_slot: which; jumps: index of the next instruction, always a later one
    std::uint64_t value = 0;  // push_constant
  };
  struct Operand {
    bool is_slot = false;
    std::uint32_t slot = 0;
    std::uint64_t value = 0;
  };
  struct Name {
    std::string name;
    std::uint32_t slot;
  };
  struct Fault {
    Operation operation;
    std::uint64_t left;
    std::uint64_t right;
  };

  static bool apply(Operation, std::uint64_t left, std::uint64_t right, std::uint64_t& out) noexcept;
  bool run(const std::uint64_t* values, std::uint64_t& out, Fault* fault) const noexcept;
  void choose_form();

  Form form_ = Form::constant;
  Operation operation_ = Operation::add;  // of a binary form
  Operand left_;
  Operand right_;
  std::vector<Instruction> program_;
  std::vector<Name> names_;  // those it reads, for messages
  std::string text_ = "0";
};

// Here because a launch evaluates a handful of expressions in a few nanoseconds each.
inline bool Expression::apply(Operation operation, std::uint64_t left, std::uint64_t right, std::uint64_t& out) noexcept {
  switch (operation) {
    case Operation::add: return !__builtin_add_overflow(left, right, &out);
    case Operation::subtract: return !__builtin_sub_overflow(left, right, &out);
    case Operation::multiply: return !__builtin_mul_overflow(left, right, &out);
    case Operation::divide:
      if (right == 0) return false;
      out = left / right;
      return true;
    case Operation::modulo:
      if (right == 0) return false;
      out = left % right;
      return true;
    case Operation::shift_left:
      if (right >= 64 || (right != 0 && left >> (64 - right) != 0)) return false;
      out = left << right;
      return true;
    case Operation::shift_right:
      if (right >= 64) return false;
      out = left >> right;
      return true;
    case Operation::less: out = left < right; return true;
    case Operation::less_equal: out = left <= right; return true;
    case Operation::greater: out = left > right; return true;
    case Operation::greater_equal: out = left >= right; return true;
    case Operation::equal: out = left == right; return true;
    case Operation::not_equal: out = left != right; return true;
    case Operation::minimum: out = std::min(left, right); return true;
    case Operation::maximum: out = std::max(left, right); return true;
    case Operation::ceildiv:
      if (right == 0) return false;
      out = left / right + (left % right != 0);
      return true;
    case Operation::align: {  // up to the next multiple; `right` need not be a power of two
      if (right == 0) return false;
      const std::uint64_t rest = left % right;
      if (rest == 0) {
        out = left;
        return true;
      }
      return !__builtin_add_overflow(left, right - rest, &out);
    }
    default: return false;
  }
}

}  // namespace bascule::core
