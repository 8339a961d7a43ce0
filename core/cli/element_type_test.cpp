// Tests of element_type.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_type.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "failure.hpp"

using namespace bascule::cli;

namespace {

std::string round_trip(ElementType type, std::string_view text) {
  std::vector<std::byte> bits;
  append_value(type, text, bits);
  REQUIRE(bits.size() == size_of(type));
  return format_element(type, bits.data());
}

}  // namespace

TEST_CASE("integers are read in their whole range and refused beyond it") {
  CHECK(round_trip(ElementType::i8, "-128") == "-128");
  CHECK(round_trip(ElementType::i8, "0xff") == "-1");
  CHECK(round_trip(ElementType::u8, "255") == "255");
  CHECK(round_trip(ElementType::i64, "-9223372036854775808") == "-9223372036854775808");
  CHECK(round_trip(ElementType::u64, "18446744073709551615") == "18446744073709551615");
  for (const char* text : {"128", "-129", "0x100", "", "-", "1x", " 1", "1.5", "0x"}) {
    std::vector<std::byte> bits;
    CAPTURE(text);
    CHECK_THROWS_AS(append_value(ElementType::i8, text, bits), Failure);
  }
  std::vector<std::byte> bits;
  CHECK_THROWS_AS(append_value(ElementType::u32, "-1", bits), Failure);
  CHECK_THROWS_AS(append_value(ElementType::u64, "18446744073709551616", bits), Failure);
}

TEST_CASE("every f16 and bf16 value survives text and double and back") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    CAPTURE(bits);
    if (std::isnan(f16_to_double(half))) {
      REQUIRE(std::isnan(f16_to_double(round_to_f16(f16_to_double(half)))));
    } else {
      REQUIRE(round_to_f16(f16_to_double(half)) == half);
      std::vector<std::byte> read;
      append_value(ElementType::f16, format_element(ElementType::f16, reinterpret_cast<const std::byte*>(&half)), read);
      REQUIRE(std::memcmp(read.data(), &half, 2) == 0);
    }
    if (!std::isnan(bf16_to_double(half))) REQUIRE(round_to_bf16(bf16_to_double(half)) == half);
  }
}

TEST_CASE("rounding to f16 is to nearest even, with overflow to infinity and gradual underflow") {
  CHECK(round_to_f16(65504.0) == 0x7bff);
  CHECK(round_to_f16(65519.99) == 0x7bff);
  CHECK(round_to_f16(65520.0) == 0x7c00);  // halfway to 2^16: to even, which is infinity
  CHECK(round_to_f16(1.0 + std::ldexp(1.0, -11)) == 0x3c00);                         // tie to even
  CHECK(round_to_f16(1.0 + std::ldexp(3.0, -11)) == 0x3c02);                         // tie to even, upward
  CHECK(round_to_f16(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)) == 0x3c01);  // just above the tie
  CHECK(round_to_f16(std::ldexp(1.0, -24)) == 0x0001);
  CHECK(round_to_f16(std::ldexp(1.0, -25)) == 0x0000);
  CHECK(round_to_f16(-std::ldexp(1.5, -25)) == 0x8001);
  CHECK(round_to_f16(std::ldexp(1023.5, -24)) == 0x0400);  // rounds up into the normal range
  CHECK(round_to_bf16(3.4e38) == 0x7f80);
}

TEST_CASE("floats accept nan, inf and hexadecimal, and refuse anything else") {
  CHECK(round_trip(ElementType::f32, "0.1") == "0.1");
  CHECK(round_trip(ElementType::f64, "0x1.8p1") == "3");
  CHECK(round_trip(ElementType::f32, "-inf") == "-inf");
  CHECK(round_trip(ElementType::f64, "nan") == "nan");
  for (const char* text : {"", "1.0f", "abc", " 1", "1 "}) {
    std::vector<std::byte> bits;
    CAPTURE(text);
    CHECK_THROWS_AS(append_value(ElementType::f32, text, bits), Failure);
  }
}
