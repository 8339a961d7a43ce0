// From the text of an expression to its postfix program: recursive descent with a bounded depth.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cctype>

#include "core/package/expression.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {

// Binds tighter with a higher level, as in C.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view source, const SymbolLookup& lookup, std::string_view known_names)
      : source_(source), lookup_(lookup), known_names_(known_names) {}

  Result<Expression> parse() {
    if (source_.size() > Expression::kMaxText) {
      return Error{BSC_INVALID_PACKAGE, concat("an expression of ", source_.size(), " characters exceeds the limit of ",
                                             Expression::kMaxText)};
    }
    parse_conditional();
    skip_spaces();
    if (!failed_ && position_ != source_.size()) fail("an operator or the end was expected here");
    if (failed_) return std::move(error_);
    result_.text_ = source_;
    result_.choose_form();
    if (result_.names_.empty()) return folded();
    return std::move(result_);
  }

 private:
  using Operation = Expression::Operation;
  struct Operator {
    std::string_view spelling;
    int level;
    Operation operation;
  };
  // Longer spellings first where one begins with another.
  static constexpr std::array<Operator, 13> kOperators = {{{"<<", 4, Operation::shift_left},
                                                           {">>", 4, Operation::shift_right},
                                                           {"<=", 3, Operation::less_equal},
                                                           {">=", 3, Operation::greater_equal},
                                                           {"==", 2, Operation::equal},
                                                           {"!=", 2, Operation::not_equal},
                                                           {"<", 3, Operation::less},
                                                           {">", 3, Operation::greater},
                                                           {"+", 5, Operation::add},
                                                           {"-", 5, Operation::subtract},
                                                           {"*", 6, Operation::multiply},
                                                           {"/", 6, Operation::divide},
                                                           {"%", 6, Operation::modulo}}};
  static constexpr int kLowestLevel = 2;
  static constexpr int kHighestLevel = 6;

  // Counts how deep the recursion is; the text comes from files that anybody may have written.
  struct Nesting {
    explicit Nesting(ExpressionParser& owner) : parser(owner) {
      if (++parser.nesting_ > Expression::kMaxNesting) parser.fail("nested too deeply");
    }
    ~Nesting() { --parser.nesting_; }
    ExpressionParser& parser;
  };

  void parse_conditional() {
    const Nesting nesting(*this);
    if (failed_) return;
    parse_or();
    if (!take("?")) return;
    const std::size_t to_else = emit_jump(Operation::jump_if_zero);
    parse_conditional();
    const std::size_t to_end = emit_jump(Operation::jump);
    --depth_;  // only one of the two sides runs
    land(to_else);
    if (!take(":")) return fail("`:` was expected here");
    parse_conditional();
    land(to_end);
  }

  void parse_or() {
    parse_and();
    while (!failed_ && take("||")) {
      emit({Operation::logical_not});
      const std::size_t to_true = emit_jump(Operation::jump_if_zero);
      parse_and();
      emit({Operation::to_bool});
      finish_logical(to_true, 1);
    }
  }

  void parse_and() {
    parse_binary(kLowestLevel);
    while (!failed_ && take("&&")) {
      const std::size_t to_false = emit_jump(Operation::jump_if_zero);
      parse_binary(kLowestLevel);
      emit({Operation::to_bool});
      finish_logical(to_false, 0);
    }
  }

  void finish_logical(std::size_t short_way, std::uint64_t value) {
    const std::size_t to_end = emit_jump(Operation::jump);
    --depth_;
    land(short_way);
    push({Operation::push_constant, 0, value});
    land(to_end);
  }

  void parse_binary(int level) {
    if (level > kHighestLevel) return parse_unary();
    parse_binary(level + 1);
    while (const Operator* found = failed_ ? nullptr : take_operator(level)) {
      parse_binary(level + 1);
      combine(found->operation);
    }
  }

  void parse_unary() {
    const Nesting nesting(*this);
    if (failed_) return;
    skip_spaces();
    if (position_ < source_.size() && source_[position_] == '!' && source_.substr(position_, 2) != "!=") {
      ++position_;
      parse_unary();
      emit({Operation::logical_not});
      return;
    }
    parse_primary();
  }

  void parse_primary() {
    skip_spaces();
    if (position_ == source_.size()) return fail("a number, a name or `(` was expected here");
    const char first = source_[position_];
    if (first == '(') {
      ++position_;
      parse_conditional();
      if (!take(")")) fail("`)` was expected here");
    } else if (std::isdigit(static_cast<unsigned char>(first)) != 0) {
      parse_number();
    } else if (is_name_start(first)) {
      parse_name();
    } else {
      fail("a number, a name or `(` was expected here");
    }
  }

  void parse_number() {
    const std::size_t start = position_;
    std::uint64_t value = 0;
    std::uint64_t base = 10;
    if (source_.substr(position_, 2) == "0x") {
      base = 16;
      position_ += 2;
    }
    std::size_t digits = 0;
    for (; position_ < source_.size() && std::isalnum(static_cast<unsigned char>(source_[position_])) != 0; ++position_) {
      const std::uint64_t digit = digit_value(source_[position_]);
      if (digit >= base) return fail("this is no digit of a number");
      if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value)) {
        position_ = start;
        return fail("a number above 2^64 - 1");
      }
      ++digits;
    }
    if (digits == 0) return fail("a digit was expected here");
    push({Operation::push_constant, 0, value});
  }

  static std::uint64_t digit_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A') + 10;
    return 99;
  }

  static bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  static bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

  void parse_name() {
    const std::size_t start = position_;
    while (position_ < source_.size() && is_name_part(source_[position_])) ++position_;
    const std::string_view name = source_.substr(start, position_ - start);
    if (take("(")) return parse_call(name, start);
    const std::optional<Symbol> symbol = lookup_(name);
    if (!symbol) {
      position_ = start;
      return fail(concat("unknown name `", name, "`", known_names_.empty() ? "" : "; known here: ", known_names_));
    }
    if (symbol->constant) return push({Operation::push_constant, 0, symbol->value});
    push({Operation::push_slot, symbol->slot, 0});
    if (!result_.uses_slot(symbol->slot)) result_.names_.push_back({std::string(name), symbol->slot});
  }

  void parse_call(std::string_view name, std::size_t start) {
    Operation operation{};
    if (name == "min") operation = Operation::minimum;
    else if (name == "max") operation = Operation::maximum;
    else if (name == "ceildiv") operation = Operation::ceildiv;
    else if (name == "align") operation = Operation::align;
    else {
      position_ = start;
      return fail(concat("unknown function `", name, "`; there are min, max, ceildiv and align"));
    }
    parse_conditional();
    if (!take(",")) return fail(concat("`,` was expected here: ", name, " takes two values"));
    parse_conditional();
    if (!take(")")) return fail(concat("`)` was expected here: ", name, " takes two values"));
    combine(operation);
  }

  void push(Expression::Instruction instruction) {
    emit(instruction);
    if (++depth_ > Expression::kMaxStack) fail("needs too many intermediate values");
  }
  void combine(Operation operation) {
    --depth_;
    if (!fold(operation)) emit({operation});
  }
  // Two constants become one, unless their combination fails (it may never be reached) or a jump lands between them.
  bool fold(Operation operation) {
    auto& program = result_.program_;
    if (failed_ || program.size() < last_landing_ + 2) return false;
    const auto& right = program[program.size() - 1];
    auto& left = program[program.size() - 2];
    if (left.operation != Operation::push_constant || right.operation != Operation::push_constant) return false;
    std::uint64_t value = 0;
    if (!Expression::apply(operation, left.value, right.value, value)) return false;
    left.value = value;
    program.pop_back();
    return true;
  }
  void emit(Expression::Instruction instruction) {
    if (!failed_) result_.program_.push_back(instruction);
  }
  std::size_t emit_jump(Operation operation) {
    emit({operation});
    if (operation == Operation::jump_if_zero) --depth_;
    return result_.program_.size() - 1;
  }
  void land(std::size_t jump) {
    if (failed_) return;
    last_landing_ = result_.program_.size();
    result_.program_[jump].slot = static_cast<std::uint32_t>(last_landing_);
  }

  void skip_spaces() {
    while (position_ < source_.size() && (source_[position_] == ' ' || source_[position_] == '\t')) ++position_;
  }
  bool take(std::string_view token) {
    if (failed_) return false;
    skip_spaces();
    if (source_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  const Operator* take_operator(int level) {
    skip_spaces();
    for (const Operator& candidate : kOperators) {
      if (source_.substr(position_, candidate.spelling.size()) != candidate.spelling) continue;
      if (candidate.level != level) return nullptr;
      position_ += candidate.spelling.size();
      return &candidate;
    }
    return nullptr;
  }

  void fail(std::string_view what) {
    if (failed_) return;
    failed_ = true;
    error_ = Error{BSC_INVALID_PACKAGE, concat("the expression `", source_, "`, column ", position_ + 1, ": ", what)};
    error_.remedy = "correct the expression; docs/package-format.md describes the grammar";
  }

  // Without names the value is known now, and so is a failure.
  Result<Expression> folded() {
    std::uint64_t value = 0;
    if (!result_.evaluate(nullptr, value)) {
      Error error = result_.failure(nullptr);
      error.status = BSC_INVALID_PACKAGE;
      error.remedy = "correct the expression: it has the same value at each launch";
      return error;
    }
    Expression constant = Expression::constant(value);
    constant.text_ = source_;
    return constant;
  }

  std::string_view source_;
  const SymbolLookup& lookup_;
  std::string_view known_names_;
  std::size_t position_ = 0;
  unsigned nesting_ = 0;
  unsigned depth_ = 0;
  std::size_t last_landing_ = 0;  // the highest instruction that a jump goes to
  bool failed_ = false;
  Error error_;
  Expression result_;
};

Result<Expression> Expression::parse(std::string_view text, const SymbolLookup& lookup, std::string_view known_names) {
  return ExpressionParser(text, lookup, known_names).parse();
}

void Expression::choose_form() {
  form_ = Form::program;
  const auto read = [](const Instruction& instruction, Operand& operand) {
    operand = {instruction.operation == Operation::push_slot, instruction.slot, instruction.value};
    return operand.is_slot || instruction.operation == Operation::push_constant;
  };
  if (program_.size() == 1 && read(program_[0], left_) && left_.is_slot) form_ = Form::slot;
  if (program_.size() != 3 || !read(program_[0], left_) || !read(program_[1], right_)) return;
  operation_ = program_[2].operation;
  const bool by_constant = left_.is_slot && !right_.is_slot && right_.value != 0;
  form_ = operation_ == Operation::ceildiv && by_constant ? Form::ceildiv_by_constant : Form::binary;
}

}  // namespace bascule::core
