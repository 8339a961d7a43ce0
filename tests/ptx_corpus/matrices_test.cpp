// kernels/matrices.cpp against float64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

TEST_CASE("a product of f16 matrices with cp.async, ldmatrix and mma") {
  if (!have_compiled()) return;
  everywhere(compiled("matrices"), [](Program& program) {
    auto random = random_source(140);
    struct Size {
      std::uint32_t m, n, k;
    };
    for (const Size size : {Size{64, 64, 64}, Size{75, 40, 88}, Size{1, 8, 8}}) {
      const auto [m, n, k] = size;
      const auto a = random_halves(random, m * k, -1, 1), b = random_halves(random, k * n, -1, 1);
      Buffer<float> c(m * n);
      program.run("gemm_f16", {{blocks_for(n, 64), blocks_for(m, 64), 1}, {128, 1, 1}}, Arguments(a, b, c, m, n, k));
      for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t column = 0; column < n; ++column) {
          double want = 0;
          for (std::uint32_t i = 0; i < k; ++i) want += value_of(a[row * k + i]) * value_of(b[i * n + column]);
          REQUIRE(close(c[row * n + column], want, 1e-5, 1e-5));
        }
      }
    }
  });
}

TEST_CASE("attention in one pass over keys") {
  if (!have_compiled()) return;
  everywhere(compiled("matrices"), [](Program& program) {
    auto random = random_source(141);
    const std::uint32_t heads = 2, width = 64;
    for (const std::uint32_t length : {16u, 37u}) {
      const std::size_t all = std::size_t{heads} * length * width;
      const auto q = random_halves(random, all, -2, 2), k = random_halves(random, all, -2, 2), v = random_halves(random, all, -1, 1);
      Buffer<float> out(all);
      program.run("flash_attention", {{blocks_for(length, 16), heads, 1}, {32, 1, 1}}, Arguments(q, k, v, out, length, 0.125f));
      for (std::uint32_t head = 0; head < heads; ++head) {
        const std::size_t base = std::size_t{head} * length * width;
        for (std::uint32_t row = 0; row < length; ++row) {
          std::vector<double> scores(length);
          double largest = -INFINITY, sum = 0;
          for (std::uint32_t key = 0; key < length; ++key) {
            for (std::uint32_t i = 0; i < width; ++i) {
              scores[key] += 0.125 * value_of(q[base + row * width + i]) * value_of(k[base + key * width + i]);
            }
            largest = std::fmax(largest, scores[key]);
          }
          for (double& score : scores) sum += score = std::exp(score - largest);
          for (std::uint32_t i = 0; i < width; ++i) {
            double want = 0;
            for (std::uint32_t key = 0; key < length; ++key) want += scores[key] / sum * value_of(v[base + key * width + i]);
            REQUIRE(close(out[base + row * width + i], want, 2e-3, 2e-3));
          }
        }
      }
    }
  });
}

TEST_CASE("a ring between two warps, guarded by mbarriers") {
  if (!have_compiled()) return;
  everywhere(compiled("matrices"), [](Program& program) {
    auto random = random_source(142);
    for (const std::uint32_t n : {1u, 64u, 500u}) {
      const auto in = random_words(random, n);
      Buffer<std::uint32_t> out(n);
      program.run("producer_consumer", {{1, 1, 1}, {64, 1, 1}}, Arguments(in, out, n));
      for (std::uint32_t i = 0; i < n; ++i) REQUIRE(out[i] == in[i] * in[i]);
    }
  });
}

}  // namespace
