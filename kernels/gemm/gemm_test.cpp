// The host's 16-bit formats and the activations, which GEMM is judged by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>

#include "../common/half_formats.hpp"
#include "gemm_reference.hpp"

using namespace bascule::kernels;

TEST_CASE("every f16 and bf16 that is a number converts to float and back to itself") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (!std::isnan(F16::to_double(half))) REQUIRE(F16::from_float(static_cast<float>(F16::to_double(half))) == half);
    if (!std::isnan(Bf16::to_double(half))) REQUIRE(Bf16::from_float(static_cast<float>(Bf16::to_double(half))) == half);
  }
}

TEST_CASE("conversions round to the nearest, ties to even, and overflow to infinity") {
  CHECK(F16::from_float(1.0f + 0x1p-11f) == 0x3c00);
  CHECK(F16::from_float(1.0f + 3 * 0x1p-11f) == 0x3c02);
  CHECK(F16::from_float(65519.0f) == 0x7bff);
  CHECK(F16::from_float(-65520.0f) == 0xfc00);
  CHECK(F16::from_float(0x1p-25f) == 0);
  CHECK(F16::from_float(0x1.8p-25f) == 1);
  CHECK(Bf16::from_float(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(Bf16::from_float(1.0f + 3 * 0x1p-8f) == 0x3f82);
  CHECK(std::isnan(F16::to_double(F16::from_float(NAN))));
  CHECK(std::isnan(Bf16::to_double(Bf16::from_float(NAN))));
}

TEST_CASE("activations have their known values") {
  CHECK(activation_reference(0, -3) == -3);
  CHECK(activation_reference(1, -3) == 0);
  CHECK(std::isnan(activation_reference(1, NAN)));
  CHECK(activation_reference(2, 1) == doctest::Approx(0.8413447460685429));
  CHECK(activation_reference(3, 1) == doctest::Approx(0.7310585786300049));
  CHECK(activation_reference(3, -800) == doctest::Approx(0));
}
