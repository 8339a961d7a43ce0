// kernels/tiles.cpp and kernels/scans.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

TEST_CASE("a transposition through padded tiles") {
  if (!have_compiled()) return;
  everywhere(compiled("tiles"), [](Program& program) {
    auto random = random_source(120);
    const std::uint32_t width = 70, height = 45;
    const auto in = random_values<float>(random, width * height, -1, 1);
    Buffer<float> out(in.size());
    program.run("transpose", {{3, 2, 1}, {32, 8, 1}}, Arguments(in, out, width, height));
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) REQUIRE(out[x * height + y] == in[y * width + x]);
    }
  });
}

TEST_CASE("a product of f32 matrices by tiles") {
  if (!have_compiled()) return;
  everywhere(compiled("tiles"), [](Program& program) {
    auto random = random_source(121);
    const std::uint32_t m = 45, n = 37, k = 51;
    const auto a = random_values<float>(random, m * k, -1, 1), b = random_values<float>(random, k * n, -1, 1);
    Buffer<float> c(m * n);
    program.run("sgemm", {{blocks_for(n, 32), blocks_for(m, 32), 1}, {16, 16, 1}}, Arguments(a, b, c, m, n, k));
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t column = 0; column < n; ++column) {
        double want = 0;
        for (std::uint32_t i = 0; i < k; ++i) want += static_cast<double>(a[row * k + i]) * b[i * n + column];
        REQUIRE(close(c[row * n + column], want, 1e-5, 1e-5));
      }
    }
  });
}

TEST_CASE("a bitonic sort in shared memory") {
  if (!have_compiled()) return;
  everywhere(compiled("tiles"), [](Program& program) {
    auto random = random_source(122);
    auto keys = random_words(random, 2 * 512), want = keys;
    program.run("bitonic_sort", {{2, 1, 1}, {256, 1, 1}}, Arguments(keys));
    std::sort(want.begin(), want.begin() + 512);
    std::sort(want.begin() + 512, want.end());
    CHECK(keys == want);
  });
}

TEST_CASE("a histogram by atomics in shared and global memory") {
  if (!have_compiled()) return;
  everywhere(compiled("tiles"), [](Program& program) {
    auto random = random_source(123);
    const std::uint32_t n = 5011;
    Buffer<std::uint8_t> in(n);
    Buffer<std::uint32_t> counts(256, 0), want(256, 0);
    for (std::uint8_t& value : in) {
      value = static_cast<std::uint8_t>(random() % 3 == 0 ? 7 : random());
      ++want[value];
    }
    program.run("histogram", {{3, 1, 1}, {160, 1, 1}}, Arguments(in, counts, n));
    CHECK(counts == want);
  });
}

TEST_CASE("prefix sums within one block and by decoupled look-back over many") {
  if (!have_compiled()) return;
  everywhere(compiled("scans"), [](Program& program) {
    auto random = random_source(124);
    for (const std::uint32_t n : {1u, 127u, 3000u}) {
      const auto in = random_words(random, n);
      Buffer<std::uint32_t> out(n), want(n), next_block(1, 0);
      std::partial_sum(in.begin(), in.end(), want.begin());
      program.run("scan_one_block", {{1, 1, 1}, {256, 1, 1}}, Arguments(in, out, n));
      CHECK(out == want);
      std::fill(out.begin(), out.end(), 0);
      const std::uint64_t blocks = blocks_for(n, 128);
      Buffer<std::uint64_t> status(blocks, 0);
      program.run("scan_look_back", {{blocks, 1, 1}, {128, 1, 1}}, Arguments(in, out, status, next_block, n));
      CHECK(out == want);
    }
  });
}

TEST_CASE("eight passes of a radix sort") {
  if (!have_compiled()) return;
  everywhere(compiled("scans"), [](Program& program) {
    auto random = random_source(125);
    const std::uint32_t n = 1003;
    auto keys = random_words(random, n), other = keys, want = keys;
    for (std::uint32_t shift = 0; shift < 32; shift += 4) {
      program.run("radix_pass", {{1, 1, 1}, {160, 1, 1}}, Arguments(keys, other, n, shift));
      keys.swap(other);
    }
    std::sort(want.begin(), want.end());
    CHECK(keys == want);
  });
}

}  // namespace
