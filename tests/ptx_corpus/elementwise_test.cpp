// kernels/elementwise.cpp against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <complex>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr std::uint32_t kSizes[] = {1, 31, 257, 5003};

TEST_CASE("vector addition and SAXPY, of any length") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    auto random = random_source(100);
    for (const std::uint32_t n : kSizes) {
      const auto a = random_values<float>(random, n, -10, 10), b = random_values<float>(random, n, -10, 10);
      Buffer<float> c(n);
      program.run("vector_add", {{blocks_for(n, 128), 1, 1}, {128, 1, 1}}, Arguments(a, b, c, n));
      for (std::uint32_t i = 0; i < n; ++i) REQUIRE(c[i] == a[i] + b[i]);
      Buffer<float> y = b;
      program.run("saxpy", {{3, 1, 1}, {96, 1, 1}}, Arguments(2.5f, a, y, n));
      for (std::uint32_t i = 0; i < n; ++i) REQUIRE(y[i] == std::fma(2.5f, a[i], b[i]));
    }
  });
}

TEST_CASE("GELU by its tanh formula") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    auto random = random_source(101);
    const std::uint32_t n = 3001;
    auto x = random_values<float>(random, n, -6, 6);
    x[0] = 0.0f;
    x[1] = -30.0f;
    x[2] = 30.0f;
    Buffer<float> y(n);
    program.run("gelu", {{2, 1, 1}, {256, 1, 1}}, Arguments(x, y, n));
    for (std::uint32_t i = 0; i < n; ++i) {
      const double v = x[i];
      const double want = 0.5 * v * (1 + std::tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
      CHECK_MESSAGE(close(y[i], want, 1e-5, 2e-6), v);
    }
  });
}

TEST_CASE("Collatz steps: lanes leave a loop after very different times") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    auto random = random_source(102);
    const std::uint32_t n = 515;
    auto start = random_words(random, n, 100000);
    for (std::uint32_t& x : start) ++x;
    Buffer<std::uint32_t> steps(n);
    program.run("collatz", {{blocks_for(n, 64), 1, 1}, {64, 1, 1}}, Arguments(start, steps, n));
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t want = 0;
      for (std::uint64_t x = start[i]; x != 1; x = x % 2 == 0 ? x / 2 : 3 * x + 1) ++want;
      REQUIRE(steps[i] == want);
    }
  });
}

TEST_CASE("Mandelbrot in f64, two-dimensional blocks") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    const std::uint32_t width = 75, height = 53, limit = 100;
    Buffer<std::uint16_t> iterations(width * height);
    program.run("mandelbrot", {{5, 7, 1}, {16, 8, 1}}, Arguments(iterations, width, height, limit));
    for (std::uint32_t py = 0; py < height; ++py) {
      for (std::uint32_t px = 0; px < width; ++px) {
        const double cx = -2.0 + 3.0 * px / width, cy = -1.5 + 3.0 * py / height;
        double x = 0, y = 0;
        std::uint32_t i = 0;
        for (; i < limit && x * x + y * y <= 4; ++i) {
          const double next = x * x - y * y + cx;
          y = 2 * x * y + cy;
          x = next;
        }
        REQUIRE(iterations[py * width + px] == i);
      }
    }
  });
}

TEST_CASE("n-body accelerations") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    auto random = random_source(103);
    const std::uint32_t n = 101;
    const auto positions = random_values<float>(random, 3 * n, -1, 1);
    Buffer<float> accelerations(3 * n);
    program.run("nbody", {{2, 1, 1}, {64, 1, 1}}, Arguments(positions, accelerations, n, 0.01f));
    for (std::uint32_t i = 0; i < n; ++i) {
      double want[3] = {}, magnitude[3] = {};
      for (std::uint32_t j = 0; j < n; ++j) {
        double difference[3], square = 0.01f;
        for (int axis = 0; axis < 3; ++axis) {
          difference[axis] = static_cast<double>(positions[3 * j + axis]) - positions[3 * i + axis];
          square += difference[axis] * difference[axis];
        }
        for (int axis = 0; axis < 3; ++axis) {
          want[axis] += difference[axis] / (square * std::sqrt(square));
          magnitude[axis] += std::fabs(difference[axis]) / (square * std::sqrt(square));
        }
      }
      for (int axis = 0; axis < 3; ++axis) CHECK(std::fabs(accelerations[3 * i + axis] - want[axis]) <= 1e-5 * magnitude[axis]);
    }
  });
}

TEST_CASE("Philox numbers are those of its definition") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    const std::uint32_t blocks = 333;
    const std::uint64_t key = random_source(104)();
    Buffer<std::uint32_t> out(4 * blocks);
    program.run("philox", {{2, 1, 1}, {128, 1, 1}}, Arguments(out, blocks, key));
    for (std::uint32_t i = 0; i < blocks; ++i) {
      std::array<std::uint32_t, 4> c{i, 0, 0, 0};
      std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
      for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const std::uint64_t p0 = std::uint64_t{c[0]} * 0xD2511F53u, p1 = std::uint64_t{c[2]} * 0xCD9E8D57u;
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
      }
      for (std::uint32_t j = 0; j < 4; ++j) REQUIRE(out[4 * i + j] == c[j]);
    }
  });
}

TEST_CASE("a five-point stencil with borders") {
  if (!have_compiled()) return;
  everywhere(compiled("elementwise"), [](Program& program) {
    auto random = random_source(105);
    const std::uint32_t width = 61, height = 37;
    const auto in = random_values<float>(random, width * height, -1, 1);
    Buffer<float> out(width * height);
    program.run("stencil", {{2, 5, 1}, {32, 8, 1}}, Arguments(in, out, width, height));
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::uint32_t at = y * width + x;
        double want = in[at];
        if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
          want = 0.5 * in[at] + 0.125 * (double{in[at - 1]} + in[at + 1] + in[at - width] + in[at + width]);
        }
        REQUIRE(close(out[at], want, 1e-6, 1e-6));
      }
    }
  });
}

}  // namespace
