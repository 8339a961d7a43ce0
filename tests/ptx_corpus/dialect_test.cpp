// kernels/dialect.kernel.cpp against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>
#include <numeric>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

template <class Body>
void in_dialect(Body body) {
  if (have_compiled()) everywhere(compiled("dialect.sm_90"), body);
}

TEST_CASE("gravity in f64 by tiles") {
  in_dialect([](Program& program) {
    auto random = random_source(170);
    const std::uint32_t n = 75;
    const auto positions = random_values<double>(random, 3 * n, -1, 1);
    Buffer<double> accelerations(3 * n);
    program.run("nbody_f64", {{blocks_for(n, 64), 1, 1}, {64, 1, 1}}, Arguments(View(positions), View(accelerations), 0.01));
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t axis = 0; axis < 3; ++axis) {
        long double want = 0, magnitude = 0;
        for (std::uint32_t j = 0; j < n; ++j) {
          long double square = 0.01;
          for (std::uint32_t k = 0; k < 3; ++k) square += std::pow(static_cast<long double>(positions[3 * j + k]) - positions[3 * i + k], 2);
          const long double pull = (static_cast<long double>(positions[3 * j + axis]) - positions[3 * i + axis]) / (square * std::sqrt(square));
          want += pull;
          magnitude += std::fabs(pull);
        }
        CHECK(std::fabs(accelerations[3 * i + axis] - want) <= 1e-13L * magnitude);
      }
    }
  });
}

TEST_CASE("the place of the largest of a row, or of its first NaN") {
  in_dialect([](Program& program) {
    auto random = random_source(171);
    const std::uint32_t rows = 9;
    for (const std::uint32_t columns : {1u, 40u, 333u}) {
      Buffer<float> x(rows * columns);
      for (float& value : x) value = static_cast<float>(random() % 9) - 4;
      for (std::uint32_t row = 0; row < rows; row += 2) x[row * columns + random() % columns] = row % 4 == 0 ? NAN : -NAN;
      if (columns > 1) x[columns] = x[columns + 1] = INFINITY;
      Buffer<std::uint32_t> place(rows);
      program.run("argmax_nan", {{rows, 1, 1}, {96, 1, 1}}, Arguments(View(x), View(place), columns));
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::uint32_t want = 0;
        for (std::uint32_t i = 0; i < columns; ++i) {
          const float best = x[row * columns + want], value = x[row * columns + i];
          if (!std::isnan(best) && (std::isnan(value) || value > best)) want = i;
        }
        CHECK(place[row] == want);
      }
    }
  });
}

TEST_CASE("rows to eight bits with a scale each") {
  in_dialect([](Program& program) {
    auto random = random_source(172);
    const std::uint32_t rows = 6, columns = 133;
    auto x = random_values<float>(random, rows * columns, -9, 9);
    std::fill_n(x.begin() + columns, columns, 0.0f);
    Buffer<std::int8_t> q(x.size());
    Buffer<float> scales(rows);
    program.run("quantize_rows", {{rows, 1, 1}, {64, 1, 1}}, Arguments(View(x), View(q), View(scales), columns));
    for (std::uint32_t row = 0; row < rows; ++row) {
      double largest = 0;
      for (std::uint32_t i = 0; i < columns; ++i) largest = std::fmax(largest, std::fabs(x[row * columns + i]));
      CHECK(close(scales[row], largest / 127, 1e-6));
      for (std::uint32_t i = 0; i < columns; ++i) {
        // Half a step, and what the scale and the quotient were rounded by.
        CHECK(std::fabs(static_cast<double>(q[row * columns + i]) * scales[row] - x[row * columns + i]) <= 0.5001 * scales[row]);
      }
    }
  });
}

TEST_CASE("a product of bf16 matrices by fragments, with ragged edges") {
  in_dialect([](Program& program) {
    auto random = random_source(173);
    const auto bf16 = [](float value) {
      std::uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      return static_cast<std::uint16_t>(bits >> 16);
    };
    const auto value = [](std::uint16_t half) {
      const std::uint32_t bits = std::uint32_t{half} << 16;
      float result;
      std::memcpy(&result, &bits, sizeof result);
      return static_cast<double>(result);
    };
    const std::uint32_t m = 37, n = 21, k = 45;
    Buffer<std::uint16_t> a(m * k), b(n * k);
    for (std::uint16_t& x : a) x = bf16(static_cast<float>(random() % 2001) / 1000 - 1);
    for (std::uint16_t& x : b) x = bf16(static_cast<float>(random() % 2001) / 1000 - 1);
    Buffer<float> c(m * n);
    program.run("gemm_bf16", {{blocks_for(n, 8), blocks_for(m, 16), 1}, {32, 1, 1}}, Arguments(View(a), View(b), View(c), m, n, k));
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t column = 0; column < n; ++column) {
        double want = 0;
        for (std::uint32_t i = 0; i < k; ++i) want += value(a[row * k + i]) * value(b[column * k + i]);
        REQUIRE(close(c[row * n + column], want, 1e-5, 1e-5));
      }
    }
  });
}

TEST_CASE("a Fourier transform of 256 numbers") {
  in_dialect([](Program& program) {
    auto random = random_source(174);
    const std::uint32_t count = 3;
    const auto in = random_values<float>(random, count * 512, -1, 1);
    Buffer<float> out(in.size());
    program.run("fourier_256", {{count, 1, 1}, {128, 1, 1}}, Arguments(View(in), View(out)));
    const double turn = 2 * std::acos(-1.0) / 256;
    for (std::uint32_t which = 0; which < count; ++which) {
      for (std::uint32_t k = 0; k < 256; ++k) {
        std::complex<double> want;
        for (std::uint32_t i = 0; i < 256; ++i) {
          want += std::complex<double>(in[which * 512 + 2 * i], in[which * 512 + 2 * i + 1]) * std::polar(1.0, -turn * (i * k % 256));
        }
        CHECK(std::abs(want - std::complex<double>(out[which * 512 + 2 * k], out[which * 512 + 2 * k + 1])) <= 5e-5);
      }
    }
  });
}

TEST_CASE("prefix sums of rows by sub-groups") {
  in_dialect([](Program& program) {
    auto random = random_source(175);
    const std::uint32_t rows = 3;
    for (const std::uint32_t columns : {1u, 95u, 300u}) {
      const auto x = random_words(random, rows * columns);
      Buffer<std::uint32_t> y(x.size()), want(x.size());
      program.run("row_prefix_sums", {{rows, 1, 1}, {96, 1, 1}}, Arguments(View(x), View(y), columns));
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::partial_sum(x.begin() + row * columns, x.begin() + (row + 1) * columns, want.begin() + row * columns);
      }
      CHECK(y == want);
    }
  });
}

TEST_CASE("RMS normalisation of f16 rows") {
  in_dialect([](Program& program) {
    auto random = random_source(176);
    const std::uint32_t rows = 4, columns = 203;
    const auto x = random_halves(random, rows * columns, -3, 3), weight = random_halves(random, columns, 0.5, 2);
    Buffer<std::uint16_t> y(x.size());
    program.run("rms_norm_f16", {{rows, 1, 1}, {64, 1, 1}}, Arguments(View(x), View(weight), View(y), 1e-5f));
    for (std::uint32_t row = 0; row < rows; ++row) {
      double squares = 0;
      for (std::uint32_t i = 0; i < columns; ++i) squares += std::pow(value_of(x[row * columns + i]), 2);
      for (std::uint32_t i = 0; i < columns; ++i) {
        const double want = value_of(x[row * columns + i]) / std::sqrt(squares / columns + 1e-5) * value_of(weight[i]);
        CHECK(close(value_of(y[row * columns + i]), want, 6e-4, 1e-6));
      }
    }
  });
}

}  // namespace
