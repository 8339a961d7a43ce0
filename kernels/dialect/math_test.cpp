// The dialect's maths keep the errors that the guide promises: random numbers of all sizes, and the special ones.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>

#include "kernels/dialect/math_bounds.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::kernels;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("each f32 function stays within its ulps") {
  std::mt19937_64 random(bascule::test::seed());
  for (const MathFunction& function : kMathFunctions) {
    double worst = 0;
    float where = 0;
    const auto visit = [&](float x) {
      const double error = error_in_ulps(function.function(x), function.exact(x));
      if (error > worst) {
        worst = error;
        where = x;
      }
    };
    for (int i = 0; i < 200'000; ++i) visit(as_float(static_cast<std::uint32_t>(random())));
    std::uniform_real_distribution<float> usual(-20, 20);
    for (int i = 0; i < 200'000; ++i) visit(usual(random));
    for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, kInfinity, -kInfinity, kNan, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f}) visit(x);
    // arguments that nearly are multiples of pi/2, found by a search over all floats
    for (const float x : {0x1.34224p+15f, 0x1.921fb6p+0f, 0x1.6ac5b2p+79f, 0x1.45f306p+100f, -0x1.de18b2p+55f}) visit(x);
    CHECK_MESSAGE(worst <= function.ulps, function.name << "(" << where << "): " << worst << " ulp");
  }
}

TEST_CASE("pow is within 3 ulps and knows C's special cases") {
  std::mt19937_64 random(bascule::test::seed());
  std::uniform_real_distribution<float> exponent(-40, 40), mantissa(0.5f, 2.0f);
  for (int i = 0; i < 200'000; ++i) {
    const float x = i % 2 == 0 ? std::exp2(exponent(random)) : mantissa(random);
    const float y = exponent(random) / (i % 2 == 0 ? 10.0f : 1.0f);
    REQUIRE_MESSAGE(error_in_ulps(bsc::pow(x, y), std::pow(double{x}, double{y})) <= 3, "pow(" << x << ", " << y << ")");
  }
  const float special[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 3.0f, -3.0f, 2.5f, -2.5f, 0x1p24f, -0x1p24f, 0x1p23f + 1, 1e30f, -1e30f, kInfinity, -kInfinity, kNan};
  for (const float x : special) {
    for (const float y : special) {
      const double exact = std::pow(double{x}, double{y});
      const float got = bsc::pow(x, y);
      REQUIRE_MESSAGE(error_in_ulps(got, exact) <= 3, "pow(" << x << ", " << y << ") is " << got);
      if (exact == 0) REQUIRE_MESSAGE(std::signbit(got) == std::signbit(static_cast<float>(exact)), "pow(" << x << ", " << y << ")");
    }
  }
}

TEST_CASE("f64 functions stay within 2.5 ulps") {
  std::mt19937_64 random(bascule::test::seed());
  const auto ulps = [](double got, long double exact) {
    const double unit = std::ldexp(1.0, std::max(-1074, std::ilogb(static_cast<double>(exact)) - 52));
    return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
  };
  std::uniform_real_distribution<double> wide(-700, 700), narrow(-3, 3);
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 2 == 0 ? wide(random) : narrow(random);
    REQUIRE_MESSAGE(ulps(bsc::exp(x), std::exp(static_cast<long double>(x))) <= 1, "exp(" << x << ")");
    REQUIRE_MESSAGE(ulps(bsc::tanh(x), std::tanh(static_cast<long double>(x))) <= 2.5, "tanh(" << x << ")");
    const double positive = std::exp(x);
    if (positive != 1) REQUIRE_MESSAGE(ulps(bsc::log(positive), std::log(static_cast<long double>(positive))) <= 1, "log(" << positive << ")");
  }
  CHECK(std::isinf(bsc::exp(710.0)));
  CHECK(bsc::exp(-746.0) == 0);
  CHECK(std::isnan(bsc::log(-1.0)));
  CHECK(bsc::log(0.0) == -std::numeric_limits<double>::infinity());
  CHECK(bsc::log(0x1p-1074) == doctest::Approx(std::log(0x1p-1074)).epsilon(1e-15));
}

TEST_CASE("gelu, gelu_tanh and silu are right to 2^-22 of the argument") {
  std::mt19937_64 random(bascule::test::seed());
  std::uniform_real_distribution<float> usual(-12, 12);
  for (int i = 0; i < 100'000; ++i) {
    const float x = usual(random);
    const double wide = x;
    const double limit = 0x1p-22 * std::fabs(wide) + 1e-30;
    REQUIRE(std::fabs(bsc::gelu(x) - wide * 0.5 * (1 + std::erf(wide / std::sqrt(2.0)))) <= limit);
    REQUIRE(std::fabs(bsc::gelu_tanh(x) - 0.5 * wide * (1 + std::tanh(std::sqrt(2 / M_PI) * (wide + 0.044715 * wide * wide * wide)))) <= limit);
    REQUIRE(std::fabs(bsc::silu(x) - wide / (1 + std::exp(-wide))) <= limit);
  }
}

TEST_CASE("bf16 rounds to nearest even, keeps NaN and infinity, and comes back exactly") {
  const auto bits = [](float x) { return bsc::bf16_bits_from_float(x); };
  CHECK(bits(1.0f) == 0x3f80);
  CHECK(bits(as_float(0x3f808000)) == 0x3f80);  // half way, to even
  CHECK(bits(as_float(0x3f818000)) == 0x3f82);
  CHECK(bits(as_float(0x3f808001)) == 0x3f81);
  CHECK(bits(0x1.fffffep127f) == 0x7f80);
  CHECK(bits(-kInfinity) == 0xff80);
  CHECK((bits(as_float(0x7f800001)) & 0x7fff) > 0x7f80);
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const float value = bsc::float_from_bf16_bits(static_cast<std::uint16_t>(i));
    if (!std::isnan(value)) REQUIRE(bits(value) == i);
  }
}

TEST_CASE("minimum and maximum let a NaN give way") {
  CHECK(bsc::min(kNan, 1.0f) == 1);
  CHECK(bsc::min(1.0f, kNan) == 1);
  CHECK(bsc::max(kNan, 1.0f) == 1);
  CHECK(bsc::max(2.0f, 1.0f) == 2);
  CHECK(std::isnan(bsc::max(kNan, kNan)));
}
