// kernels/reductions.cpp against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

double sum_of(const Buffer<float>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST_CASE("sums by shuffles, by a tree in shared memory and by atomics") {
  if (!have_compiled()) return;
  everywhere(compiled("reductions"), [](Program& program) {
    auto random = random_source(110);
    for (const std::uint32_t n : {1u, 100u, 2999u}) {
      const auto in = random_values<float>(random, n, 0, 1);
      const double want = sum_of(in);
      Buffer<float> partial(5);
      program.run("sum_by_shuffles", {{5, 1, 1}, {160, 1, 1}}, Arguments(in, partial, n));
      CHECK(close(sum_of(partial), want, 1e-5));
      Buffer<float> blocks(blocks_for(n, 256));
      program.run("sum_by_tree", {{blocks.size(), 1, 1}, {256, 1, 1}}, Arguments(in, blocks, n));
      CHECK(close(sum_of(blocks), want, 1e-5));
      Buffer<float> sum(1, 0.0f);
      Buffer<std::uint32_t> count(1, 0);
      program.run("sum_by_atomics", {{3, 1, 1}, {100, 1, 1}}, Arguments(in, sum, count, n));
      CHECK(close(sum[0], want, 1e-4));
      CHECK(count[0] == n);
    }
  });
}

TEST_CASE("the first place of the largest element of each row") {
  if (!have_compiled()) return;
  everywhere(compiled("reductions"), [](Program& program) {
    auto random = random_source(111);
    for (const std::uint32_t columns : {1u, 7u, 32u, 150u}) {
      const std::uint32_t rows = 13;
      Buffer<float> in(rows * columns);
      for (float& value : in) value = static_cast<float>(random() % 20);  // with ties
      Buffer<std::uint32_t> place(rows);
      program.run("argmax", {{blocks_for(rows, 4), 1, 1}, {128, 1, 1}}, Arguments(in, place, rows, columns));
      for (std::uint32_t row = 0; row < rows; ++row) {
        const auto line = in.begin() + row * columns;
        CHECK(place[row] == std::max_element(line, line + columns) - line);
      }
    }
  });
}

TEST_CASE("softmax over rows") {
  if (!have_compiled()) return;
  everywhere(compiled("reductions"), [](Program& program) {
    auto random = random_source(112);
    for (const std::uint32_t columns : {1u, 33u, 200u}) {
      const std::uint32_t rows = 9;
      const auto in = random_values<float>(random, rows * columns, -20, 20);
      Buffer<float> out(in.size());
      program.run("softmax", {{blocks_for(rows, 2), 1, 1}, {64, 1, 1}}, Arguments(in, out, rows, columns));
      for (std::uint32_t row = 0; row < rows; ++row) {
        double largest = -INFINITY, sum = 0;
        for (std::uint32_t i = 0; i < columns; ++i) largest = std::fmax(largest, in[row * columns + i]);
        for (std::uint32_t i = 0; i < columns; ++i) sum += std::exp(in[row * columns + i] - largest);
        for (std::uint32_t i = 0; i < columns; ++i) {
          CHECK(close(out[row * columns + i], std::exp(in[row * columns + i] - largest) / sum, 1e-5, 1e-12));
        }
      }
    }
  });
}

TEST_CASE("layer normalisation of f16 rows") {
  if (!have_compiled()) return;
  everywhere(compiled("reductions"), [](Program& program) {
    auto random = random_source(113);
    const std::uint32_t rows = 5, columns = 301;
    const auto in = random_halves(random, rows * columns, -3, 5), scale = random_halves(random, columns, 0.5, 2);
    const auto bias = random_halves(random, columns, -1, 1);
    Buffer<std::uint16_t> out(in.size());
    program.run("layernorm", {{rows, 1, 1}, {96, 1, 1}}, Arguments(in, scale, bias, out, columns, 1e-5f));
    for (std::uint32_t row = 0; row < rows; ++row) {
      double mean = 0, variance = 0;
      for (std::uint32_t i = 0; i < columns; ++i) mean += value_of(in[row * columns + i]) / columns;
      for (std::uint32_t i = 0; i < columns; ++i) variance += std::pow(value_of(in[row * columns + i]) - mean, 2) / columns;
      for (std::uint32_t i = 0; i < columns; ++i) {
        const double normal = (value_of(in[row * columns + i]) - mean) / std::sqrt(variance + 1e-5);
        CHECK(close(value_of(out[row * columns + i]), normal * value_of(scale[i]) + value_of(bias[i]), 1e-3, 1e-3));
      }
    }
  });
}

TEST_CASE("matrix by vector, with and without vector loads") {
  if (!have_compiled()) return;
  everywhere(compiled("reductions"), [](Program& program) {
    auto random = random_source(114);
    for (const std::uint32_t columns : {5u, 64u, 130u, 256u}) {
      const std::uint32_t rows = 11;
      const auto a = random_values<float>(random, rows * columns, -1, 1), x = random_values<float>(random, columns, -1, 1);
      Buffer<float> y(rows);
      program.run("matrix_vector", {{blocks_for(rows, 3), 1, 1}, {96, 1, 1}}, Arguments(a, x, y, rows, columns));
      for (std::uint32_t row = 0; row < rows; ++row) {
        double want = 0;
        for (std::uint32_t i = 0; i < columns; ++i) want += static_cast<double>(a[row * columns + i]) * x[i];
        CHECK(close(y[row], want, 1e-5, 1e-5));
      }
    }
  });
}

}  // namespace
