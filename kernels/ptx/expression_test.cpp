// Compile-time expressions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "kernels/compiler/failure.hpp"
#include "kernels/ptx/expression.hpp"

using namespace bascule::ptx;

namespace {

std::int64_t value(const std::string& text) {
  const Place place{std::make_shared<const SourceFile>("x.ptx", text), 0};
  return evaluate(text, place, [](std::string_view name) { return name == "n" ? std::optional<std::int64_t>(12) : std::nullopt; });
}

std::string problem(const std::string& text) {
  try {
    value(text);
  } catch (const bascule::compiler::Failure& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

TEST_CASE("operators bind as in C, choices from right to left") {
  CHECK(value("1 + 2 * 3 - 4 / 2") == 5);
  CHECK(value("(1 + 2) * 3 % 4") == 1);
  CHECK(value("1 << 4 | 1 ^ 3 & 2") == 19);
  CHECK(value("n > 3 && n != 12 || !0") == 1);
  CHECK(value("-n - -1") == -11);
  CHECK(value("~0x0f & 0xff") == 0xf0);
  CHECK(value("n == 11 ? 1 : n == 12 ? 2 : 3") == 2);
  CHECK(value("10 - 3 - 2") == 5);
}

TEST_CASE("functions and texts") {
  CHECK(value("log2(256) + min(3, n) + max(3, n)") == 23);
  CHECK(value("ceildiv(13, 4)") == 4);
  CHECK(value("\"add\" == \"add\" && \"add\" != \"sub\"") == 1);
}

TEST_CASE("what is wrong is named with its place") {
  CHECK(problem("1 + ") == "x.ptx:1:5: the expression ends too early");
  CHECK(problem("1 +\n  m") == "x.ptx:2:3: 'm' is no compile-time integer here");
  CHECK(problem("4 / (n - 12)") == "x.ptx:1:3: 4 / 0 divides by zero");
  CHECK(problem("0x7fffffffffffffff + 1").find("does not fit 64 bits") != std::string::npos);
  CHECK(problem("1 << 64").find("shifts by") != std::string::npos);
  CHECK(problem("log2(12)") == "x.ptx:1:1: log2(12): the argument is no power of two");
  CHECK(problem("(1").find("')' is missing") != std::string::npos);
  CHECK(problem("12x").find("no integer") != std::string::npos);
  CHECK(problem("odd(1, 2)").find("no function 'odd'") != std::string::npos);
  CHECK(problem(std::string(1000, '(') + "1").find("nested too deep") != std::string::npos);
}
