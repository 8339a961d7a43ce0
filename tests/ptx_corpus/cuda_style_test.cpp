// kernels/cuda_style.cu against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <utility>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

template <class Body>
void in_cuda_style(Body body) {
  if (have_compiled()) everywhere(compiled("cuda_style.sm_90"), body);
}

TEST_CASE("rotary embedding of pairs by their position") {
  in_cuda_style([](Program& program) {
    auto random = random_source(160);
    const std::int32_t rows = 7, pairs = 37;
    const auto in = random_values<float>(random, 2 * rows * pairs, -2, 2);
    Buffer<std::int32_t> positions(rows);
    for (std::int32_t& position : positions) position = static_cast<std::int32_t>(random() % 500);
    Buffer<float> out(in.size());
    program.run("rope", {{2, rows, 1}, {32, 1, 1}}, Arguments(View(in), View(out), View(positions), rows, pairs));
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t pair = 0; pair < pairs; ++pair) {
        // The angle is rounded to f32: half a unit in its last place for the power, one for the product.
        const double angle = positions[row] * std::pow(10000.0, -static_cast<double>(pair) / pairs), bound = 1e-6 + 4e-7 * angle;
        const double x = in[2 * (row * pairs + pair)], y = in[2 * (row * pairs + pair) + 1];
        CHECK(std::fabs(out[2 * (row * pairs + pair)] - (x * std::cos(angle) - y * std::sin(angle))) <= 4 * bound);
        CHECK(std::fabs(out[2 * (row * pairs + pair) + 1] - (x * std::sin(angle) + y * std::cos(angle))) <= 4 * bound);
      }
    }
  });
}

TEST_CASE("a sparse matrix by a vector, with empty and long rows") {
  in_cuda_style([](Program& program) {
    auto random = random_source(161);
    const std::int32_t rows = 45, width = 211;
    Buffer<std::int32_t> starts(1, 0), columns;
    for (std::int32_t row = 0; row < rows; ++row) {
      const auto length = row % 5 == 0 ? 0 : row == 7 ? 130 : random() % 40;
      for (std::uint64_t i = 0; i < length; ++i) columns.push_back(static_cast<std::int32_t>(random() % width));
      starts.push_back(static_cast<std::int32_t>(columns.size()));
    }
    const auto values = random_values<float>(random, columns.size(), -1, 1), x = random_values<float>(random, width, -1, 1);
    Buffer<float> y(rows);
    program.run("spmv_csr", {{blocks_for(rows, 3), 1, 1}, {96, 1, 1}},
                Arguments(View(starts), View(columns), View(values), View(x), View(y), rows));
    for (std::int32_t row = 0; row < rows; ++row) {
      double want = 0;
      for (std::int32_t i = starts[row]; i < starts[row + 1]; ++i) want += static_cast<double>(values[i]) * x[columns[i]];
      CHECK(close(y[row], want, 1e-5, 1e-5));
    }
  });
}

TEST_CASE("what is positive is kept, by ballots") {
  in_cuda_style([](Program& program) {
    auto random = random_source(162);
    for (const std::int32_t n : {1, 33, 1000}) {
      Buffer<std::int32_t> in(n), out(n), want;
      for (std::int32_t& value : in) value = static_cast<std::int32_t>(random());
      std::copy_if(in.begin(), in.end(), std::back_inserter(want), [](std::int32_t value) { return value > 0; });
      Buffer<std::uint32_t> count(1, 0);
      program.run("compact", {{blocks_for(n, 96), 1, 1}, {96, 1, 1}}, Arguments(View(in), View(out), View(count), n));
      REQUIRE(count[0] == want.size());
      CHECK(std::all_of(out.begin() + count[0], out.end(), [](std::int32_t value) { return value == -1; }));
      out.resize(want.size());
      std::sort(out.begin(), out.end());
      std::sort(want.begin(), want.end());
      CHECK(out == want);
    }
  });
}

TEST_CASE("a 5 x 5 convolution through tiles with halos") {
  in_cuda_style([](Program& program) {
    auto random = random_source(163);
    const std::int32_t width = 45, height = 19;
    const auto in = random_values<float>(random, width * height, -1, 1), weights = random_values<float>(random, 25, -1, 1);
    Buffer<float> out(in.size());
    program.run("convolution_2d", {{3, 3, 1}, {16, 8, 1}}, Arguments(View(in), View(weights), View(out), width, height));
    for (std::int32_t y = 0; y < height; ++y) {
      for (std::int32_t x = 0; x < width; ++x) {
        double want = 0;
        for (std::int32_t dy = -2; dy <= 2; ++dy) {
          for (std::int32_t dx = -2; dx <= 2; ++dx) {
            if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
            want += static_cast<double>(weights[(dy + 2) * 5 + dx + 2]) * in[(y + dy) * width + x + dx];
          }
        }
        REQUIRE(close(out[y * width + x], want, 1e-5, 1e-5));
      }
    }
  });
}

TEST_CASE("the last block to finish adds up") {
  in_cuda_style([](Program& program) {
    auto random = random_source(164);
    for (const std::int32_t n : {1, 999, 4001}) {
      const auto in = random_values<float>(random, n, 0, 1);
      Buffer<float> partial(6), result(1);
      Buffer<std::uint32_t> finished(1, 0);
      program.run("last_block_sum", {{6, 1, 1}, {128, 1, 1}}, Arguments(View(in), View(partial), View(finished), View(result), n));
      CHECK(close(result[0], std::accumulate(in.begin(), in.end(), 0.0), 1e-5));
      CHECK(finished[0] == 0);
    }
  });
}

TEST_CASE("the largest of each column by compare and swap, NaNs passed over") {
  in_cuda_style([](Program& program) {
    auto random = random_source(165);
    const std::int32_t rows = 61, columns = 5;
    auto in = random_values<float>(random, rows * columns, -50, 50);
    for (std::size_t i = 0; i < in.size(); i += 7) in[i] = NAN;
    Buffer<std::uint32_t> largest(columns, 0xff800000u);
    program.run("column_max", {{blocks_for(in.size(), 64), 1, 1}, {64, 1, 1}}, Arguments(View(in), View(largest), rows, columns));
    for (std::int32_t column = 0; column < columns; ++column) {
      float want = -INFINITY, got;
      for (std::int32_t row = 0; row < rows; ++row) want = std::fmax(want, in[row * columns + column]);
      std::memcpy(&got, &largest[column], sizeof got);
      CHECK(got == want);
    }
  });
}

TEST_CASE("blocks take work of different lengths from a queue") {
  in_cuda_style([](Program& program) {
    auto random = random_source(166);
    const std::int32_t items = 23;
    const auto work = random_words(random, items, 60);
    Buffer<std::uint32_t> out(items * 40), next(1, 0);
    program.run("work_queue", {{4, 1, 1}, {40, 1, 1}}, Arguments(View(work), View(out), View(next), items));
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      std::uint32_t want = i;
      for (std::uint32_t step = 0; step < work[i / 40]; ++step) want = want * 1664525u + 1013904223u;
      REQUIRE(out[i] == want);
    }
    CHECK(next[0] == items + 4);
  });
}

TEST_CASE("keys and places sorted within warps by shuffles") {
  in_cuda_style([](Program& program) {
    auto random = random_source(167);
    const std::int32_t n = 151;
    Buffer<float> keys(n), sorted(n);
    for (float& key : keys) key = static_cast<float>(random() % 25);  // with ties
    Buffer<std::int32_t> places(n), want(n);
    program.run("warp_sort", {{2, 1, 1}, {96, 1, 1}}, Arguments(View(keys), View(sorted), View(places), n));
    std::iota(want.begin(), want.end(), 0);
    for (std::int32_t from = 0; from < n; from += 32) {
      std::sort(want.begin() + from, want.begin() + std::min(from + 32, n),
                [&](std::int32_t a, std::int32_t b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
    }
    CHECK(places == want);
    for (std::int32_t i = 0; i < n; ++i) CHECK(sorted[i] == keys[want[i]]);
  });
}

TEST_CASE("moving averages through dynamic shared memory") {
  in_cuda_style([](Program& program) {
    auto random = random_source(168);
    const std::int32_t n = 301;
    for (const std::int32_t radius : {0, 3, 17}) {
      const auto in = random_values<float>(random, n, -1, 1);
      Buffer<float> out(n);
      program.run("moving_average", {{blocks_for(n, 64), 1, 1}, {64, 1, 1}, (64 + 2 * static_cast<std::uint64_t>(radius)) * 4},
                  Arguments(View(in), View(out), n, radius));
      for (std::int32_t i = 0; i < n; ++i) {
        double sum = 0;
        const std::int32_t first = std::max(0, i - radius), last = std::min(n - 1, i + radius);
        for (std::int32_t j = first; j <= last; ++j) sum += in[j];
        CHECK(close(out[i], sum / (last - first + 1), 1e-5, 1e-5));
      }
    }
  });
}

}  // namespace
