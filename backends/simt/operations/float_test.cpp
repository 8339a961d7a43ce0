// add, sub, mul, fma, min, max and their like on f32 and f64, against the host's own arithmetic in the same rounding mode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

/// The host's rounding mode, for arithmetic on volatile values.
class HostRounding {
 public:
  explicit HostRounding(int mode) : saved_(std::fegetround()) { std::fesetround(mode); }
  ~HostRounding() { std::fesetround(saved_); }

 private:
  int saved_;
};

struct RoundingCase {
  Modifier modifier;
  int mode;
};
const RoundingCase kRoundings[] = {
    {Modifier::rn, FE_TONEAREST}, {Modifier::rz, FE_TOWARDZERO}, {Modifier::rm, FE_DOWNWARD}, {Modifier::rp, FE_UPWARD}};

template <class T>
[[gnu::noinline]] T host(Operation operation, T x, T y, T z) {
  volatile T a = x, b = y, c = z;  // computed here, in the mode that is set, and not by the compiler
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::sub: return a - b;
    case Operation::mul: return a * b;
    default: return std::fma(T{a}, T{b}, T{c});
  }
}

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

/// Equal bits; every f32 NaN is 0x7fffffff, of f64 any NaN is one.
bool same(std::uint64_t result, float expected) {
  return std::isnan(expected) ? result == 0x7fffffffu : result == bits(expected);
}
bool same(std::uint64_t result, double expected) {
  return std::isnan(expected) ? std::isnan(as_double(result)) : result == bits(expected);
}

template <class T>
std::vector<T> shuffled(std::vector<T> values, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
  return values;
}

constexpr Operation kArithmetic[] = {Operation::add, Operation::sub, Operation::mul, Operation::fma, Operation::mad};

std::vector<Column> operands(Operation operation, std::vector<Column> three) {
  if (operation != Operation::fma && operation != Operation::mad) three.pop_back();
  return three;
}

template <class T>
void check_arithmetic(const Level& level, Type type, const std::vector<T>& a, const std::vector<T>& b,
                      const std::vector<T>& c) {
  for (const Operation operation : kArithmetic) {
    for (const RoundingCase& rounding : kRoundings) {
      CAPTURE(ptx::name_of(operation));
      CAPTURE(ptx::name_of(rounding.modifier));
      Bench bench(level, operation, {rounding.modifier}, {type});
      const auto results = bench.run(8 * sizeof(T), operands(operation, {column(a), column(b), column(c)}));
      for (std::size_t i = 0; i < a.size(); ++i) {
        T expected;
        {
          const HostRounding scope(rounding.mode);
          expected = host<T>(operation, a[i], b[i], c[i]);
        }
        if (same(results[i], expected)) continue;
        CAPTURE(a[i]);
        CAPTURE(b[i]);
        CAPTURE(c[i]);
        REQUIRE(results[i] == bits(expected));
      }
    }
  }
}

}  // namespace

TEST_CASE("f32 arithmetic is rounded once, as its modifier says") {
  const auto seed = static_cast<std::uint32_t>(bascule::test::seed());
  const auto a = sample_f32(20000, seed);
  at_each_level([&](const Level& level) {
    check_arithmetic<float>(level, Type::f32, a, shuffled(a, seed + 1), shuffled(a, seed + 2));
  });
}

TEST_CASE("f64 arithmetic is rounded once, as its modifier says") {
  const auto seed = static_cast<std::uint32_t>(bascule::test::seed());
  const auto a = sample_f64(20000, seed);
  at_each_level([&](const Level& level) {
    check_arithmetic<double>(level, Type::f64, a, shuffled(a, seed + 1), shuffled(a, seed + 2));
  });
}

TEST_CASE("fma rounds the exact sum, not the rounded product") {
  at_each_level([](const Level& level) {
    const float x = 1 + 0x1p-12f;  // x * x = 1 + 2^-11 + 2^-24
    Bench fma(level, Operation::fma, {Modifier::rn}, {Type::f32});
    CHECK(as_float(fma.one(32, {column<float>({x}), column<float>({x}), column<float>({-(1 + 0x1p-11f)})})) == 0x1p-24f);
    // Halfway between two values of f32, and a hair above: double rounding through f64 would give the even neighbour.
    CHECK(as_float(fma.one(32, {column<float>({1 + 0x1p-23f}), column<float>({1 + 0x1p-23f}), column<float>({0x1p-100f})})) ==
          1 + 0x1p-22f);
    CHECK(as_float(fma.one(32, {column<float>({0x1.000002p0f}), column<float>({0x1.8p0f}), column<float>({0x1p-100f})})) ==
          std::fma(0x1.000002p0f, 0x1.8p0f, 0x1p-100f));
  });
}

TEST_CASE("the host's MXCSR is as before an operation that rounds in a direction") {
  at_each_level([](const Level& level) {
    const HostRounding scope(FE_UPWARD);
    const unsigned before = __builtin_ia32_stmxcsr() & ~0x3fu;
    Bench bench(level, Operation::add, {Modifier::rz}, {Type::f32});
    bench.one(32, {column<float>({1}), column<float>({0x1p-40f})});
    CHECK((__builtin_ia32_stmxcsr() & ~0x3fu) == before);
  });
}

TEST_CASE(".ftz flushes inputs and results of f32 and keeps the sign") {
  const auto seed = static_cast<std::uint32_t>(bascule::test::seed());
  const auto a = sample_f32(5000, seed);
  const auto b = shuffled(a, seed + 1);
  const auto c = shuffled(a, seed + 2);
  at_each_level([&](const Level& level) {
    for (const Operation operation : kArithmetic) {
      CAPTURE(ptx::name_of(operation));
      Bench bench(level, operation, {Modifier::rn, Modifier::ftz}, {Type::f32});
      const auto results = bench.run(32, operands(operation, {column(a), column(b), column(c)}));
      for (std::size_t i = 0; i < a.size(); ++i) {
        const float expected = flush(host<float>(operation, flush(a[i]), flush(b[i]), flush(c[i])));
        if (!same(results[i], expected)) REQUIRE(results[i] == bits(expected));
      }
    }
    Bench multiply(level, Operation::mul, {Modifier::ftz}, {Type::f32});
    CHECK(multiply.one(32, {column<float>({-0x1p-100f}), column<float>({0x1p-40f})}) == 0x80000000u);
    CHECK(multiply.one(32, {column<float>({-0x1p-130f}), column<float>({0x1p100f})}) == 0x80000000u);
    Bench rounded(level, Operation::mul, {Modifier::rp, Modifier::ftz}, {Type::f32});
    CHECK(rounded.one(32, {column<float>({-0x1p-130f}), column<float>({1.0f})}) == 0x80000000u);
  });
}

TEST_CASE(".sat gives [0, 1], and +0 for NaN and negative values") {
  at_each_level([](const Level& level) {
    Bench add(level, Operation::add, {Modifier::sat}, {Type::f32});
    const std::vector<float> a{0.25f, 5, -5, NAN, -0.0f, INFINITY, -INFINITY, 1};
    const auto results = add.run(32, {column(a), column<float>({0.25f, 0, 0, 0, -0.0f, 0, 0, 0})});
    const std::vector<std::uint64_t> expected{bits(0.5f), bits(1.0f), 0, 0, 0, bits(1.0f), 0, bits(1.0f)};
    CHECK(results == expected);
    Bench fma(level, Operation::fma, {Modifier::rz, Modifier::ftz, Modifier::sat}, {Type::f32});
    CHECK(fma.one(32, {column<float>({0x1p-127f}), column<float>({1}), column<float>({0})}) == 0);
    CHECK(fma.one(32, {column<float>({3}), column<float>({2}), column<float>({-5.5f})}) == bits(0.5f));
  });
}

TEST_CASE("f32x2 computes two values side by side") {
  at_each_level([](const Level& level) {
    const auto pair = [](float low, float high) { return bits(high) << 32 | bits(low); };
    Bench fma(level, Operation::fma, {Modifier::rn}, {Type::f32x2});
    fma.active = 0x0ff000f1u;
    const Column a = column<std::uint64_t>({pair(1, 2)}), b = column<std::uint64_t>({pair(3, 4)});
    std::vector<std::uint64_t> c(96, pair(5, 6));
    const auto results = fma.run(64, {a, b, column(c)});
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i] == (fma.runs(i) ? pair(8, 14) : Bench::kUntouched));
    Bench add(level, Operation::add, {Modifier::rp, Modifier::ftz}, {Type::f32x2});
    CHECK(add.one(64, {column<std::uint64_t>({pair(1, -0x1p-130f)}), column<std::uint64_t>({pair(0x1p-40f, -0.0f)})}) ==
          pair(1 + 0x1p-23f, -0.0f));
  });
}

TEST_CASE("mixed precision reads f16 and bf16 operands exactly") {
  at_each_level([](const Level& level) {
    Bench add(level, Operation::add, {Modifier::rz}, {Type::f32, Type::f16});
    CHECK(add.one(32, {column<std::uint16_t>({0x3c00}), column<float>({-0x1p-30f})}) == bits(1 - 0x1p-24f));
    Bench sub(level, Operation::sub, {Modifier::sat}, {Type::f32, Type::bf16});
    CHECK(sub.one(32, {column<std::uint16_t>({0x4040}), column<float>({2.25f})}) == bits(0.75f));
    Bench fma(level, Operation::fma, {Modifier::rn}, {Type::f32, Type::f16});
    CHECK(fma.one(32, {column<std::uint16_t>({0x0001}), column<std::uint16_t>({0xc000}), column<float>({1})}) ==
          bits(1 - 0x1p-23f));
  });
}

TEST_CASE("lanes that do not run keep what they had") {
  at_each_level([](const Level& level) {
    for (const bool in_place : {false, true}) {
      for (const bool constant : {false, true}) {
        Bench bench(level, Operation::add, {}, {Type::f32});
        bench.active = 0x80ff00f1u;
        bench.guard = 0x0f0f0f0fu;
        bench.guard_negated = constant;
        bench.in_place = in_place;
        Column b = column<float>({10});
        b.constant = constant;
        std::vector<float> a;
        for (int i = 0; i < 192; ++i) a.push_back(static_cast<float>(i));
        const auto results = bench.run(32, {column(a), b});
        for (std::size_t i = 0; i < results.size(); ++i) {
          const std::uint64_t before = in_place ? bits(a[i]) : Bench::kUntouched & 0xffffffffu;
          CHECK(results[i] == (bench.runs(i) ? bits(a[i] + 10) : before));
        }
      }
    }
  });
}

TEST_CASE("min and max prefer a number to NaN, +0 to -0 as the larger one") {
  constexpr std::uint64_t kNaN = 0x7fffffffu;
  at_each_level([&](const Level& level) {
    const std::vector<float> a{1, NAN, 1, NAN, -0.0f, 0.0f, -INFINITY, 2};
    const std::vector<float> b{2, 1, NAN, NAN, 0.0f, -0.0f, 1, 1};
    Bench min(level, Operation::min, {}, {Type::f32});
    const std::vector<std::uint64_t> least{bits(1.0f), bits(1.0f), bits(1.0f), kNaN, bits(-0.0f), bits(-0.0f), bits(-INFINITY),
                                           bits(1.0f)};
    CHECK(min.run(32, {column(a), column(b)}) == least);
    Bench max(level, Operation::max, {}, {Type::f32});
    const std::vector<std::uint64_t> most{bits(2.0f), bits(1.0f), bits(1.0f), kNaN, 0, 0, bits(1.0f), bits(2.0f)};
    CHECK(max.run(32, {column(a), column(b)}) == most);
    Bench propagating(level, Operation::max, {Modifier::NaN}, {Type::f32});
    const std::vector<std::uint64_t> strict{bits(2.0f), kNaN, kNaN, kNaN, 0, 0, bits(1.0f), bits(2.0f)};
    CHECK(propagating.run(32, {column(a), column(b)}) == strict);
  });
}

TEST_CASE("min and max of f64 order as those of f32") {
  at_each_level([](const Level& level) {
    const std::vector<double> a{1, NAN, 1, -0.0, 0.0}, b{2, 1, NAN, 0.0, -0.0};
    Bench min(level, Operation::min, {}, {Type::f64});
    CHECK(min.run(64, {column(a), column(b)}) == std::vector<std::uint64_t>{bits(1.0), bits(1.0), bits(1.0), bits(-0.0), bits(-0.0)});
    Bench max(level, Operation::max, {}, {Type::f64});
    CHECK(max.run(64, {column(a), column(b)}) == std::vector<std::uint64_t>{bits(2.0), bits(1.0), bits(1.0), 0, 0});
    CHECK(std::isnan(as_double(max.one(64, {column<double>({NAN}), column<double>({NAN})}))));
  });
}

TEST_CASE("min and max: .xorsign.abs, .ftz, three operands") {
  at_each_level([](const Level& level) {
    Bench xorsign(level, Operation::min, {Modifier::xorsign, Modifier::abs}, {Type::f32});
    CHECK(xorsign.run(32, {column<float>({-3, -3, 3, NAN}), column<float>({4, -2, -5, -7})}) ==
          std::vector<std::uint64_t>{bits(-3.0f), bits(2.0f), bits(-3.0f), 0x40e00000u | 0x80000000u * (std::signbit(NAN) ? 0u : 1u)});
    Bench both_nan(level, Operation::max, {Modifier::NaN, Modifier::xorsign, Modifier::abs}, {Type::f32});
    CHECK(both_nan.one(32, {column<float>({-1}), column<float>({NAN})}) == 0x7fffffffu);
    Bench flushing(level, Operation::max, {Modifier::ftz}, {Type::f32});
    CHECK(flushing.one(32, {column<float>({-0x1p-140f}), column<float>({-1})}) == 0x80000000u);
    Bench three(level, Operation::min, {Modifier::abs}, {Type::f32});
    CHECK(three.one(32, {column<float>({-3}), column<float>({-2}), column<float>({4})}) == bits(2.0f));
    Bench three_nan(level, Operation::min, {Modifier::NaN}, {Type::f32});
    CHECK(three_nan.one(32, {column<float>({-3}), column<float>({-2}), column<float>({NAN})}) == 0x7fffffffu);
    Bench three_number(level, Operation::max, {}, {Type::f32});
    CHECK(three_number.one(32, {column<float>({NAN}), column<float>({NAN}), column<float>({-4})}) == bits(-4.0f));
  });
}

TEST_CASE("abs, neg and copysign change the sign alone, and flush with .ftz") {
  at_each_level([](const Level& level) {
    const Column values = column<float>({-1.5f, 1.5f, -0.0f, -0x1p-140f});
    CHECK(Bench(level, Operation::abs, {}, {Type::f32}).run(32, {values}) ==
          std::vector<std::uint64_t>{bits(1.5f), bits(1.5f), 0, bits(0x1p-140f)});
    CHECK(Bench(level, Operation::neg, {Modifier::ftz}, {Type::f32}).run(32, {values}) ==
          std::vector<std::uint64_t>{bits(1.5f), bits(-1.5f), 0, 0});
    CHECK(Bench(level, Operation::copysign, {}, {Type::f32}).run(32, {values, column<float>({2, -3, 0, 4})}) ==
          std::vector<std::uint64_t>{bits(-2.0f), bits(3.0f), bits(-0.0f), bits(-4.0f)});
    const Column wide = column<double>({-1.5, 0x1p-1060, -NAN});
    CHECK(Bench(level, Operation::abs, {}, {Type::f64}).run(64, {wide}) ==
          std::vector<std::uint64_t>{bits(1.5), bits(0x1p-1060), bits(double{NAN})});
    CHECK(Bench(level, Operation::neg, {}, {Type::f64}).one(64, {wide}) == bits(1.5));
    CHECK(Bench(level, Operation::copysign, {}, {Type::f64}).one(64, {wide, column<double>({2})}) == bits(-2.0));
  });
}

TEST_CASE("testp tells the classes of numbers apart; zeros are normal") {
  const std::vector<float> f32{0.0f, -0.0f, 0x1p-140f, -0x1.fffffcp-127f, 0x1p-126f, 1, -0x1.fffffep127f, INFINITY, -INFINITY, NAN};
  const std::vector<double> f64{0.0, -0.0, 0x1p-1060, -0x1p-1023, 0x1p-1022, 1, -0x1.fffffffffffffp1023, INFINITY, -INFINITY, NAN};
  struct Case {
    Modifier modifier;
    const char* expected;
  };
  const Case cases[] = {{Modifier::finite, "1111111000"},     {Modifier::infinite, "0000000110"},
                        {Modifier::number, "1111111110"},     {Modifier::notanumber, "0000000001"},
                        {Modifier::normal, "1100111000"},     {Modifier::subnormal, "0011000000"}};
  at_each_level([&](const Level& level) {
    for (const Case& test : cases) {
      CAPTURE(ptx::name_of(test.modifier));
      for (const auto& results : {Bench(level, Operation::testp, {test.modifier}, {Type::f32}).run(1, {column(f32)}),
                                  Bench(level, Operation::testp, {test.modifier}, {Type::f64}).run(1, {column(f64)})}) {
        std::string found;
        for (const std::uint64_t holds : results) found += holds != 0 ? '1' : '0';
        CHECK(found == test.expected);
      }
    }
    Bench partial(level, Operation::testp, {Modifier::finite}, {Type::f32});
    partial.active = 0x0000ffffu;
    const auto results = partial.run(1, {column(std::vector<float>(96, NAN))});
    for (std::size_t i = 0; i < results.size(); ++i) {
      CHECK(results[i] == (partial.runs(i) ? 0 : (0x5a5a5a5au >> i % kLanes & 1u)));
    }
  });
}

}  // namespace bascule::simt::float_test
