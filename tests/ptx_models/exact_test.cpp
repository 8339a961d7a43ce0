// The models' own arithmetic against the processor's, under all four rounding modes, and against values worked out by hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/ptx_models/exact.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "tests/ptx_models/inputs.hpp"
#include "tests/support/seed.hpp"

namespace bascule::ptx_models {
namespace {

struct Mode {
  Rounding rounding;
  int host;
};
constexpr Mode kModes[] = {{Rounding::nearest_even, FE_TONEAREST}, {Rounding::zero, FE_TOWARDZERO},
                           {Rounding::down, FE_DOWNWARD},          {Rounding::up, FE_UPWARD}};

/// The operation at run time under a rounding mode; volatile, so that no compiler moves or folds it.
template <class T, class F>
T under(int mode, F f, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  const volatile T result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T, class Bits>
void compare_with_host(const Format& format, Values values) {
  Random random(test::seed());
  const Form form{"", {values, values, values}, {}, {}};
  const auto inputs = make_inputs(form, 20000, random);
  const auto same = [&](T host, const Number& exact, Rounding rounding, const char* name) {
    const auto bits = std::bit_cast<Bits>(host);
    const std::uint64_t mine = encode(format, exact, rounding);
    INFO(name << " gives " << mine << ", the processor " << bits);
    CHECK((std::isnan(host) ? format.is_nan(mine) : mine == bits));
  };
  for (std::size_t i = 0; i < inputs[0].size(); ++i) {
    const Number x = decode(format, inputs[0][i]), y = decode(format, inputs[1][i]), z = decode(format, inputs[2][i]);
    const T a = std::bit_cast<T>(static_cast<Bits>(inputs[0][i])), b = std::bit_cast<T>(static_cast<Bits>(inputs[1][i])),
            c = std::bit_cast<T>(static_cast<Bits>(inputs[2][i]));
    for (const Mode& mode : kModes) {
      same(under<T>(mode.host, [](T p, T q, T) { return p + q; }, a, b, c), add(x, y, mode.rounding), mode.rounding, "add");
      same(under<T>(mode.host, [](T p, T q, T) { return p * q; }, a, b, c), multiply(x, y), mode.rounding, "mul");
      same(under<T>(mode.host, [](T p, T q, T) { return p / q; }, a, b, c), divide(x, y), mode.rounding, "div");
      same(under<T>(mode.host, [](T p, T, T) { return std::sqrt(p); }, a, b, c), square_root(x), mode.rounding, "sqrt");
      same(under<T>(mode.host, [](T p, T q, T r) { return std::fma(p, q, r); }, a, b, c), add(multiply(x, y), z, mode.rounding),
           mode.rounding, "fma");
      same(under<T>(mode.host, [](T p, T, T) { return std::nearbyint(p); }, a, b, c), round_to_integer(x, mode.rounding), mode.rounding,
           "nearbyint");
    }
  }
}

}  // namespace

TEST_CASE("exact arithmetic on f32 rounds as the processor does in all modes") { compare_with_host<float, std::uint32_t>(kF32, Values::f32); }

TEST_CASE("exact arithmetic on f64 rounds as the processor does in all modes") { compare_with_host<double, std::uint64_t>(kF64, Values::f64); }

TEST_CASE("every f16, bf16 and fp8 value survives decoding and encoding") {
  for (const Format* format : {&kF16, &kBf16, &kTf32, &kE4m3, &kE5m2, &kE3m2, &kE2m3, &kE2m1}) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << format->width(); ++bits) {
      const std::uint64_t back = encode(*format, decode(*format, bits), Rounding::nearest_even);
      CHECK((format->is_nan(bits) ? format->is_nan(back) : back == bits));
    }
  }
}

TEST_CASE("formats have the ranges that their names promise") {
  CHECK(decode(kE4m3, kE4m3.largest()).to_long_double() == 448);
  CHECK(decode(kE5m2, kE5m2.largest()).to_long_double() == 57344);
  CHECK(decode(kE3m2, kE3m2.largest()).to_long_double() == 28);
  CHECK(decode(kE2m3, kE2m3.largest()).to_long_double() == 7.5L);
  CHECK(decode(kE2m1, kE2m1.largest()).to_long_double() == 6);
  CHECK(decode(kF16, kF16.largest()).to_long_double() == 65504);
  CHECK(decode(kF16, 1).to_long_double() == std::ldexp(1.0L, -24));
  CHECK(kTf32.width() == 19);
}

TEST_CASE("narrowing rounds ties to even, saturates where asked to and turns NaN into the canonical one") {
  const auto to = [](const Format& format, float value, Rounding rounding, Overflow overflow = Overflow::ieee) {
    return encode(format, decode(kF32, std::bit_cast<std::uint32_t>(value)), rounding, overflow);
  };
  CHECK(to(kF16, 65536.0f, Rounding::nearest_even) == 0x7c00);
  CHECK(to(kF16, 65519.99f, Rounding::nearest_even) == 0x7bff);
  CHECK(to(kF16, 65520.0f, Rounding::nearest_even) == 0x7c00);
  CHECK(to(kF16, 65536.0f, Rounding::zero) == 0x7bff);
  CHECK(to(kF16, -65536.0f, Rounding::up) == 0xfbff);
  CHECK(to(kF16, NAN, Rounding::nearest_even) == 0x7fff);
  CHECK(to(kBf16, 1.00390625f, Rounding::nearest_even) == 0x3f80);   // 1 + 2^-8: a tie
  CHECK(to(kBf16, 1.01171875f, Rounding::nearest_even) == 0x3f82);   // 1 + 3 * 2^-8: a tie
  CHECK(to(kTf32, 1.00048828125f, Rounding::nearest_away) == 0x1fc01);  // 1 + 2^-11: a tie
  CHECK(to(kE4m3, 1e30f, Rounding::nearest_even, Overflow::largest) == 0x7e);
  CHECK(to(kE4m3, -INFINITY, Rounding::nearest_even, Overflow::largest) == 0xfe);
  CHECK(to(kE5m2, 61440.0f, Rounding::nearest_even, Overflow::largest) == 0x7b);
  CHECK(to(kE2m1, 2.5f, Rounding::nearest_even, Overflow::largest) == 4);  // between 2 and 3
}

TEST_CASE("tininess is judged before the loss of precision of subnormal results") {
  bool tiny = false;
  Number below = integer_number(0xffffff, false);  // 2^-126 - 2^-150, exact with 24 bits, a tie with 23
  below.exponent = -150;
  CHECK(encode(kF32, below, Rounding::nearest_even, Overflow::ieee, &tiny) == kF32.least_normal());
  CHECK(tiny);
}

TEST_CASE("integers are clamped to their range") {
  const auto clamp = [](double value, int bits, bool is_signed) {
    return clamp_to_integer(round_to_integer(decode(kF64, std::bit_cast<std::uint64_t>(value)), Rounding::nearest_even), bits, is_signed);
  };
  CHECK(clamp(2.5, 32, true) == 2);
  CHECK(clamp(3.5, 32, true) == 4);
  CHECK(clamp(-1.0, 32, false) == 0);
  CHECK(clamp(-1.0, 8, true) == 0xff);
  CHECK(clamp(1e300, 64, true) == 0x7fffffffffffffffu);
  CHECK(clamp(-1e300, 64, true) == 0x8000000000000000u);
  CHECK(clamp(1e300, 64, false) == ~std::uint64_t{0});
  CHECK(clamp(-HUGE_VAL, 16, true) == 0x8000);
  CHECK(clamp(18446744073709549568.0, 64, false) == 18446744073709549568u);
}

}  // namespace bascule::ptx_models
