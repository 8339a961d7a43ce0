// text/floats.ptx against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

/// An 8-bit format: value of the bits, by its definition.
double value_of_8(unsigned bits, int exponent_bits, int mantissa_bits) {
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
  const int mantissa = static_cast<int>(bits) & ((1 << mantissa_bits) - 1);
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                         : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

/// The nearest, even ones where two are as near; beyond the last one: the last one.
unsigned nearest_8(double value, int exponent_bits, int mantissa_bits, unsigned last) {
  if (std::isnan(value)) return 0x7f;
  unsigned best = 0;
  for (unsigned bits = 1; bits <= last; ++bits) {
    const double now = std::fabs(value_of_8(bits, exponent_bits, mantissa_bits) - std::fabs(value));
    const double before = std::fabs(value_of_8(best, exponent_bits, mantissa_bits) - std::fabs(value));
    if (now < before || (now == before && bits % 2 == 0)) best = bits;
  }
  return std::fabs(value) > value_of_8(last, exponent_bits, mantissa_bits) ? last | (std::signbit(value) ? 0x80 : 0)
                                                                          : best | (std::signbit(value) ? 0x80 : 0);
}

TEST_CASE("a dot product in f64 by 128-bit loads, of even and odd length") {
  everywhere(written_by_hand("floats"), [](Program& program) {
    auto random = random_source(190);
    for (const std::uint32_t n : {1u, 2u, 777u, 2048u}) {
      const auto x = random_values<double>(random, n, -1, 1), y = random_values<double>(random, n, -1, 1);
      Buffer<double> sum(1, 0.25);
      program.run("dot_f64", {{3, 1, 1}, {96, 1, 1}}, Arguments(x, y, sum, n));
      long double want = 0.25, magnitude = 0.25;
      for (std::uint32_t i = 0; i < n; ++i) {
        want += static_cast<long double>(x[i]) * y[i];
        magnitude += std::fabs(static_cast<long double>(x[i]) * y[i]);
      }
      CHECK(std::fabs(sum[0] - want) <= 1e-14L * magnitude);
    }
  });
}

TEST_CASE("f32 to e4m3 and e5m2 and back") {
  everywhere(written_by_hand("floats"), [](Program& program) {
    auto random = random_source(191);
    const std::uint32_t pairs = 131;
    Buffer<float> in(2 * pairs);
    for (float& value : in) {
      value = std::ldexp(static_cast<float>(random() % 4096) / 4096 + 0.5f, static_cast<int>(random() % 44) - 24);
      if (random() % 2 != 0) value = -value;
    }
    in[0] = NAN;
    in[1] = -0.0f;
    in[2] = INFINITY;
    in[3] = 1e6f;
    in[4] = 1.0625f;  // in the middle of two of e4m3
    in[5] = 464.0f;
    Buffer<std::array<std::uint8_t, 4>> bytes(pairs);
    Buffer<std::array<std::uint16_t, 4>> back(pairs);
    program.run("fp8_round_trip", {{blocks_for(pairs, 64), 1, 1}, {64, 1, 1}}, Arguments(in, bytes, back, pairs));
    for (std::uint32_t i = 0; i < 2 * pairs; ++i) {
      const std::uint32_t pair = i / 2, half = i % 2;
      CAPTURE(in[i]);
      CHECK(unsigned{bytes[pair][half]} == nearest_8(in[i], 4, 3, 0x7e));
      CHECK(unsigned{bytes[pair][2 + half]} == nearest_8(in[i], 5, 2, 0x7b));
      if (std::isnan(in[i])) {
        CHECK(std::isnan(value_of(back[pair][half])));
        CHECK(std::isnan(value_of(back[pair][2 + half])));
      } else {
        CHECK(value_of(back[pair][half]) == value_of_8(bytes[pair][half], 4, 3));
        CHECK(value_of(back[pair][2 + half]) == value_of_8(bytes[pair][2 + half], 5, 2));
      }
    }
  });
}

TEST_CASE("GELU of packed halves") {
  everywhere(written_by_hand("floats"), [](Program& program) {
    auto random = random_source(192);
    const std::uint32_t pairs = 251;
    const auto in = random_halves(random, 2 * pairs, -5, 5);
    Buffer<std::uint16_t> out(in.size());
    program.run("gelu_f16x2", {{blocks_for(pairs, 128), 1, 1}, {128, 1, 1}}, Arguments(in, out, pairs));
    for (std::uint32_t i = 0; i < in.size(); ++i) {
      const double x = value_of(in[i]), want = 0.5 * x * (1 + std::tanh(x * (0.7978845608 + 0.0356774081 * x * x)));
      // Near -1 the hyperbolic tangent's own rounding, 2^-11, is what is left.
      CHECK(std::fabs(value_of(out[i]) - want) <= 1e-3 * std::fabs(x) + 1e-3 * std::fabs(want) + 1e-6);
    }
  });
}

TEST_CASE("a batch of transpositions") {
  everywhere(written_by_hand("floats"), [](Program& program) {
    auto random = random_source(193);
    const std::uint32_t width = 45, height = 70, count = 3;
    const auto in = random_values<float>(random, std::size_t{width} * height * count, -1, 1);
    Buffer<float> out(in.size());
    program.run("transpose_batch", {{blocks_for(width, 32), blocks_for(height, 32), count}, {32, 8, 1}}, Arguments(in, out, width, height));
    for (std::uint32_t which = 0; which < count; ++which) {
      const std::uint32_t base = which * width * height;
      for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) REQUIRE(out[base + x * height + y] == in[base + y * width + x]);
      }
    }
  });
}

}  // namespace
