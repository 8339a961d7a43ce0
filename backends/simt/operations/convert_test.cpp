// cvt between integers and between integers and floating point, against definitions in 128-bit integers and long double.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {
namespace {

// As wide as any sum below; an extension that both compilers have.
__extension__ using Wide = __int128;

struct IntegerType {
  Type type;
  unsigned bits;
  bool with_sign;

  [[nodiscard]] Wide low() const { return with_sign ? -(Wide{1} << (bits - 1)) : 0; }
  [[nodiscard]] Wide high() const { return (Wide{1} << (with_sign ? bits - 1 : bits)) - 1; }
  /// The value that the low bits of a register stand for.
  [[nodiscard]] Wide value(std::uint64_t stored) const {
    const Wide low_bits = stored & static_cast<std::uint64_t>((Wide{1} << bits) - 1);
    return with_sign && low_bits > high() ? low_bits - (Wide{1} << bits) : low_bits;
  }
  [[nodiscard]] Wide clamped(Wide x) const { return x < low() ? low() : x > high() ? high() : x; }
  /// As it lies in a register of so many bits.
  [[nodiscard]] std::uint64_t stored(Wide x, unsigned register_bits) const {
    const std::uint64_t extended = static_cast<std::uint64_t>(value(static_cast<std::uint64_t>(x)));
    return register_bits == 64 ? extended : extended & ((std::uint64_t{1} << register_bits) - 1);
  }
};
const IntegerType kIntegers[] = {{Type::s8, 8, true},    {Type::u8, 8, false},   {Type::s16, 16, true}, {Type::u16, 16, false},
                                 {Type::s32, 32, true},  {Type::u32, 32, false}, {Type::s64, 64, true}, {Type::u64, 64, false}};

std::vector<std::uint64_t> integer_samples(std::size_t count) {
  std::vector<std::uint64_t> values{0, 1, ~std::uint64_t{0}};
  for (unsigned shift = 1; shift < 64; ++shift) {
    const std::uint64_t power = std::uint64_t{1} << shift;
    for (const std::uint64_t x : {power, power - 1, power + 1, 0 - power, ~power}) values.push_back(x);
  }
  std::mt19937_64 random(bascule::test::seed());
  while (values.size() < count) values.push_back(random() >> random() % 64);
  return values;
}

/// Register widths that can hold a type.
std::vector<unsigned> registers_for(unsigned bits) {
  std::vector<unsigned> widths;
  for (unsigned width = bits; width <= 64; width *= 2) widths.push_back(width);
  return widths;
}

// ---- floating point as exact numbers -------------------------------------------------------------------------------

enum class Mode { nearest, zero, down, up };
struct ModeCase {
  Mode mode;
  Modifier floating;
  Modifier integral;
};
const ModeCase kModes[] = {{Mode::nearest, Modifier::rn, Modifier::rni},
                           {Mode::zero, Modifier::rz, Modifier::rzi},
                           {Mode::down, Modifier::rm, Modifier::rmi},
                           {Mode::up, Modifier::rp, Modifier::rpi}};

long double rounded(long double x, Mode mode) {
  switch (mode) {
    case Mode::zero: return std::trunc(x);
    case Mode::down: return std::floor(x);
    case Mode::up: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

/// An integer in a format with `precision` bits of significand that overflows at 2^top: a long double holds 64-bit integers.
long double rounded_to(Wide x, unsigned precision, int top, Mode mode) {
  long double magnitude = static_cast<long double>(x < 0 ? -x : x);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int dropped = exponent > static_cast<int>(precision) ? exponent - static_cast<int>(precision) : 0;
  const long double unit = std::ldexp(1.0L, dropped);
  const long double exact = static_cast<long double>(x) / unit;
  const long double result = rounded(exact, mode) * unit;
  if (std::fabs(result) < std::ldexp(1.0L, top)) return result;
  const bool to_infinity = mode == Mode::nearest || (mode == Mode::up && x > 0) || (mode == Mode::down && x < 0);
  const long double largest = std::ldexp(1.0L, top) - std::ldexp(1.0L, top - static_cast<int>(precision));
  return std::copysign(to_infinity ? HUGE_VALL : largest, result);
}

/// What a float → integer conversion gives, as the value of the type.
Wide to_integer(long double x, const IntegerType& type, Mode mode, bool from_f64) {
  if (std::isnan(x)) return from_f64 || type.bits == 64 ? Wide{1} << (type.bits - 1) : 0;
  const long double integral = rounded(x, mode);
  if (integral > 0x1p100L) return type.high();
  if (integral < -0x1p100L) return type.low();
  return type.clamped(static_cast<Wide>(integral));
}

template <class T>
void check_to_integers(const Level& level, Type from, const std::vector<T>& stored, const std::vector<long double>& values) {
  for (const IntegerType& to : kIntegers) {
    for (const ModeCase& mode : kModes) {
      CAPTURE(ptx::name_of(to.type));
      CAPTURE(ptx::name_of(from));
      CAPTURE(ptx::name_of(mode.integral));
      for (const unsigned width : registers_for(to.bits)) {
        CAPTURE(width);
        Bench bench(level, Operation::cvt, {mode.integral}, {to.type, from});
        const auto results = bench.run(width, {column(stored)});
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::uint64_t expected = to.stored(to_integer(values[i], to, mode.mode, sizeof(T) == 8), width);
          if (results[i] == expected) continue;
          CAPTURE(values[i]);
          REQUIRE(results[i] == expected);
        }
      }
    }
  }
}

template <class T>
std::vector<long double> exact(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("cvt between integers extends by the source's type, chops, and extends to the register by the destination's") {
  const auto samples = integer_samples(600);
  at_each_level([&](const Level& level) {
    for (const IntegerType& from : kIntegers) {
      for (const IntegerType& to : kIntegers) {
        for (const unsigned source : registers_for(from.bits)) {
          for (const unsigned result : registers_for(to.bits)) {
            for (const bool saturate : {false, true}) {
              std::vector<Modifier> modifiers;
              if (saturate) modifiers.push_back(Modifier::sat);
              Bench bench(level, Operation::cvt, modifiers, {to.type, from.type});
              const auto results = bench.run(result, {Column{source, samples}});
              for (std::size_t i = 0; i < samples.size(); ++i) {
                const Wide value = from.value(samples[i]);
                const std::uint64_t expected = to.stored(saturate ? to.clamped(value) : value, result);
                if (results[i] == expected) continue;
                CAPTURE(ptx::name_of(from.type));
                CAPTURE(ptx::name_of(to.type));
                CAPTURE(samples[i]);
                REQUIRE(results[i] == expected);
              }
            }
          }
        }
      }
    }
  });
}

TEST_CASE("cvt.s8 chops, then extends the sign over the register") {
  at_each_level([](const Level& level) {
    Bench bench(level, Operation::cvt, {}, {Type::s8, Type::u32});
    CHECK(bench.one(32, {Column{32, {0x1280}}}) == 0xffffff80u);
    CHECK(bench.one(16, {Column{32, {0x1280}}}) == 0xff80u);
    Bench unsigned_bench(level, Operation::cvt, {}, {Type::u8, Type::s32});
    CHECK(unsigned_bench.one(32, {Column{32, {0xffffff80u}}}) == 0x80u);
  });
}

TEST_CASE("cvt from integers to f32 and f64 rounds once in each direction") {
  const auto samples = integer_samples(3000);
  at_each_level([&](const Level& level) {
    for (const IntegerType& from : kIntegers) {
      for (const ModeCase& mode : kModes) {
        CAPTURE(ptx::name_of(from.type));
        CAPTURE(ptx::name_of(mode.floating));
        for (const unsigned source : registers_for(from.bits)) {
          Bench to_f32(level, Operation::cvt, {mode.floating}, {Type::f32, from.type});
          Bench to_f64(level, Operation::cvt, {mode.floating}, {Type::f64, from.type});
          const auto singles = to_f32.run(32, {Column{source, samples}});
          const auto doubles = to_f64.run(64, {Column{source, samples}});
          for (std::size_t i = 0; i < samples.size(); ++i) {
            const Wide value = from.value(samples[i]);
            const auto single = bits(static_cast<float>(rounded_to(value, 24, 128, mode.mode)));
            const auto twice = bits(static_cast<double>(rounded_to(value, 53, 1024, mode.mode)));
            if (singles[i] == single && doubles[i] == twice) continue;
            CAPTURE(samples[i]);
            REQUIRE(singles[i] == single);
            REQUIRE(doubles[i] == twice);
          }
        }
      }
    }
  });
}

TEST_CASE("cvt from integers to f16 and bf16 rounds once in each direction and overflows as IEEE 754 says") {
  const auto samples = integer_samples(3000);
  at_each_level([&](const Level& level) {
    for (const IntegerType& from : kIntegers) {
      for (const ModeCase& mode : kModes) {
        CAPTURE(ptx::name_of(from.type));
        CAPTURE(ptx::name_of(mode.floating));
        Bench to_f16(level, Operation::cvt, {mode.floating}, {Type::f16, from.type});
        Bench to_bf16(level, Operation::cvt, {mode.floating}, {Type::bf16, from.type});
        const auto halves = to_f16.run(16, {Column{from.bits, samples}});
        const auto brains = to_bf16.run(16, {Column{from.bits, samples}});
        for (std::size_t i = 0; i < samples.size(); ++i) {
          const Wide value = from.value(samples[i]);
          const auto half = static_cast<float>(rounded_to(value, 11, 16, mode.mode));
          // An f16 above 0 is (bits of the f32 less 112 exponents) / 2^13.
          const std::uint32_t magnitude = static_cast<std::uint32_t>(bits(std::fabs(half)));
          const std::uint32_t code = half == 0 ? 0 : std::isinf(half) ? 0x7c00u : (magnitude - 0x38000000u) >> 13;
          REQUIRE(halves[i] == (code | (value < 0 ? 0x8000u : 0u)));
          REQUIRE(brains[i] == bits(static_cast<float>(rounded_to(value, 8, 128, mode.mode))) >> 16);
        }
      }
    }
  });
}

TEST_CASE("cvt.sat to floating point gives [0, 1]") {
  at_each_level([](const Level& level) {
    const Column source{32, {0, 1, 2, 0xffffffffu}};
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::sat}, {Type::f32, Type::s32}).run(32, {source}) ==
          std::vector<std::uint64_t>{0, bits(1.0f), bits(1.0f), 0});
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::sat}, {Type::f64, Type::u32}).run(64, {source}) ==
          std::vector<std::uint64_t>{0, bits(1.0), bits(1.0), bits(1.0)});
    CHECK(Bench(level, Operation::cvt, {Modifier::rn, Modifier::sat}, {Type::f16, Type::s32}).run(16, {source}) ==
          std::vector<std::uint64_t>{0, 0x3c00, 0x3c00, 0});
  });
}

TEST_CASE("cvt from f32 and f64 to integers rounds, clamps, and has the ISA's values for NaN") {
  auto f32 = sample_f32(800, static_cast<std::uint32_t>(bascule::test::seed()));
  for (int half = -300; half < 300; ++half) f32.push_back(static_cast<float>(half) / 2 + (half % 3 == 0 ? 0.25f : 0));
  for (const float edge : {128.0f, 256.0f, 32768.0f, 65536.0f, 0x1p31f, 0x1p32f, 0x1p63f, 0x1p64f}) {
    for (const float x : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, INFINITY), edge - 0.5f, edge - 1}) {
      f32.push_back(x);
      f32.push_back(-x);
    }
  }
  auto f64 = sample_f64(800, static_cast<std::uint32_t>(bascule::test::seed()));
  for (const float x : f32) {
    f64.push_back(double{x});
    f64.push_back(std::nextafter(double{x}, INFINITY));
    f64.push_back(std::nextafter(double{x}, -INFINITY));
  }
  at_each_level([&](const Level& level) {
    check_to_integers(level, Type::f32, f32, exact(f32));
    check_to_integers(level, Type::f64, f64, exact(f64));
  });
}

TEST_CASE("cvt from every f16 and bf16 to integers") {
  std::vector<std::uint16_t> codes;
  std::vector<long double> halves, brains;
  for (unsigned code = 0; code < 0x10000; code += 7) {  // 7 is odd: every exponent and both signs
    codes.push_back(static_cast<std::uint16_t>(code));
    const int field = static_cast<int>(code >> 10 & 31), mantissa = static_cast<int>(code & 1023);
    const long double sign = (code & 0x8000u) != 0 ? -1 : 1;
    halves.push_back(field == 31 ? (mantissa != 0 ? NAN : sign * HUGE_VALL)
                                 : sign * std::ldexp(static_cast<long double>(field == 0 ? mantissa : 1024 + mantissa),
                                                     (field == 0 ? 1 : field) - 25));
    brains.push_back(as_float(std::uint64_t{code} << 16));
  }
  at_each_level([&](const Level& level) {
    check_to_integers(level, Type::f16, codes, halves);
    check_to_integers(level, Type::bf16, codes, brains);
  });
}

TEST_CASE("cvt.ftz takes a subnormal f32 for zero where that rounds differently") {
  at_each_level([](const Level& level) {
    const Column tiny = column<float>({0x1p-130f, -0x1p-130f});
    CHECK(Bench(level, Operation::cvt, {Modifier::rpi, Modifier::ftz}, {Type::s32, Type::f32}).one(32, {tiny}) == 0);
    CHECK(Bench(level, Operation::cvt, {Modifier::rpi}, {Type::s32, Type::f32}).one(32, {tiny}) == 1);
    CHECK(Bench(level, Operation::cvt, {Modifier::rmi, Modifier::ftz}, {Type::s64, Type::f32}).run(64, {tiny})[1] == 0);
  });
}

TEST_CASE("cvt reads the low bits of wider registers, f16 and f32 ones too") {
  at_each_level([](const Level& level) {
    CHECK(Bench(level, Operation::cvt, {Modifier::rzi}, {Type::s32, Type::f16}).one(32, {Column{32, {0xabcd4500u}}}) == 5);
    CHECK(Bench(level, Operation::cvt, {Modifier::rzi}, {Type::u16, Type::f32}).one(32, {Column{64, {0xdeadbeef00000000u | bits(7.9f)}}}) ==
          7);
    CHECK(Bench(level, Operation::cvt, {Modifier::rn}, {Type::f16, Type::f32}).one(32, {column<float>({-1})}) == 0xbc00u);
  });
}

TEST_CASE("cvt leaves lanes that do not run alone, in place too") {
  at_each_level([](const Level& level) {
    for (const auto& types : {std::vector<Type>{Type::s32, Type::f32}, {Type::f32, Type::s32}, {Type::f32, Type::u32}}) {
      for (const bool in_place : {false, true}) {
        Bench bench(level, Operation::cvt, {Modifier::rzi}, types);
        bench.active = 0xf00f00f1u;
        bench.in_place = in_place;
        const auto results = bench.run(32, {column(std::vector<std::uint32_t>(96, 0))});
        for (std::size_t i = 0; i < results.size(); ++i) {
          CHECK(results[i] == (bench.runs(i) || in_place ? 0 : Bench::kUntouched & 0xffffffffu));
        }
      }
    }
  });
}

TEST_CASE("cvt.pack clamps a and b and puts them below the low bits of c") {
  at_each_level([](const Level& level) {
    const Column a = column<std::uint32_t>({5, 70000, static_cast<std::uint32_t>(-70000)});
    const Column b = column<std::uint32_t>({static_cast<std::uint32_t>(-3), 3, 4});
    CHECK(Bench(level, Operation::cvt_pack, {Modifier::sat}, {Type::s16, Type::s32}).run(32, {a, b}) ==
          std::vector<std::uint64_t>{0x0005fffdu, 0x7fff0003u, 0x80000004u});
    CHECK(Bench(level, Operation::cvt_pack, {Modifier::sat}, {Type::u16, Type::s32}).run(32, {a, b}) ==
          std::vector<std::uint64_t>{0x00050000u, 0xffff0003u, 0x00000004u});
    const Column c = column<std::uint32_t>({0x12345678u});
    CHECK(Bench(level, Operation::cvt_pack, {Modifier::sat}, {Type::s8, Type::s32, Type::b32}).run(32, {a, b, c}) ==
          std::vector<std::uint64_t>{0x567805fdu, 0x56787f03u, 0x56788004u});
    CHECK(Bench(level, Operation::cvt_pack, {Modifier::sat}, {Type::u4, Type::s32, Type::b32}).run(32, {a, b, c}) ==
          std::vector<std::uint64_t>{0x34567850u, 0x345678f3u, 0x34567804u});
    CHECK(Bench(level, Operation::cvt_pack, {Modifier::sat}, {Type::s2, Type::s32, Type::b32}).run(32, {a, b, c}) ==
          std::vector<std::uint64_t>{0x23456786u, 0x23456785u, 0x23456789u});
  });
}

}  // namespace bascule::simt::float_test
