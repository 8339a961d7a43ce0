// div, rcp, sqrt and rsqrt: rounded forms against the host's in the same mode, approximate ones against their bounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

struct RoundingCase {
  Modifier modifier;
  int mode;
};
const RoundingCase kRoundings[] = {
    {Modifier::rn, FE_TONEAREST}, {Modifier::rz, FE_TOWARDZERO}, {Modifier::rm, FE_DOWNWARD}, {Modifier::rp, FE_UPWARD}};

template <class T>
[[gnu::noinline]] T host(Operation operation, T x, T y, int mode) {
  const int before = std::fegetround();
  std::fesetround(mode);
  volatile T a = x, b = y, result;
  if (operation == Operation::div) {
    result = a / b;
  } else if (operation == Operation::rcp) {
    result = T{1} / a;
  } else {
    result = std::sqrt(T{a});
  }
  std::fesetround(before);
  return result;
}

template <class T>
void check_rounded(const Level& level, Type type, const std::vector<T>& a, const std::vector<T>& b) {
  for (const Operation operation : {Operation::div, Operation::rcp, Operation::sqrt}) {
    for (const RoundingCase& rounding : kRoundings) {
      CAPTURE(ptx::name_of(operation));
      CAPTURE(ptx::name_of(rounding.modifier));
      std::vector<Column> sources{column(a)};
      if (operation == Operation::div) sources.push_back(column(b));
      const auto results = Bench(level, operation, {rounding.modifier}, {type}).run(8 * sizeof(T), sources);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const T expected = host(operation, a[i], b[i], rounding.mode);
        const bool nan = sizeof(T) == 4 ? results[i] == 0x7fffffffu : std::isnan(as_double(results[i]));
        if (std::isnan(expected) ? nan : results[i] == bits(expected)) continue;
        CAPTURE(a[i]);
        CAPTURE(b[i]);
        REQUIRE(results[i] == bits(expected));
      }
    }
  }
}

template <class T>
std::vector<T> rotated(std::vector<T> values) {
  std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 3), values.end());
  return values;
}

/// How far a result is from the exact value, in units of its last place.
double ulps(float result, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact) / std::ldexp(1.0L, std::max(exponent, -125) - 24));
}

}  // namespace

TEST_CASE("div, rcp and sqrt of f32 round once in each direction") {
  const auto a = sample_f32(20000, static_cast<std::uint32_t>(bascule::test::seed()));
  at_each_level([&](const Level& level) { check_rounded(level, Type::f32, a, rotated(a)); });
}

TEST_CASE("div, rcp and sqrt of f64 round once in each direction") {
  const auto a = sample_f64(20000, static_cast<std::uint32_t>(bascule::test::seed()));
  at_each_level([&](const Level& level) { check_rounded(level, Type::f64, a, rotated(a)); });
}

TEST_CASE("div, rcp and sqrt with .ftz flush inputs and results") {
  at_each_level([](const Level& level) {
    const Column tiny = column<float>({-0x1p-130f});
    CHECK(Bench(level, Operation::div, {Modifier::rn, Modifier::ftz}, {Type::f32}).one(32, {column<float>({1}), tiny}) == bits(-INFINITY));
    CHECK(Bench(level, Operation::div, {Modifier::rn, Modifier::ftz}, {Type::f32}).one(32, {column<float>({-1}), column<float>({0x1p127f})}) ==
          0x80000000u);
    CHECK(Bench(level, Operation::rcp, {Modifier::approx, Modifier::ftz}, {Type::f32}).one(32, {tiny}) == bits(-INFINITY));
    CHECK(Bench(level, Operation::sqrt, {Modifier::rz, Modifier::ftz}, {Type::f32}).one(32, {tiny}) == 0x80000000u);
    CHECK(Bench(level, Operation::rsqrt, {Modifier::approx, Modifier::ftz}, {Type::f32}).one(32, {tiny}) == bits(-INFINITY));
    CHECK(Bench(level, Operation::div, {Modifier::full, Modifier::ftz}, {Type::f32}).one(32, {tiny, column<float>({1})}) == 0x80000000u);
  });
}

TEST_CASE("the approximate forms are inside their bounds") {
  auto a = sample_f32(20000, static_cast<std::uint32_t>(bascule::test::seed()));
  const auto b = rotated(a);
  at_each_level([&](const Level& level) {
    const auto full = Bench(level, Operation::div, {Modifier::full}, {Type::f32}).run(32, {column(a), column(b)});
    const auto approximate = Bench(level, Operation::div, {Modifier::approx}, {Type::f32}).run(32, {column(a), column(b)});
    const auto reciprocal = Bench(level, Operation::rcp, {Modifier::approx}, {Type::f32}).run(32, {column(a)});
    const auto root = Bench(level, Operation::sqrt, {Modifier::approx}, {Type::f32}).run(32, {column(a)});
    const auto inverse = Bench(level, Operation::rsqrt, {Modifier::approx}, {Type::f32}).run(32, {column(a)});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const long double x = a[i], y = b[i];
      CAPTURE(a[i]);
      CAPTURE(b[i]);
      if (std::isfinite(a[i]) && std::isfinite(b[i]) && y != 0 && std::fabs(x / y) < 0x1.fffffep127L) {
        REQUIRE(ulps(as_float(full[i]), x / y) <= 2);
        if (std::fabs(y) <= 0x1p126L && std::fabs(y) >= 0x1p-126L) REQUIRE(ulps(as_float(approximate[i]), x / y) <= 2);
      }
      if (std::isfinite(a[i]) && x != 0 && std::fabs(1 / x) < 0x1.fffffep127L) REQUIRE(ulps(as_float(reciprocal[i]), 1 / x) <= 1);
      if (std::isfinite(a[i]) && x > 0) {
        REQUIRE(std::fabs(as_float(root[i]) / std::sqrt(x) - 1) <= 0x1p-23L);
        REQUIRE(std::fabs(as_float(inverse[i]) * std::sqrt(x) - 1) <= std::exp2(-22.9L));
      }
    }
  });
}

TEST_CASE("special values of the approximate forms are those of the ISA's tables") {
  constexpr std::uint64_t kNaN = 0x7fffffffu;
  at_each_level([&](const Level& level) {
    const Column values = column<float>({-INFINITY, -0.0f, 0.0f, INFINITY, NAN, -1});
    CHECK(Bench(level, Operation::rcp, {Modifier::approx}, {Type::f32}).run(32, {values}) ==
          std::vector<std::uint64_t>{bits(-0.0f), bits(-INFINITY), bits(INFINITY), 0, kNaN, bits(-1.0f)});
    CHECK(Bench(level, Operation::sqrt, {Modifier::approx}, {Type::f32}).run(32, {values}) ==
          std::vector<std::uint64_t>{kNaN, bits(-0.0f), 0, bits(INFINITY), kNaN, kNaN});
    CHECK(Bench(level, Operation::rsqrt, {Modifier::approx}, {Type::f32}).run(32, {values}) ==
          std::vector<std::uint64_t>{kNaN, bits(-INFINITY), bits(INFINITY), 0, kNaN, kNaN});
    Bench divide(level, Operation::div, {Modifier::approx}, {Type::f32});
    CHECK(divide.run(32, {column<float>({1, -1, 0x1p127f, INFINITY, 1}), column<float>({0x1.8p126f, 0x1.8p126f, -0x1p127f, 0x1p127f, 0x1p126f})}) ==
          std::vector<std::uint64_t>{0, bits(-0.0f), bits(-0.0f), kNaN, bits(0x1p-126f)});
  });
}

TEST_CASE("rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write the upper 32 bits") {
  constexpr std::uint64_t kNaN = 0x7fffffff00000000u;
  at_each_level([&](const Level& level) {
    const Column values =
        column<double>({-double{INFINITY}, -0x1p-1030, -0.0, 0.0, 0x1p-1030, double{INFINITY}, double{NAN}, 0x1p1023, -4});
    CHECK(Bench(level, Operation::rcp, {Modifier::approx, Modifier::ftz}, {Type::f64}).run(64, {values}) ==
          std::vector<std::uint64_t>{bits(-0.0), bits(-double{INFINITY}), bits(-double{INFINITY}), bits(double{INFINITY}),
                                     bits(double{INFINITY}), 0, kNaN, 0, bits(-0.25)});
    CHECK(Bench(level, Operation::rsqrt, {Modifier::approx, Modifier::ftz}, {Type::f64}).run(64, {values}) ==
          std::vector<std::uint64_t>{kNaN, bits(-double{INFINITY}), bits(-double{INFINITY}), bits(double{INFINITY}),
                                     bits(double{INFINITY}), 0, kNaN, bits(std::sqrt(0.5) * 0x1p-511) & 0xffffffff00000000u, kNaN});
    const double x = std::bit_cast<double>(std::uint64_t{0x4008000012345678u});
    const auto third = Bench(level, Operation::rcp, {Modifier::approx, Modifier::ftz}, {Type::f64}).one(64, {column<double>({x})});
    CHECK((third & 0xffffffffu) == 0);
    CHECK(std::fabs(as_double(third) * 3 - 1) < 0x1p-19);
    CHECK(as_double(Bench(level, Operation::rsqrt, {Modifier::approx}, {Type::f64}).one(64, {column<double>({0.25})})) == 2);
  });
}

}  // namespace bascule::simt::float_test
