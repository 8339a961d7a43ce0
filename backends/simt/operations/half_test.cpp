// Arithmetic of f16 and bf16 against exact arithmetic in long double that is rounded once, by a search among all values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

/// f16 or bf16 by its definition.
class Format {
 public:
  Format(int mantissa_bits, int bias, Type scalar, Type packed)
      : scalar(scalar), packed(packed), infinity_(static_cast<std::uint32_t>(2 * bias + 1) << mantissa_bits) {
    for (std::uint32_t code = 0; code <= infinity_; ++code) {
      const int field = static_cast<int>(code >> mantissa_bits);
      const std::uint32_t fraction = code & ((1u << mantissa_bits) - 1);
      values_.push_back(std::ldexp(static_cast<long double>(field == 0 ? fraction : fraction | 1u << mantissa_bits),
                                   std::max(field, 1) - bias - mantissa_bits));
    }
  }
  const Type scalar;
  const Type packed;

  [[nodiscard]] long double value(std::uint32_t code) const {
    const std::uint32_t magnitude = code & 0x7fffu;
    const long double x = magnitude < infinity_ ? values_[magnitude] : magnitude == infinity_ ? HUGE_VALL : static_cast<long double>(NAN);
    return (code & 0x8000u) != 0 ? -x : x;
  }
  /// To nearest; `beyond` tells on which side of x the exact value is, where x itself is not exact.
  [[nodiscard]] std::uint32_t rounded(long double x, int beyond = 0) const {
    if (std::isnan(x)) return 0x7fff;
    const std::uint32_t sign = std::signbit(x) ? 0x8000u : 0;
    const long double magnitude = std::fabs(x);
    const int outwards = sign != 0 ? -beyond : beyond;
    const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude);
    if (above == values_.end()) return sign | infinity_;
    const auto below = static_cast<std::uint32_t>(above - values_.begin()) - 1;
    const long double twice = 2 * (magnitude - values_[below]), step = values_[below + 1] - values_[below];
    const bool up = twice > step || (twice == step && (outwards > 0 || (outwards == 0 && below % 2 != 0)));
    return sign | (up ? below + 1 : below);
  }
  [[nodiscard]] std::uint32_t subnormal_below() const { return infinity_ == 0x7c00u ? 0x0400u : 0x0080u; }

 private:
  std::uint32_t infinity_;
  std::vector<long double> values_;
};
const Format kHalf(10, 15, Type::f16, Type::f16x2);
const Format kBrain(7, 127, Type::bf16, Type::bf16x2);

std::uint32_t exact_sum(const Format& format, long double x, long double y) {
  const long double sum = x + y, part = sum - x;
  const long double error = (x - (sum - part)) + (y - part);
  return format.rounded(sum, error > 0 ? 1 : error < 0 ? -1 : 0);
}

std::uint32_t expected(const Format& format, Operation operation, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const long double x = format.value(a), y = format.value(b), z = format.value(c);
  switch (operation) {
    case Operation::add: return exact_sum(format, x, y);
    case Operation::sub: return exact_sum(format, x, -y);
    case Operation::mul: return format.rounded(x * y);  // at most 22 bits: exact
    default: return exact_sum(format, x * y, z);
  }
}

/// Edge codes, then random ones.
std::vector<std::uint16_t> codes(std::size_t count, std::uint32_t stream) {
  std::vector<std::uint16_t> found{0, 1, 2, 0x7f, 0x80, 0x81, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x3f80, 0x3f81, 0x7bff, 0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7fff};
  for (std::size_t i = 0, edges = found.size(); i < edges; ++i) found.push_back(found[i] | 0x8000u);
  std::mt19937 random(static_cast<std::uint32_t>(bascule::test::seed()) + stream);
  while (found.size() < count) found.push_back(static_cast<std::uint16_t>(random()));
  std::shuffle(found.begin(), found.end(), random);
  return found;
}

constexpr Operation kArithmetic[] = {Operation::add, Operation::sub, Operation::mul, Operation::fma};

std::vector<Column> operands(Operation operation, Column a, Column b, Column c) {
  return operation == Operation::fma ? std::vector<Column>{a, b, c} : std::vector<Column>{a, b};
}

/// Two codes in one register.
std::vector<std::uint32_t> paired(const std::vector<std::uint16_t>& low) {
  std::vector<std::uint32_t> pairs;
  for (std::size_t i = 0; i < low.size(); ++i) pairs.push_back(std::uint32_t{low[low.size() - 1 - i]} << 16 | low[i]);
  return pairs;
}

}  // namespace

TEST_CASE("add, sub, mul and fma of f16 and bf16 are rounded once, alone and in pairs") {
  const auto a = codes(60000, 1), b = codes(60000, 2), c = codes(60000, 3);
  at_each_level([&](const Level& level) {
    for (const Format* format : {&kHalf, &kBrain}) {
      for (const Operation operation : kArithmetic) {
        CAPTURE(ptx::name_of(operation));
        CAPTURE(ptx::name_of(format->scalar));
        const auto results = Bench(level, operation, {Modifier::rn}, {format->scalar}).run(16, operands(operation, column(a), column(b), column(c)));
        const auto pairs = Bench(level, operation, {Modifier::rn}, {format->packed})
                               .run(32, operands(operation, column(paired(a)), column(paired(b)), column(paired(c))));
        for (std::size_t i = 0; i < a.size(); ++i) {
          const std::uint32_t right = expected(*format, operation, a[i], b[i], c[i]);
          if (results[i] != right) {
            CAPTURE(a[i]);
            CAPTURE(b[i]);
            CAPTURE(c[i]);
            REQUIRE(results[i] == right);
          }
          REQUIRE(pairs[i] == (results[a.size() - 1 - i] << 16 | results[i]));
        }
      }
    }
  });
}

TEST_CASE("a fused sum of f16 and bf16 near the middle of two values goes the right way") {
  at_each_level([](const Level& level) {
    // 1.5 * (1 + 2^-10) is halfway between two f16; the smallest f16 decides.
    Bench half(level, Operation::fma, {Modifier::rn}, {Type::f16});
    CHECK(half.one(16, {column<std::uint16_t>({0x3e00}), column<std::uint16_t>({0x3c01}), column<std::uint16_t>({0x0001})}) == 0x3e02);
    CHECK(half.one(16, {column<std::uint16_t>({0x3e00}), column<std::uint16_t>({0x3c01}), column<std::uint16_t>({0x8001})}) == 0x3e01);
    Bench brain(level, Operation::fma, {Modifier::rn}, {Type::bf16});
    CHECK(brain.one(16, {column<std::uint16_t>({0x3fc0}), column<std::uint16_t>({0x3f81}), column<std::uint16_t>({0x0001})}) == 0x3fc2);
    CHECK(brain.one(16, {column<std::uint16_t>({0x3fc0}), column<std::uint16_t>({0x3f81}), column<std::uint16_t>({0x8001})}) == 0x3fc1);
  });
}

TEST_CASE(".ftz, .sat and .relu of f16 and bf16") {
  const auto a = codes(5000, 4), b = codes(5000, 5), c = codes(5000, 6);
  const auto flush = [](std::uint32_t code) { return (code & 0x7fffu) < 0x400u ? code & 0x8000u : code; };
  at_each_level([&](const Level& level) {
    for (const Operation operation : kArithmetic) {
      CAPTURE(ptx::name_of(operation));
      const auto sources = operands(operation, column(a), column(b), column(c));
      const auto flushed = Bench(level, operation, {Modifier::rn, Modifier::ftz}, {Type::f16}).run(16, sources);
      const auto saturated = Bench(level, operation, {Modifier::rn, Modifier::sat}, {Type::f16}).run(16, sources);
      for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(flushed[i] == flush(expected(kHalf, operation, flush(a[i]), flush(b[i]), flush(c[i]))));
        const std::uint32_t right = expected(kHalf, operation, a[i], b[i], c[i]);
        REQUIRE(saturated[i] == (right > 0x7c00u ? 0u : right > 0x3c00u ? 0x3c00u : right));  // codes above infinity: NaN, negative
      }
    }
    for (const Format* format : {&kHalf, &kBrain}) {
      const auto results = Bench(level, Operation::fma, {Modifier::rn, Modifier::relu}, {format->scalar}).run(16, {column(a), column(b), column(c)});
      for (std::size_t i = 0; i < a.size(); ++i) {
        const std::uint32_t right = expected(*format, Operation::fma, a[i], b[i], c[i]);
        REQUIRE(results[i] == ((right & 0x8000u) != 0 ? 0u : right));
      }
    }
  });
}

TEST_CASE("min and max of f16 and bf16, with .NaN and .xorsign.abs") {
  const auto a = codes(20000, 7), b = codes(20000, 8);
  at_each_level([&](const Level& level) {
    for (const Format* format : {&kHalf, &kBrain}) {
      for (const Operation operation : {Operation::min, Operation::max}) {
        for (const bool propagate : {false, true}) {
          for (const bool xorsign : {false, true}) {
            std::vector<Modifier> modifiers;
            if (propagate) modifiers.push_back(Modifier::NaN);
            if (xorsign) modifiers.insert(modifiers.end(), {Modifier::xorsign, Modifier::abs});
            const auto results = Bench(level, operation, modifiers, {format->scalar}).run(16, {column(a), column(b)});
            const auto pairs = Bench(level, operation, modifiers, {format->packed}).run(32, {column(paired(a)), column(paired(b))});
            for (std::size_t i = 0; i < a.size(); ++i) {
              const std::uint32_t x = xorsign ? a[i] & 0x7fffu : a[i], y = xorsign ? b[i] & 0x7fffu : b[i];
              const bool x_nan = std::isnan(format->value(x)), y_nan = std::isnan(format->value(y));
              // As integers that order as the numbers do.
              const auto key = [](std::uint32_t code) {
                return (code & 0x8000u) != 0 ? -1 - static_cast<int>(code & 0x7fffu) : static_cast<int>(code);
              };
              std::uint32_t right = (key(x) < key(y)) == (operation == Operation::min) ? x : y;
              if (x_nan) right = y;
              if (y_nan) right = x;
              if ((x_nan && y_nan) || (propagate && (x_nan || y_nan))) {
                right = 0x7fff;
              } else if (xorsign) {
                right |= (a[i] ^ b[i]) & 0x8000u;
              }
              CAPTURE(a[i]);
              CAPTURE(b[i]);
              if (results[i] != right) REQUIRE(results[i] == right);
              if (pairs[i] != (results[a.size() - 1 - i] << 16 | results[i])) REQUIRE(pairs[i] == results[i]);
            }
          }
        }
      }
    }
    CHECK(Bench(level, Operation::min, {Modifier::ftz}, {Type::f16}).one(16, {column<std::uint16_t>({0x8001}), column<std::uint16_t>({0x3c00})}) ==
          0x8000u);
  });
}

TEST_CASE("abs and neg of f16 and bf16 change the sign alone; .ftz flushes f16") {
  at_each_level([](const Level& level) {
    const Column values = column<std::uint16_t>({0xbc00, 0x3c00, 0x8001, 0x0400});
    CHECK(Bench(level, Operation::abs, {}, {Type::f16}).run(16, {values}) == std::vector<std::uint64_t>{0x3c00, 0x3c00, 1, 0x400});
    CHECK(Bench(level, Operation::neg, {}, {Type::bf16}).run(16, {values}) == std::vector<std::uint64_t>{0x3c00, 0xbc00, 1, 0x8400});
    CHECK(Bench(level, Operation::neg, {Modifier::ftz}, {Type::f16}).run(16, {values}) ==
          std::vector<std::uint64_t>{0x3c00, 0xbc00, 0, 0x8400});
    CHECK(Bench(level, Operation::abs, {Modifier::ftz}, {Type::f16x2}).one(32, {Column{32, {0x8001bc00u}}}) == 0x3c00u);
    CHECK(Bench(level, Operation::neg, {}, {Type::bf16x2}).one(32, {Column{32, {0x8001bc00u}}}) == 0x00013c00u);
  });
}

TEST_CASE("fma.oob gives +0 where an operand is the NaN of places outside of a tensor, for each half by itself") {
  at_each_level([](const Level& level) {
    constexpr std::uint64_t kOutside = 0x7ff7, kOne = 0x3c00, kTwo = 0x4000;
    const std::vector<std::uint64_t> a = {kOutside, kOne, kOne, 0xfff7, 0x7e00, kOne}, b = {kTwo, kOutside, kTwo, kTwo, kTwo, kTwo},
                                     c = {kOne, 0xc000, kOutside, kOne, kOne, kOne};
    const std::vector<std::uint64_t> want = {0, 0, 0, 0x7fff, 0x7fff, 0x4200};
    CHECK(Bench(level, Operation::fma, {Modifier::rn, Modifier::oob}, {Type::f16}).run(16, {Column{16, a}, Column{16, b}, Column{16, c}}) == want);
    CHECK(Bench(level, Operation::fma, {Modifier::rn, Modifier::oob, Modifier::relu}, {Type::bf16x2})
              .one(32, {Column{32, {0x7ff73f80u}}, Column{32, {0x3f803f80u}}, Column{32, {0x3f80c000u}}}) == 0u);
    CHECK(Bench(level, Operation::fma, {Modifier::rn}, {Type::f16}).one(16, {Column{16, {kOutside}}, Column{16, {kOne}}, Column{16, {kOne}}}) == 0x7fffu);
  });
}

TEST_CASE("packed halves of lanes that do not run keep what they had") {
  at_each_level([](const Level& level) {
    for (const bool in_place : {false, true}) {
      for (const Type type : {Type::f16x2, Type::bf16x2, Type::f16}) {
        const unsigned width = type == Type::f16 ? 16 : 32;
        Bench bench(level, Operation::sub, {}, {type});
        bench.active = 0x80ff00f1u;
        bench.guard = 0x0ffff0ffu;
        bench.in_place = in_place;
        const std::vector<std::uint64_t> values(96, 0x3c003c00u & (width == 16 ? 0xffffu : 0xffffffffu));
        const auto results = bench.run(width, {Column{width, values}, Column{width, values}});
        for (std::size_t i = 0; i < results.size(); ++i) {
          CHECK(results[i] == (bench.runs(i) ? 0 : in_place ? values[i] : Bench::kUntouched & (width == 16 ? 0xffffu : 0xffffffffu)));
        }
      }
    }
  });
}

}  // namespace bascule::simt::float_test
