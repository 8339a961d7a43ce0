// Constant expressions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/ptx/constant.hpp"

#include <bit>
#include <limits>

namespace bascule::simt::ptx {
namespace {

constexpr unsigned kMaxDepth = 100;  // of parentheses and unary operators

struct Operator {
  char symbol;
  int precedence;  // higher binds tighter
};
constexpr Operator kOperators[] = {{'*', 10}, {'/', 10}, {'%', 10}, {'+', 9}, {'-', 9}, {'L', 8},
                                   {'R', 8},  {'<', 7},  {'>', 7},  {'l', 7}, {'g', 7}, {'e', 6},
                                   {'n', 6},  {'&', 5},  {'^', 4},  {'|', 3}, {'A', 2}, {'O', 1}};

int precedence_of(const Token& token) {
  if (token.kind != TokenKind::punctuation) return 0;
  for (const Operator& entry : kOperators) {
    if (entry.symbol == token.symbol) return entry.precedence;
  }
  return 0;
}

Constant signed_value(std::uint64_t bits) { return {Constant::Kind::signed_integer, bits}; }
Constant unsigned_value(std::uint64_t bits) { return {Constant::Kind::unsigned_integer, bits}; }
Constant real_value(double value) { return {Constant::Kind::real, std::bit_cast<std::uint64_t>(value)}; }
double real_of(const Constant& constant) { return std::bit_cast<double>(constant.bits); }

class Evaluator {
 public:
  explicit Evaluator(Tokens& tokens) : tokens_(tokens) {}

  Constant ternary(int lowest) {
    const Token at = tokens_.current();
    const Constant condition = binary(lowest);
    if (!tokens_.at('?')) return condition;
    const Depth depth(*this, at);
    if (!condition.is_integer()) tokens_.fail(at, "the condition before '?' must be an integer");
    tokens_.advance();
    const Constant first = ternary(1);
    tokens_.expect(':', "between the alternatives of '?'");
    const Constant second = ternary(lowest);
    if (first.is_integer() != second.is_integer()) {
      tokens_.fail(at, "the alternatives of '?' must both be integers or both be floating point");
    }
    Constant result = condition.bits != 0 ? first : second;
    if (first.kind == Constant::Kind::unsigned_integer || second.kind == Constant::Kind::unsigned_integer) {
      result.kind = Constant::Kind::unsigned_integer;
    }
    return result;
  }

 private:
  // Expressions nest only so far, whatever is in the text.
  struct Depth {
    Depth(Evaluator& evaluator, const Token& at) : evaluator(evaluator) {
      if (++evaluator.depth_ > kMaxDepth) evaluator.tokens_.fail(at, "the expression is nested too deeply");
    }
    ~Depth() { --evaluator.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Evaluator& evaluator;
  };

  Constant binary(int lowest) {
    Constant left = unary();
    for (;;) {
      const Token token = tokens_.current();
      const int precedence = precedence_of(token);
      if (precedence == 0 || precedence < lowest) return left;
      const Depth depth(*this, token);
      tokens_.advance();
      const Constant right = binary(precedence + 1);
      left = apply(token, left, right);
    }
  }

  Constant unary() {
    const Token token = tokens_.current();
    const Depth depth(*this, token);
    if (tokens_.accept('-')) return negative(token, unary());
    if (tokens_.accept('+')) return unary();
    if (tokens_.accept('!')) return signed_value(integer(token, unary()) == 0 ? 1 : 0);
    if (tokens_.accept('~')) return unsigned_value(~integer(token, unary()));
    if (tokens_.accept('(')) return parenthesis();
    return literal();
  }

  Constant parenthesis() {
    const Token token = tokens_.current();
    if (token.kind == TokenKind::dot_word && (token.text == "s64" || token.text == "u64")) {
      tokens_.advance();
      tokens_.expect(')', "after the type of a cast");
      const std::uint64_t bits = integer(token, unary());
      return token.text == "s64" ? signed_value(bits) : unsigned_value(bits);
    }
    const Constant value = ternary(1);
    tokens_.expect(')', "after an expression");
    return value;
  }

  Constant literal() {
    const Token token = tokens_.current();
    switch (token.kind) {
      case TokenKind::integer:
        tokens_.advance();
        return token.is_unsigned ? unsigned_value(token.bits) : signed_value(token.bits);
      case TokenKind::real:
        tokens_.advance();
        return {Constant::Kind::real, token.bits};
      case TokenKind::single:
        tokens_.advance();
        return {Constant::Kind::single, token.bits};
      case TokenKind::identifier:
        if (token.text == "WARP_SZ") {
          tokens_.advance();
          return signed_value(32);
        }
        [[fallthrough]];
      default:
        tokens_.fail_expected("a constant", "here");
    }
  }

  std::uint64_t integer(const Token& at, const Constant& value) {
    if (!value.is_integer()) tokens_.fail(at, "'" + std::string(at.text) + "' works on integers only");
    return value.bits;
  }

  Constant negative(const Token& at, Constant value) {
    if (value.is_integer())
      value.bits = 0 - value.bits;
    else if (value.kind == Constant::Kind::real)
      value.bits ^= std::uint64_t{1} << 63;
    else
      tokens_.fail(at, "a number written as 0f and 8 digits takes no operators", "set the sign in its digits");
    return value;
  }

  Constant apply(const Token& at, const Constant& left, const Constant& right) {
    if (left.kind == Constant::Kind::single || right.kind == Constant::Kind::single) {
      tokens_.fail(at, "a number written as 0f and 8 digits takes no operators",
                   "write it in decimal or as 0d and 16 digits");
    }
    if (left.is_integer() != right.is_integer()) {
      tokens_.fail(at, "an expression may not mix integers and floating point");
    }
    return left.is_integer() ? integers(at, left, right) : reals(at, real_of(left), real_of(right));
  }

  Constant reals(const Token& at, double a, double b) {
    switch (at.symbol) {
      case '+':
        return real_value(a + b);
      case '-':
        return real_value(a - b);
      case '*':
        return real_value(a * b);
      case '/':
        return real_value(a / b);
      case '<':
        return signed_value(a < b);
      case '>':
        return signed_value(a > b);
      case 'l':
        return signed_value(a <= b);
      case 'g':
        return signed_value(a >= b);
      case 'e':
        return signed_value(a == b);
      case 'n':
        return signed_value(a != b);
      default:
        tokens_.fail(at, "'" + std::string(at.text) + "' works on integers only");
    }
  }

  Constant integers(const Token& at, const Constant& left, const Constant& right) {
    const std::uint64_t a = left.bits, b = right.bits;
    const bool is_unsigned =
        left.kind == Constant::Kind::unsigned_integer || right.kind == Constant::Kind::unsigned_integer;
    const auto converted = [&](std::uint64_t bits) { return is_unsigned ? unsigned_value(bits) : signed_value(bits); };
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    switch (at.symbol) {
      case '+':
        return converted(a + b);
      case '-':
        return converted(a - b);
      case '*':
        return converted(a * b);
      case '/':
        if (b == 0) tokens_.fail(at, "division by zero");
        if (is_unsigned) return converted(a / b);
        if (sa == std::numeric_limits<std::int64_t>::min() && sb == -1) return converted(a);
        return converted(static_cast<std::uint64_t>(sa / sb));
      case '%':
        if (b == 0) tokens_.fail(at, "division by zero");
        return signed_value(a % b);
      case 'L':
        return {left.kind, b > 63 ? 0 : a << b};
      case 'R':
        if (left.kind == Constant::Kind::unsigned_integer) return {left.kind, b > 63 ? 0 : a >> b};
        return {left.kind, static_cast<std::uint64_t>(sa >> (b > 63 ? 63 : b))};
      case '<':
        return signed_value(is_unsigned ? a < b : sa < sb);
      case '>':
        return signed_value(is_unsigned ? a > b : sa > sb);
      case 'l':
        return signed_value(is_unsigned ? a <= b : sa <= sb);
      case 'g':
        return signed_value(is_unsigned ? a >= b : sa >= sb);
      case 'e':
        return signed_value(a == b);
      case 'n':
        return signed_value(a != b);
      case '&':
        return converted(a & b);
      case '^':
        return converted(a ^ b);
      case '|':
        return converted(a | b);
      case 'A':
        return signed_value(a != 0 && b != 0);
      default:
        return signed_value(a != 0 || b != 0);
    }
  }

  Tokens& tokens_;
  unsigned depth_ = 0;
};

}  // namespace

bool begins_constant(const Token& token) {
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::single:
      return true;
    case TokenKind::identifier:
      return token.text == "WARP_SZ";
    case TokenKind::punctuation:
      return token.symbol == '-' || token.symbol == '+' || token.symbol == '!' || token.symbol == '~' ||
             token.symbol == '(';
    default:
      return false;
  }
}

Constant parse_constant(Tokens& tokens) { return Evaluator(tokens).ternary(1); }

Constant parse_operand_constant(Tokens& tokens) { return Evaluator(tokens).ternary(4); }

Constant parse_integer_constant(Tokens& tokens, std::string_view what) {
  const Token at = tokens.current();
  const Constant constant = parse_constant(tokens);
  if (!constant.is_integer()) tokens.fail(at, std::string(what) + " must be an integer");
  return constant;
}

}  // namespace bascule::simt::ptx
