// cvt between floating-point formats, each format being the list of its values and rounding a search in that list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

enum class Mode { nearest, zero, down, up, away };

/// A format by its definition: all values from 0 up, so that a code's place is its value's.
struct Format {
  unsigned exponent_bits;
  unsigned mantissa_bits;
  bool infinities;         // the highest exponent is not for numbers
  std::uint32_t nan;       // what NaN gives
  std::uint32_t infinity;  // what infinity gives without .satfinite; 0: only with it
  unsigned missing = 0;    // codes below the sign that are no numbers, without infinities
  std::vector<long double> values;  // finite ones, and one more, the next step

  Format(unsigned exponent, unsigned mantissa, bool has_infinities, std::uint32_t nan_code, std::uint32_t infinity_code,
         unsigned missing_codes = 0)
      : exponent_bits(exponent), mantissa_bits(mantissa), infinities(has_infinities), nan(nan_code), infinity(infinity_code),
        missing(missing_codes) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint32_t count = (has_infinities ? (1u << exponent_bits) - 1 : 1u << exponent_bits) << mantissa_bits;
    for (std::uint32_t code = 0; code <= count - missing; ++code) {
      const int field = static_cast<int>(code >> mantissa_bits);
      const std::uint32_t fraction = code & ((1u << mantissa_bits) - 1);
      const std::uint32_t significand = field == 0 ? fraction : fraction | 1u << mantissa_bits;
      values.push_back(std::ldexp(static_cast<long double>(significand),
                                  std::max(field, 1) - bias - static_cast<int>(mantissa_bits)));
    }
  }
  [[nodiscard]] std::uint32_t largest() const { return static_cast<std::uint32_t>(values.size()) - 2; }
  [[nodiscard]] std::uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }

  [[nodiscard]] std::uint32_t encode(long double x, Mode mode, bool saturate, bool relu) const {
    if (std::isnan(x)) return nan;
    if (relu && std::signbit(x)) return 0;
    const std::uint32_t sign_bit = std::signbit(x) ? sign() : 0;
    const long double magnitude = std::fabs(x);
    if (std::isinf(x)) return sign_bit | (saturate ? largest() : infinity);
    const auto above = std::upper_bound(values.begin(), values.end(), magnitude);
    if (above == values.end()) {  // beyond the next step
      const bool inwards = mode == Mode::zero || (mode == Mode::down && x > 0) || (mode == Mode::up && x < 0);
      return sign_bit | (saturate || inwards ? largest() : infinity);
    }
    const auto below = static_cast<std::uint32_t>(above - values.begin()) - 1;
    std::uint32_t code = below;
    const long double rest = magnitude - values[below], step = values[below + 1] - values[below];
    if (mode == Mode::nearest && (2 * rest > step || (2 * rest == step && below % 2 != 0))) code += 1;
    if (mode == Mode::away && 2 * rest >= step) code += 1;
    if (rest > 0 && ((mode == Mode::up && x > 0) || (mode == Mode::down && x < 0))) code += 1;
    return sign_bit | (code > largest() ? (saturate ? largest() : infinity) : code);
  }
  /// Of a code without sign; NaN where it is none of the numbers.
  [[nodiscard]] long double decode(std::uint32_t code) const {
    const std::uint32_t magnitude = code & (sign() - 1);
    const long double value = magnitude <= largest()                      ? values[magnitude]
                              : infinities && magnitude == largest() + 1 ? HUGE_VALL
                                                                         : static_cast<long double>(NAN);
    return (code & sign()) != 0 ? -value : value;
  }
};

const Format kHalf(5, 10, true, 0x7fff, 0x7c00);
const Format kBrain(8, 7, true, 0x7fff, 0x7f80);
const Format kTf(8, 10, true, 0x3ffff, 0x3fc00);
const Format kE5m2Format(5, 2, true, 0x7f, 0x7c);
const Format kE4m3Format(4, 3, false, 0x7f, 0, 1);
const Format kE3m2Format(3, 2, false, 0x1f, 0);
const Format kE2m3Format(2, 3, false, 0x1f, 0);
const Format kE2m1Format(2, 1, false, 0x07, 0);

struct ModeCase {
  Mode mode;
  Modifier modifier;
};
const ModeCase kModes[] = {{Mode::nearest, Modifier::rn}, {Mode::zero, Modifier::rz}, {Mode::down, Modifier::rm}, {Mode::up, Modifier::rp}};

/// Both signs of each value of a format, of what lies halfway to the next one, and of what is next to that in T.
template <class T>
std::vector<T> around(const Format& format, std::uint32_t step = 1) {
  std::vector<T> found{static_cast<T>(NAN), static_cast<T>(INFINITY), static_cast<T>(-INFINITY), std::numeric_limits<T>::max()};
  for (std::uint32_t code = 0; code + 1 < format.values.size(); code += step) {
    const T value = static_cast<T>(format.values[code]);
    const T halfway = static_cast<T>((format.values[code] + format.values[code + 1]) / 2);
    for (const T x : {value, std::nextafter(value, T{1e30f}), halfway, std::nextafter(halfway, T{0}), std::nextafter(halfway, T{1e30f})}) {
      found.push_back(x);
      found.push_back(-x);
    }
  }
  return found;
}
std::vector<float> with_samples(std::vector<float> values, std::size_t count) {
  for (const float x : sample_f32(count, static_cast<std::uint32_t>(bascule::test::seed()))) values.push_back(x);
  return values;
}

/// One conversion of f32 or f64 to a 16-bit format (or tf32, whose codes lie 13 bits higher).
template <class T>
void check_encode(const Level& level, const Format& format, Type to, Type from, const std::vector<T>& values, ModeCase mode,
                  std::vector<Modifier> more = {}) {
  const bool saturate = std::ranges::find(more, Modifier::satfinite) != more.end();
  const bool relu = std::ranges::find(more, Modifier::relu) != more.end();
  more.push_back(mode.modifier);
  CAPTURE(ptx::name_of(to));
  CAPTURE(ptx::name_of(mode.modifier));
  Bench bench(level, Operation::cvt, more, {to, from});
  const auto results = bench.run(to == Type::tf32 ? 32 : 16, {column(values)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t expected = format.encode(values[i], mode.mode, saturate, relu);
    if (to == Type::tf32) expected = std::isnan(values[i]) ? 0x7fffffffu : expected << 13;
    if (results[i] == expected) continue;
    CAPTURE(values[i]);
    REQUIRE(results[i] == expected);
  }
}

std::vector<std::uint16_t> all_codes() {
  std::vector<std::uint16_t> codes;
  for (std::uint32_t code = 0; code < 0x10000; ++code) codes.push_back(static_cast<std::uint16_t>(code));
  return codes;
}

bool same(std::uint64_t result, float expected) {
  return std::isnan(expected) ? result == 0x7fffffffu : result == bits(expected);
}

}  // namespace

TEST_CASE("cvt from every f16 and bf16 to f32 and f64 is exact") {
  const auto codes = all_codes();
  at_each_level([&](const Level& level) {
    for (const bool half : {true, false}) {
      const Type from = half ? Type::f16 : Type::bf16;
      const Format& format = half ? kHalf : kBrain;
      const auto singles = Bench(level, Operation::cvt, {}, {Type::f32, from}).run(32, {column(codes)});
      const auto wide = Bench(level, Operation::cvt, {}, {Type::f32, from}).run(64, {column(codes)});
      const auto doubles = Bench(level, Operation::cvt, {}, {Type::f64, from}).run(64, {column(codes)});
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const float expected = static_cast<float>(format.decode(codes[i]));
        if (!same(singles[i], expected)) REQUIRE(singles[i] == bits(expected));
        REQUIRE(wide[i] == singles[i]);
        if (std::isnan(expected) ? !std::isnan(as_double(doubles[i])) : as_double(doubles[i]) != double{expected}) {
          REQUIRE(as_double(doubles[i]) == double{expected});
        }
      }
    }
  });
}

TEST_CASE("cvt from f32 to f16, bf16 and tf32 rounds as asked, at and around every value and every midpoint") {
  const auto halves = with_samples(around<float>(kHalf), 5000);
  const auto brains = with_samples(around<float>(kBrain), 5000);
  const auto tfs = with_samples(around<float>(kTf, 7), 5000);
  at_each_level([&](const Level& level) {
    for (const ModeCase& mode : kModes) {
      check_encode(level, kHalf, Type::f16, Type::f32, halves, mode);
      check_encode(level, kBrain, Type::bf16, Type::f32, brains, mode);
    }
    for (const Modifier modifier : {Modifier::rn, Modifier::rz}) {
      const ModeCase mode{modifier == Modifier::rn ? Mode::nearest : Mode::zero, modifier};
      for (const auto& more : {std::vector<Modifier>{Modifier::relu}, {Modifier::satfinite}, {Modifier::relu, Modifier::satfinite}}) {
        check_encode(level, kHalf, Type::f16, Type::f32, halves, mode, more);
        check_encode(level, kBrain, Type::bf16, Type::f32, brains, mode, more);
        check_encode(level, kTf, Type::tf32, Type::f32, tfs, mode, more);
      }
      check_encode(level, kTf, Type::tf32, Type::f32, tfs, mode);
    }
    check_encode(level, kTf, Type::tf32, Type::f32, tfs, {Mode::away, Modifier::rna});
    check_encode(level, kTf, Type::tf32, Type::f32, tfs, {Mode::away, Modifier::rna}, {Modifier::satfinite});
  });
}

TEST_CASE("cvt from f64 to f16 and bf16 rounds once, not twice") {
  const auto halves = around<double>(kHalf, 3);
  const auto brains = around<double>(kBrain, 3);
  at_each_level([&](const Level& level) {
    for (const ModeCase& mode : kModes) {
      check_encode(level, kHalf, Type::f16, Type::f64, halves, mode);
      check_encode(level, kBrain, Type::bf16, Type::f64, brains, mode);
      check_encode(level, kHalf, Type::f16, Type::f64, sample_f64(3000, 1), mode);
      check_encode(level, kBrain, Type::bf16, Type::f64, sample_f64(3000, 2), mode);
    }
  });
}

TEST_CASE("cvt between f16 and bf16 rounds every value") {
  const auto codes = all_codes();
  at_each_level([&](const Level& level) {
    for (const ModeCase& mode : kModes) {
      const auto to_brain = Bench(level, Operation::cvt, {mode.modifier}, {Type::bf16, Type::f16}).run(16, {column(codes)});
      const auto to_half = Bench(level, Operation::cvt, {mode.modifier}, {Type::f16, Type::bf16}).run(16, {column(codes)});
      for (std::size_t i = 0; i < codes.size(); ++i) {
        REQUIRE(to_brain[i] == kBrain.encode(kHalf.decode(codes[i]), mode.mode, false, false));
        REQUIRE(to_half[i] == kHalf.encode(kBrain.decode(codes[i]), mode.mode, false, false));
      }
    }
  });
}

TEST_CASE("cvt from f32 to f16: NaN is 0x7fff, 65520 and more are infinite to nearest") {
  at_each_level([](const Level& level) {
    Bench bench(level, Operation::cvt, {Modifier::rn}, {Type::f16, Type::f32});
    CHECK(bench.run(16, {column<float>({65536, 65519.996f, 65520, -65536, 0x1p-24f, 0x1p-25f, 0x1.8p-25f})}) ==
          std::vector<std::uint64_t>{0x7c00, 0x7bff, 0x7c00, 0xfc00, 1, 0, 1});
    CHECK(bench.run(16, {column<std::uint32_t>({0x7fc00000, 0xffc00001, 0x7f800001})}) ==
          std::vector<std::uint64_t>{0x7fff, 0x7fff, 0x7fff});
    CHECK(Bench(level, Operation::cvt, {Modifier::rz}, {Type::f16, Type::f32}).one(16, {column<float>({65536})}) == 0x7bff);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::f16, Type::f32})
              .one(16, {column<float>({INFINITY})}) == 0x7bff);
  });
}

TEST_CASE("cvt from f64 to f32 rounds in each direction, and .ftz flushes the result") {
  const auto values = sample_f64(20000, static_cast<std::uint32_t>(bascule::test::seed()));
  at_each_level([&](const Level& level) {
    for (const ModeCase& mode : kModes) {
      CAPTURE(ptx::name_of(mode.modifier));
      const auto results = Bench(level, Operation::cvt, {mode.modifier}, {Type::f32, Type::f64}).run(32, {column(values)});
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = values[i];
        float expected = static_cast<float>(x);  // to nearest, then one step back where the direction says so
        if (mode.mode == Mode::down && double{expected} > x) expected = std::nextafter(expected, -INFINITY);
        if (mode.mode == Mode::up && double{expected} < x) expected = std::nextafter(expected, INFINITY);
        if (mode.mode == Mode::zero && std::fabs(double{expected}) > std::fabs(x)) expected = std::nextafter(expected, 0.0f);
        CAPTURE(x);
        if (!same(results[i], expected)) REQUIRE(results[i] == bits(expected));
      }
    }
    Bench flushing(level, Operation::cvt, {Modifier::rn, Modifier::ftz}, {Type::f32, Type::f64});
    CHECK(flushing.run(32, {column<double>({-0x1p-130, 0x1p-126})}) == std::vector<std::uint64_t>{0x80000000u, 0x00800000u});
    Bench inputs(level, Operation::cvt, {Modifier::ftz}, {Type::f64, Type::f32});
    CHECK(inputs.run(64, {column<float>({-0x1p-130f, 3})}) == std::vector<std::uint64_t>{bits(-0.0), bits(3.0)});
    Bench brain(level, Operation::cvt, {Modifier::ftz}, {Type::f32, Type::bf16});
    CHECK(brain.run(32, {column<std::uint16_t>({0x8001, 0x0080})}) == std::vector<std::uint64_t>{0x80000000u, 0x00800000u});
    Bench exact(level, Operation::cvt, {}, {Type::f64, Type::f32});
    CHECK(exact.run(64, {column<float>({-0x1p-149f, INFINITY})}) == std::vector<std::uint64_t>{bits(-0x1p-149), bits(double{INFINITY})});
  });
}

TEST_CASE("cvt to an integral value of the same type") {
  const std::vector<double> values{0.5, 1.5, 2.5, -0.5, -0.25, -1.5, 0x1p60, -0.0, 1e-40, INFINITY};
  struct Case {
    Modifier modifier;
    std::vector<double> expected;
  };
  const Case cases[] = {{Modifier::rni, {0, 2, 2, -0.0, -0.0, -2, 0x1p60, -0.0, 0, INFINITY}},
                        {Modifier::rzi, {0, 1, 2, -0.0, -0.0, -1, 0x1p60, -0.0, 0, INFINITY}},
                        {Modifier::rmi, {0, 1, 2, -1, -1, -2, 0x1p60, -0.0, 0, INFINITY}},
                        {Modifier::rpi, {1, 2, 3, -0.0, -0.0, -1, 0x1p60, -0.0, 1, INFINITY}}};
  at_each_level([&](const Level& level) {
    for (const Case& test : cases) {
      CAPTURE(ptx::name_of(test.modifier));
      const std::vector<float> singles(values.begin(), values.end());
      const auto f64 = Bench(level, Operation::cvt, {test.modifier}, {Type::f64, Type::f64}).run(64, {column(values)});
      const auto f32 = Bench(level, Operation::cvt, {test.modifier}, {Type::f32, Type::f32}).run(32, {column(singles)});
      for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(values[i]);
        CHECK(f64[i] == bits(test.expected[i]));
        CHECK(f32[i] == bits(static_cast<float>(test.expected[i])));
      }
      CHECK(Bench(level, Operation::cvt, {test.modifier}, {Type::f16, Type::f16}).one(16, {column<std::uint16_t>({0x3e00})}) ==
            kHalf.encode(test.expected[1], Mode::nearest, false, false));
      CHECK(Bench(level, Operation::cvt, {test.modifier}, {Type::bf16, Type::bf16}).one(16, {column<std::uint16_t>({0xbfc0})}) ==
            kBrain.encode(test.expected[5], Mode::nearest, false, false));
    }
    CHECK(Bench(level, Operation::cvt, {Modifier::rpi, Modifier::ftz}, {Type::f32, Type::f32}).one(32, {column<float>({0x1p-130f})}) == 0);
    CHECK(Bench(level, Operation::cvt, {Modifier::sat}, {Type::f32, Type::f32}).run(32, {column<float>({-1, 0.5f, 2, NAN, -0.0f})}) ==
          std::vector<std::uint64_t>{0, bits(0.5f), bits(1.0f), 0, 0});
    CHECK(Bench(level, Operation::cvt, {Modifier::sat}, {Type::f64, Type::f64}).run(64, {column<double>({-1, 0.5, 2, NAN})}) ==
          std::vector<std::uint64_t>{0, bits(0.5), bits(1.0), 0});
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::sat}, {Type::f16, Type::f32}).run(16, {column<float>({-1, 0.5f, 2, NAN})}) ==
          std::vector<std::uint64_t>{0, 0x3800, 0x3c00, 0});
  });
}

TEST_CASE("cvt of two f32 puts the first one into the upper half") {
  at_each_level([](const Level& level) {
    const Column a = column<float>({1}), b = column<float>({2});
    CHECK(Bench(level, Operation::cvt, {Modifier::rn}, {Type::f16x2, Type::f32}).one(32, {a, b}) == 0x3c004000u);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn}, {Type::bf16x2, Type::f32}).one(32, {a, b}) == 0x3f804000u);
    CHECK(Bench(level, Operation::cvt, {Modifier::rz, Modifier::relu}, {Type::bf16x2, Type::f32}).one(32, {a, column<float>({-2})}) ==
          0x3f800000u);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::e4m3x2, Type::f32}).one(16, {a, b}) == 0x3840u);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::e2m1x2, Type::f32}).one(8, {a, b}) == 0x24u);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::e2m3x2, Type::f32}).one(16, {a, b}) == 0x0810u);
    Bench partial(level, Operation::cvt, {Modifier::rn}, {Type::f16x2, Type::f32});
    partial.active = 0x00ff00f1u;
    const auto results = partial.run(32, {column(std::vector<float>(96, 1)), column(std::vector<float>(96, 2))});
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(results[i] == (partial.runs(i) ? 0x3c004000u : 0x5a5a5a5au));
  });
}

TEST_CASE("f16x2 and bf16x2 from f32 round each half as f16 and bf16 do") {
  const auto values = with_samples(around<float>(kHalf, 5), 3000);
  const std::vector<float> reversed(values.rbegin(), values.rend());
  at_each_level([&](const Level& level) {
    for (const Modifier modifier : {Modifier::rn, Modifier::rz}) {
      for (const auto& more : {std::vector<Modifier>{}, {Modifier::relu}, {Modifier::satfinite}, {Modifier::relu, Modifier::satfinite}}) {
        for (const bool half : {true, false}) {
          const Format& format = half ? kHalf : kBrain;
          const Mode mode = modifier == Modifier::rn ? Mode::nearest : Mode::zero;
          const bool relu = !more.empty() && more[0] == Modifier::relu, saturate = !more.empty() && more.back() == Modifier::satfinite;
          auto modifiers = more;
          modifiers.push_back(modifier);
          Bench bench(level, Operation::cvt, modifiers, {half ? Type::f16x2 : Type::bf16x2, Type::f32});
          const auto results = bench.run(32, {column(values), column(reversed)});
          for (std::size_t i = 0; i < values.size(); ++i) {
            REQUIRE((results[i] >> 16) == format.encode(values[i], mode, saturate, relu));
            REQUIRE((results[i] & 0xffffu) == format.encode(reversed[i], mode, saturate, relu));
          }
        }
      }
    }
  });
}

struct SmallFormat {
  Type type;
  const Format& format;
  unsigned register_bits;
  unsigned code_bits;  // each code's room
};
const SmallFormat kSmall[] = {{Type::e4m3x2, kE4m3Format, 16, 8}, {Type::e5m2x2, kE5m2Format, 16, 8}, {Type::e3m2x2, kE3m2Format, 16, 8},
                              {Type::e2m3x2, kE2m3Format, 16, 8}, {Type::e2m1x2, kE2m1Format, 8, 4}};

TEST_CASE("fp8, fp6 and fp4 from f32 round to nearest and saturate; NaN stays NaN where there is one") {
  at_each_level([](const Level& level) {
    for (const SmallFormat& small : kSmall) {
      CAPTURE(ptx::name_of(small.type));
      const auto values = with_samples(around<float>(small.format), 3000);
      const std::vector<float> reversed(values.rbegin(), values.rend());
      for (const bool relu : {false, true}) {
        std::vector<Modifier> modifiers{Modifier::rn, Modifier::satfinite};
        if (relu) modifiers.push_back(Modifier::relu);
        const auto results =
            Bench(level, Operation::cvt, modifiers, {small.type, Type::f32}).run(small.register_bits, {column(values), column(reversed)});
        for (std::size_t i = 0; i < values.size(); ++i) {
          CAPTURE(values[i]);
          const std::uint32_t high = small.format.encode(values[i], Mode::nearest, true, relu);
          const std::uint32_t low = small.format.encode(reversed[i], Mode::nearest, true, relu);
          if (results[i] != (high << small.code_bits | low)) REQUIRE(results[i] == (high << small.code_bits | low));
        }
      }
    }
    Bench e4m3(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::e4m3x2, Type::f32});
    CHECK(e4m3.one(16, {column<float>({NAN}), column<float>({1000})}) == 0x7f7eu);
    Bench e2m1(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {Type::e2m1x2, Type::f32});
    CHECK(e2m1.one(8, {column<float>({NAN}), column<float>({-INFINITY})}) == 0x7fu);
  });
}

TEST_CASE("fp8, fp6 and fp4 from every f16x2 and bf16x2") {
  const auto codes = all_codes();
  std::vector<std::uint32_t> pairs;
  for (const std::uint16_t code : codes) pairs.push_back(std::uint32_t{code} << 16 | static_cast<std::uint16_t>(~code));
  at_each_level([&](const Level& level) {
    for (const SmallFormat& small : kSmall) {
      for (const bool half : {true, false}) {
        CAPTURE(ptx::name_of(small.type));
        const Format& source = half ? kHalf : kBrain;
        Bench bench(level, Operation::cvt, {Modifier::rn, Modifier::satfinite}, {small.type, half ? Type::f16x2 : Type::bf16x2});
        const auto results = bench.run(small.register_bits, {column(pairs)});
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const std::uint32_t high = small.format.encode(source.decode(pairs[i] >> 16), Mode::nearest, true, false);
          const std::uint32_t low = small.format.encode(source.decode(pairs[i] & 0xffff), Mode::nearest, true, false);
          if (results[i] != (high << small.code_bits | low)) REQUIRE(results[i] == (high << small.code_bits | low));
        }
      }
    }
  });
}

TEST_CASE("every fp8, fp6 and fp4 code becomes the f16 of its value") {
  at_each_level([](const Level& level) {
    for (const SmallFormat& small : kSmall) {
      CAPTURE(ptx::name_of(small.type));
      const std::uint32_t count = 2 * small.format.sign();
      for (const bool relu : {false, true}) {
        std::vector<std::uint64_t> pairs;
        for (std::uint32_t code = 0; code < count; ++code) pairs.push_back(std::uint64_t{code} << small.code_bits | (count - 1 - code));
        std::vector<Modifier> modifiers{Modifier::rn};
        if (relu) modifiers.push_back(Modifier::relu);
        const auto results =
            Bench(level, Operation::cvt, modifiers, {Type::f16x2, small.type}).run(32, {Column{small.register_bits, pairs}});
        for (std::uint32_t code = 0; code < count; ++code) {
          CHECK((results[code] >> 16) == kHalf.encode(small.format.decode(code), Mode::nearest, false, relu));
          CHECK((results[code] & 0xffffu) == kHalf.encode(small.format.decode(count - 1 - code), Mode::nearest, false, relu));
        }
      }
    }
  });
}

TEST_CASE("ue8m0 keeps the exponent, rounded towards zero or up") {
  at_each_level([](const Level& level) {
    const Column a = column<float>({1, 1.5f, 0x1p-127f, 0x1p-128f, 0, 0x1.8p127f, INFINITY, NAN, -4, 0x1.8p-127f});
    const Column b = column<float>({2});
    Bench down(level, Operation::cvt, {Modifier::rz}, {Type::ue8m0x2, Type::f32});
    CHECK(down.run(16, {a, b}) == std::vector<std::uint64_t>{0x7f80, 0x7f80, 0x0080, 0x0080, 0x0080, 0xfe80, 0xff80, 0xff80, 0x8180, 0x0080});
    Bench up(level, Operation::cvt, {Modifier::rp, Modifier::satfinite}, {Type::ue8m0x2, Type::f32});
    CHECK(up.run(16, {a, b}) == std::vector<std::uint64_t>{0x7f80, 0x8080, 0x0080, 0x0080, 0x0080, 0xfe80, 0xfe80, 0xff80, 0x8180, 0x0180});
    Bench packed(level, Operation::cvt, {Modifier::rp}, {Type::ue8m0x2, Type::bf16x2});
    CHECK(packed.one(16, {Column{32, {0x3f813f80u}}}) == 0x807fu);
    std::vector<std::uint64_t> codes;
    for (std::uint64_t code = 0; code < 256; ++code) codes.push_back(code << 8 | (255 - code));
    const auto values = Bench(level, Operation::cvt, {Modifier::rn}, {Type::bf16x2, Type::ue8m0x2}).run(32, {Column{16, codes}});
    for (int code = 0; code < 255; ++code) {
      CHECK(as_float(values[static_cast<std::size_t>(code)] & 0xffff0000u) == std::ldexp(1.0f, code - 127));
      CHECK(as_float(values[static_cast<std::size_t>(255 - code)] << 16) == std::ldexp(1.0f, code - 127));
    }
    CHECK((values[255] >> 16) == 0x7fff);
  });
}

}  // namespace bascule::simt::float_test
