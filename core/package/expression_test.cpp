// Expressions of contracts and plans.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/expression.hpp"

#include <doctest/doctest.h>

#include <random>

#include "tests/support/seed.hpp"

using namespace bascule::core;

namespace {

// a, b, c are slots 0, 1, 2; K is the constant 10.
std::optional<Symbol> lookup(std::string_view name) {
  if (name == "a" || name == "x.length") return Symbol{false, 0, 0};
  if (name == "b") return Symbol{false, 0, 1};
  if (name == "c") return Symbol{false, 0, 2};
  if (name == "K") return Symbol{true, 10, 0};
  return std::nullopt;
}

Result<Expression> parse(std::string_view text) { return Expression::parse(text, lookup, "a, b, c, K, x.length"); }

std::uint64_t value(std::string_view text, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
  CAPTURE(std::string(text));
  auto expression = parse(text);
  REQUIRE_MESSAGE(expression.ok(), expression.error().message);
  const std::uint64_t values[] = {a, b, c};
  std::uint64_t result = 0;
  REQUIRE(expression->evaluate(values, result));
  return result;
}

std::string failure(std::string_view text, std::uint64_t a = 0, std::uint64_t b = 0) {
  auto expression = parse(text);
  REQUIRE(expression.ok());
  const std::uint64_t values[] = {a, b, 0};
  std::uint64_t result = 0;
  REQUIRE_FALSE(expression->evaluate(values, result));
  CHECK(expression->failure(values).status == BSC_INVALID_ARGUMENT);
  return expression->failure(values).message;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr std::uint64_t kMax = ~std::uint64_t{0};

}  // namespace

TEST_CASE("operators bind as in C") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("20 / 2 / 5") == 2);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("1 << 2 + 1") == 8);
  CHECK(value("a < 1 << 40", 5) == 1);
  CHECK(value("a < b == 1", 1, 2) == 1);
  CHECK(value("1 || 0 && 0") == 1);
  CHECK(value("a ? b : c ? 1 : 2", 0, 7, 0) == 2);
  CHECK(value("!a + !b", 0, 5) == 1);
  CHECK(value("!!a", 5) == 1);
  CHECK(value("a != b", 1, 1) == 0);
  CHECK(value("a >> 3", 64) == 8);
  CHECK(value("a % K", 123) == 3);
  CHECK(value("0x1F + 1") == 32);
  CHECK(value("a >= b", 2, 2) == 1);
  CHECK(value("a <= b", 3, 2) == 0);
}

TEST_CASE("functions: min, max, ceildiv, align") {
  CHECK(value("min(a, b)", 3, 2) == 2);
  CHECK(value("max(a, b)", 3, 2) == 3);
  CHECK(value("ceildiv(a, 4)", 9) == 3);
  CHECK(value("ceildiv(a, b)", 8, 4) == 2);
  CHECK(value("ceildiv(a, 2)", kMax) == std::uint64_t{1} << 63);
  CHECK(value("align(a, 64)", 65) == 128);
  CHECK(value("align(a, 24)", 25) == 48);
  CHECK(value("align(a, 24)", 0) == 0);
}

TEST_CASE("what is not needed is not evaluated") {
  CHECK(value("a == 0 ? 0 : b / a", 0, 6) == 0);
  CHECK(value("a != 0 && b / a > 1", 0, 6) == 0);
  CHECK(value("a == 0 || b / a > 1", 0, 6) == 1);
  CHECK(value("a != 0 && b / a > 1", 2, 6) == 1);
}

TEST_CASE("a failed evaluation names the expression, the operation and the values") {
  const std::string overflow = failure("a * b + 1", kMax, 2);
  CHECK(contains(overflow, "`a * b + 1`"));
  CHECK(contains(overflow, "18446744073709551615 * 2"));
  CHECK(contains(overflow, "a = 18446744073709551615, b = 2"));
  CHECK(contains(failure("a + 1", kMax), "exceeds 64 bits"));
  CHECK(contains(failure("a - b", 1, 2), "goes below zero in 1 - 2"));
  CHECK(contains(failure("a / b", 1, 0), "divides by zero"));
  CHECK(contains(failure("a % b", 1, 0), "divides by zero"));
  CHECK(contains(failure("ceildiv(a, b)", 1, 0), "divides by zero"));
  CHECK(contains(failure("align(a, b)", 1, 0), "divides by zero"));
  CHECK(contains(failure("align(a, 64)", kMax), "exceeds 64 bits"));
  CHECK(contains(failure("1 << a", 64), "exceeds 64 bits"));
  CHECK(contains(failure("a << 63", 2), "exceeds 64 bits"));
  CHECK(contains(failure("a >> b", 2, 64), "shifts by 64"));
}

TEST_CASE("constants are folded, and a constant that fails is refused at once") {
  auto folded = parse("K * 2 + 1");
  REQUIRE(folded.ok());
  CHECK(folded->is_constant());
  CHECK(folded->constant_value() == 21);
  CHECK(folded->text() == "K * 2 + 1");
  CHECK(parse("1 / 0").error().status == BSC_INVALID_PACKAGE);
  CHECK(parse("3 - K").error().status == BSC_INVALID_PACKAGE);
}

TEST_CASE("constants inside an expression are combined where that changes nothing") {
  CHECK(value("a < 1 << 40", std::uint64_t{1} << 40) == 0);
  CHECK(value("a + 2 * 3 * K", 1) == 61);
  CHECK(value("(a ? b : 1) + 2", 0, 7) == 3);
  CHECK(value("(a ? b : 1) + 2", 1, 7) == 9);
  CHECK(value("2 + (a && 3) + 4", 1) == 7);
  CHECK(value("(a || 1 + 1) * 5", 0) == 5);
  CHECK(value("a ? 1 / 0 : 5", 0) == 5);  // never reached, so never an error
  CHECK(contains(failure("a ? 1 / 0 : 5", 1), "divides by zero"));
}

TEST_CASE("the slots that an expression reads are known") {
  auto expression = parse("b + x.length");
  REQUIRE(expression.ok());
  CHECK(expression->uses_slot(0));
  CHECK(expression->uses_slot(1));
  CHECK_FALSE(expression->uses_slot(2));
}

TEST_CASE("a malformed expression is refused with the column") {
  for (const char* text : {"", " ", "1 +", "(1", "1)", "a b", "min(1)", "min(1,2,3)", "foo(1,2)", "nothing", "1 ? 2", "1 : 2",
                           "18446744073709551616", "0x", "12ab", "a = b", "&", "a & b", "-1", "a..b", "\"", "1 2", "max", "?:"}) {
    CAPTURE(text);
    auto expression = parse(text);
    REQUIRE_FALSE(expression.ok());
    CHECK(expression.error().status == BSC_INVALID_PACKAGE);
    CHECK(contains(expression.error().message, "column "));
  }
  CHECK(contains(parse("1 + nothing").error().message, "column 5: unknown name `nothing`; known here: a, b, c, K, x.length"));
}

TEST_CASE("depth and length are limited") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "a" + std::string(depth, ')'); };
  CHECK(parse(nested(30)).ok());
  CHECK(contains(parse(nested(2000)).error().message, "nested too deeply"));
  CHECK(contains(parse(std::string(2000, '!') + "a").error().message, "nested too deeply"));
  CHECK_FALSE(parse(std::string(Expression::kMaxText + 1, ' ')).ok());
  std::string right = "a";
  for (int i = 0; i < 200; ++i) right += "+ (a";
  CHECK_FALSE(parse(right + std::string(200, ')')).ok());
}

TEST_CASE("random expressions agree with an evaluation in 128 bits") {
  const auto seed = bascule::test::seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const auto pick = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
  // A chain of additions and multiplications, folded from the left with parentheses: the expectation needs no parser.
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t values[] = {random(), std::uint64_t{random()} << pick(33), pick(5)};
    const char* names[] = {"a", "b", "c"};
    const unsigned first = pick(3);
    std::string text = names[first];
    unsigned __int128 expected = values[first];
    bool fits = true;
    for (unsigned i = 0, steps = 1 + pick(6); i < steps && fits; ++i) {
      const unsigned operand = pick(3);
      const bool multiply = pick(2) == 0;
      text = "(" + text + (multiply ? " * " : " + ") + names[operand] + ")";
      expected = multiply ? expected * values[operand] : expected + values[operand];
      fits = expected <= kMax;
    }
    CAPTURE(text);
    auto expression = parse(text);
    REQUIRE(expression.ok());
    std::uint64_t result = 0;
    REQUIRE(expression->evaluate(values, result) == fits);
    if (fits) CHECK(result == static_cast<std::uint64_t>(expected));
  }
}

TEST_CASE("random text never does more than fail") {
  const auto seed = bascule::test::seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::string_view pieces[] = {"a", "b", "K", "1", "0", "(", ")", "+", "-", "*", "/", "%", "<<", ">>", "<", "<=", "==",
                                     "!", "!=", "&&", "||", "?", ":", ",", "min(", "ceildiv(", "align(", " ", "99", "x.length"};
  int valid = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (unsigned i = 0, count = 1 + static_cast<unsigned>(random() % 12); i < count; ++i) text += pieces[random() % std::size(pieces)];
    auto expression = parse(text);
    if (!expression.ok()) continue;
    ++valid;
    const std::uint64_t values[] = {random(), random() % 3, random()};
    std::uint64_t result = 0;
    if (!expression->evaluate(values, result)) CHECK_FALSE(expression->failure(values).message.empty());
  }
  CHECK(valid > 0);
}
