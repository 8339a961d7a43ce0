// ex2, lg2, sin, cos, tanh: bounds on a sample of all f32 (mathematics_nightly_test.cpp takes all of them), special values, and
// the 16-bit forms on all their values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/mathematics_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

constexpr std::uint64_t kNaN = 0x7fffffffu;

long double value_of(std::uint32_t code, bool half) {
  if (!half) return as_float(std::uint64_t{code} << 16);
  const int field = static_cast<int>(code >> 10 & 31), fraction = static_cast<int>(code & 1023);
  const long double sign = (code & 0x8000u) != 0 ? -1 : 1;
  if (field == 31) return fraction != 0 ? static_cast<long double>(NAN) : sign * HUGE_VALL;
  return sign * std::ldexp(static_cast<long double>(field == 0 ? fraction : 1024 + fraction), std::max(field, 1) - 25);
}

}  // namespace

TEST_CASE("approximate functions of f32 are inside the ISA's bounds on a sample of all values") {
  const std::uint32_t first = static_cast<std::uint32_t>(bascule::test::seed() % 4099);
  at_each_level([&](const Level& level) {
    for (const Approximation& approximation : kApproximations) {
      const Worst worst = worst_of(level, approximation, first, 4099);
      CAPTURE(ptx::name_of(approximation.operation));
      CAPTURE(worst.at);
      CHECK(worst.share <= 1);
    }
  });
}

TEST_CASE("special values of the approximate functions are those of the ISA's tables") {
  struct Case {
    Operation operation;
    std::vector<std::uint64_t> expected;
  };
  const Column values = column<float>({-INFINITY, -0.0f, 0.0f, INFINITY, NAN, -1e38f});
  const std::uint64_t infinity = bits(INFINITY), minus_infinity = bits(-INFINITY), one = bits(1.0f), minus_zero = bits(-0.0f);
  const Case cases[] = {{Operation::ex2, {0, one, one, infinity, kNaN, 0}},
                        {Operation::lg2, {kNaN, minus_infinity, minus_infinity, infinity, kNaN, kNaN}},
                        {Operation::tanh, {bits(-1.0f), minus_zero, 0, one, kNaN, bits(-1.0f)}}};
  at_each_level([&](const Level& level) {
    for (const Case& test : cases) {
      CAPTURE(ptx::name_of(test.operation));
      CHECK(Bench(level, test.operation, {Modifier::approx}, {Type::f32}).run(32, {values}) == test.expected);
    }
    const auto sin = Bench(level, Operation::sin, {Modifier::approx}, {Type::f32}).run(32, {values});
    const auto cos = Bench(level, Operation::cos, {Modifier::approx}, {Type::f32}).run(32, {values});
    CHECK(std::vector<std::uint64_t>(sin.begin(), sin.begin() + 5) == std::vector<std::uint64_t>{kNaN, minus_zero, 0, kNaN, kNaN});
    CHECK(std::vector<std::uint64_t>(cos.begin(), cos.begin() + 5) == std::vector<std::uint64_t>{kNaN, one, one, kNaN, kNaN});
    CHECK(std::fabs(as_float(sin[5])) <= 1);
    CHECK(std::fabs(as_float(cos[5])) <= 1);
  });
}

TEST_CASE("whole powers of two and their logarithms are exact") {
  at_each_level([](const Level& level) {
    Bench ex2(level, Operation::ex2, {Modifier::approx}, {Type::f32}), lg2(level, Operation::lg2, {Modifier::approx}, {Type::f32});
    for (int n = -149; n < 128; ++n) {
      CHECK(as_float(ex2.one(32, {column<float>({static_cast<float>(n)})})) == std::ldexp(1.0f, n));
      CHECK(as_float(lg2.one(32, {column<float>({std::ldexp(1.0f, n)})})) == static_cast<float>(n));
    }
  });
}

TEST_CASE("approximate functions with .ftz flush subnormal inputs and results") {
  at_each_level([](const Level& level) {
    const std::vector<Modifier> flushing{Modifier::approx, Modifier::ftz};
    const Column tiny = column<float>({-0x1p-130f});
    CHECK(Bench(level, Operation::ex2, flushing, {Type::f32}).one(32, {column<float>({-127})}) == 0);
    CHECK(Bench(level, Operation::lg2, flushing, {Type::f32}).one(32, {tiny}) == bits(-INFINITY));
    CHECK(Bench(level, Operation::sin, flushing, {Type::f32}).one(32, {tiny}) == 0x80000000u);
    CHECK(Bench(level, Operation::sin, {Modifier::approx}, {Type::f32}).one(32, {tiny}) == bits(-0x1p-130f));
    CHECK(Bench(level, Operation::tanh, {Modifier::approx}, {Type::f32}).one(32, {tiny}) == bits(-0x1p-130f));
    Bench brain(level, Operation::ex2, flushing, {Type::bf16});
    CHECK(brain.run(16, {column<std::uint16_t>({0x0001, 0x8001, 0xc2fe, 0xc2fc})}) ==
          std::vector<std::uint64_t>{0x3f80, 0x3f80, 0, 0x0080});  // 2^-127 is flushed, 2^-126 is not
  });
}

TEST_CASE("ex2 and tanh of every f16 and bf16 are inside the ISA's bounds") {
  std::vector<std::uint16_t> codes;
  std::vector<std::uint32_t> pairs;
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    codes.push_back(static_cast<std::uint16_t>(code));
    pairs.push_back(code << 16 | (code ^ 0xffffu));
  }
  at_each_level([&](const Level& level) {
    for (const bool half : {true, false}) {
      const std::vector<Modifier> modifiers = half ? std::vector<Modifier>{Modifier::approx} : std::vector<Modifier>{Modifier::approx, Modifier::ftz};
      const Type scalar = half ? Type::f16 : Type::bf16, packed = half ? Type::f16x2 : Type::bf16x2;
      const auto ex2 = Bench(level, Operation::ex2, modifiers, {scalar}).run(16, {column(codes)});
      const auto tanh = Bench(level, Operation::tanh, {Modifier::approx}, {scalar}).run(16, {column(codes)});
      const auto ex2_pairs = Bench(level, Operation::ex2, modifiers, {packed}).run(32, {column(pairs)});
      const auto tanh_pairs = Bench(level, Operation::tanh, {Modifier::approx}, {packed}).run(32, {column(pairs)});
      for (std::uint32_t code = 0; code < 0x10000; ++code) {
        CAPTURE(code);
        const long double x = value_of(code, half);
        const long double power = std::exp2(x);
        REQUIRE(ex2_pairs[code] == (ex2[code] << 16 | ex2[code ^ 0xffffu]));
        REQUIRE(tanh_pairs[code] == (tanh[code] << 16 | tanh[code ^ 0xffffu]));
        if (std::isnan(x)) {
          REQUIRE(ex2[code] == 0x7fffu);
          REQUIRE(tanh[code] == 0x7fffu);
          continue;
        }
        const long double result = value_of(static_cast<std::uint32_t>(ex2[code]), half);
        const long double smallest = half ? 0x1p-14L : 0x1p-126L, largest = half ? 65504.0L : 0x1.fep127L;
        if (power >= smallest && power <= largest) REQUIRE(std::fabs(result / power - 1) <= std::exp2(half ? -9.9L : -7.0L));
        if (power > largest * 1.01L) REQUIRE(std::isinf(result));
        if (power < smallest) REQUIRE(result <= smallest);
        const long double slope = value_of(static_cast<std::uint32_t>(tanh[code]), half);
        REQUIRE(std::fabs(slope - std::tanh(x)) <= std::exp2(half ? -10.987L : -8.0L));
        REQUIRE(std::signbit(slope) == std::signbit(x));
      }
    }
  });
}

}  // namespace bascule::simt::float_test
