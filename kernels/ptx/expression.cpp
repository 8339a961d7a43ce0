// A parser that evaluates while it reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ptx/expression.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace bascule::ptx {
namespace {

struct Operator {
  std::string_view text;
  int level;  // the tightest is the largest
};
// Longer ones first, where one begins with another.
constexpr std::array<Operator, 18> kOperators = {{{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
                                                  {"^", 4}, {"&", 5}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}}};
constexpr int kMaxNesting = 64;

class Parser {
 public:
  Parser(std::string_view text, const Place& place, const NameValue& names) : text_(text), place_(place), names_(names) {}

  std::int64_t run() {
    const std::int64_t value = choice();
    skip();
    if (at_ < text_.size()) wrong("'" + std::string(text_.substr(at_)) + "' is not expected here");
    return value;
  }

 private:
  [[noreturn]] void wrong(const std::string& message) const { fail(place_.at(std::min(at_, text_.size())), message); }

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void need(std::string_view word) {
    if (!take(word)) wrong("'" + std::string(word) + "' is missing");
  }

  std::int64_t choice() {
    if (++nesting_ > kMaxNesting) wrong("the expression is nested too deep");
    std::int64_t value = binary(1);
    if (take("?")) {
      const std::int64_t yes = choice();
      need(":");
      const std::int64_t no = choice();
      value = value != 0 ? yes : no;
    }
    --nesting_;
    return value;
  }

  std::int64_t binary(int level) {
    std::int64_t value = prefix();
    for (;;) {
      skip();
      const auto found = std::find_if(kOperators.begin(), kOperators.end(), [this](const Operator& o) { return text_.substr(at_).starts_with(o.text); });
      if (found == kOperators.end() || found->level < level) return value;
      const std::size_t place = at_;
      at_ += found->text.size();
      const std::int64_t right = binary(found->level + 1);
      value = apply(found->text, value, right, place);
    }
  }

  std::int64_t apply(std::string_view op, std::int64_t a, std::int64_t b, std::size_t place) const {
    const auto refuse = [&](const std::string& why) { fail(place_.at(place), std::to_string(a) + " " + std::string(op) + " " + std::to_string(b) + " " + why); };
    std::int64_t value = 0;
    bool overflow = false;
    if (op == "+") overflow = __builtin_add_overflow(a, b, &value);
    else if (op == "-") overflow = __builtin_sub_overflow(a, b, &value);
    else if (op == "*") overflow = __builtin_mul_overflow(a, b, &value);
    else if (op == "/" || op == "%") {
      if (b == 0) refuse("divides by zero");
      if (b == -1 && a == INT64_MIN) refuse("does not fit 64 bits");
      value = op == "/" ? a / b : a % b;
    } else if (op == "<<" || op == ">>") {
      if (b < 0 || b > 63) refuse("shifts by less than 0 or more than 63");
      value = op == "<<" ? static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b) : a >> b;
    } else if (op == "||") value = (a != 0 || b != 0) ? 1 : 0;
    else if (op == "&&") value = (a != 0 && b != 0) ? 1 : 0;
    else if (op == "|") value = a | b;
    else if (op == "^") value = a ^ b;
    else if (op == "&") value = a & b;
    else if (op == "==") value = a == b ? 1 : 0;
    else if (op == "!=") value = a != b ? 1 : 0;
    else if (op == "<") value = a < b ? 1 : 0;
    else if (op == "<=") value = a <= b ? 1 : 0;
    else if (op == ">") value = a > b ? 1 : 0;
    else value = a >= b ? 1 : 0;
    if (overflow) refuse("does not fit 64 bits");
    return value;
  }

  std::int64_t prefix() {
    if (take("-")) {
      const std::int64_t value = prefix();
      if (value == INT64_MIN) wrong("the value does not fit 64 bits");
      return -value;
    }
    if (take("!")) return prefix() == 0 ? 1 : 0;
    if (take("~")) return ~prefix();
    if (take("(")) {
      const std::int64_t value = choice();
      need(")");
      return value;
    }
    skip();
    if (at_ < text_.size() && text_[at_] == '"') return texts();
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return number();
    if (at_ < text_.size() && is_name_start(text_[at_]) && text_[at_] != '%') return name();
    wrong(at_ < text_.size() ? "a number, a name or '(' is expected, not '" + std::string(1, text_[at_]) + "'" : std::string("the expression ends too early"));
  }

  // "a" == "b"
  std::int64_t texts() {
    const std::string_view left = text();
    const bool equal = take("==");
    if (!equal && !take("!=")) wrong("a text can only be compared, by == or !=, with another text");
    skip();
    if (at_ >= text_.size() || text_[at_] != '"') wrong("a text is expected here");
    return (left == text()) == equal ? 1 : 0;
  }
  std::string_view text() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) wrong("the text does not end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  std::int64_t number() {
    const bool hexadecimal = text_.substr(at_).starts_with("0x");
    const char* begin = text_.data() + at_ + (hexadecimal ? 2 : 0);
    const char* end = text_.data() + text_.size();
    std::int64_t value = 0;
    const auto result = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    if (result.ec != std::errc{} || (result.ptr != end && is_name_part(*result.ptr))) wrong("this is no integer of 64 bits");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return value;
  }

  std::int64_t name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (take("(")) return function(word, begin);
    if (const auto value = names_(word)) return *value;
    at_ = begin;
    wrong("'" + std::string(word) + "' is no compile-time integer here");
  }

  std::int64_t function(std::string_view word, std::size_t begin) {
    const std::int64_t first = choice();
    if (word == "log2") {
      need(")");
      if (first <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(first))) {
        fail(place_.at(begin), "log2(" + std::to_string(first) + "): the argument is no power of two");
      }
      return std::countr_zero(static_cast<std::uint64_t>(first));
    }
    need(",");
    const std::int64_t second = choice();
    need(")");
    if (word == "min") return std::min(first, second);
    if (word == "max") return std::max(first, second);
    if (word == "ceildiv") {
      if (first < 0 || second <= 0) fail(place_.at(begin), "ceildiv needs a positive divisor and no negative number");
      return first / second + (first % second != 0 ? 1 : 0);
    }
    fail(place_.at(begin), "there is no function '" + std::string(word) + "'", "the functions are min, max, log2, ceildiv");
  }

  std::string_view text_;
  const Place& place_;
  const NameValue& names_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::int64_t evaluate(std::string_view text, const Place& place, const NameValue& names) { return Parser(text, place, names).run(); }

}  // namespace bascule::ptx
