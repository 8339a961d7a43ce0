// text/pipelines.ptx.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

TEST_CASE("a product of bf16 matrices in three stages, with ragged edges") {
  everywhere(written_by_hand("pipelines"), [](Program& program) {
    auto random = random_source(200);
    const auto value = [](std::uint16_t half) {
      const std::uint32_t bits = std::uint32_t{half} << 16;
      float result;
      std::memcpy(&result, &bits, sizeof result);
      return static_cast<double>(result);
    };
    // Of either sign, from 1/4 to just below 1.
    const auto fill = [&](Buffer<std::uint16_t>& matrix) {
      for (std::uint16_t& x : matrix) x = static_cast<std::uint16_t>(0x3e80 + random() % 0x100 + (random() % 2 << 15));
    };
    struct Size {
      std::uint32_t m, n, k;
    };
    for (const Size size : {Size{1, 1, 8}, Size{45, 37, 88}, Size{32, 16, 16}}) {
      const auto [m, n, k] = size;
      Buffer<std::uint16_t> a(m * k), b(n * k);
      fill(a);
      fill(b);
      Buffer<float> c(m * n);
      program.run("gemm_bf16", {{blocks_for(n, 16), blocks_for(m, 32), 1}, {64, 1, 1}}, Arguments(a, b, c, m, n, k));
      for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t column = 0; column < n; ++column) {
          double want = 0;
          for (std::uint32_t i = 0; i < k; ++i) want += value(a[row * k + i]) * value(b[column * k + i]);
          REQUIRE(close(c[row * n + column], want, 1e-5, 1e-5));
        }
      }
    }
  });
}

TEST_CASE("a warp that copies and warps that compute, over mbarriers that copies arrive at") {
  everywhere(written_by_hand("pipelines"), [](Program& program) {
    auto random = random_source(201);
    for (const std::uint32_t n : {1u, 64u, 131u, 777u}) {
      const auto in = random_words(random, n);
      Buffer<std::uint32_t> out(n);
      program.run("specialised_warps", {{1, 1, 1}, {96, 1, 1}}, Arguments(in, out, n));
      for (std::uint32_t i = 0; i < n; ++i) REQUIRE(out[i] == 3 * in[i] + 1);
    }
  });
}

TEST_CASE("steps of a cooperative grid") {
  everywhere(written_by_hand("pipelines"), [](Program& program) {
    auto random = random_source(202);
    const std::uint32_t blocks = 3, threads = 50, n = blocks * threads, steps = 6;
    auto first = random_words(random, n), want = first;
    Buffer<std::uint32_t> second(n), arrived(1, 0);
    program.run("grid_steps", {{blocks, 1, 1}, {threads, 1, 1}, 0, BSC_LAUNCH_COOPERATIVE}, Arguments(first, second, arrived, steps));
    for (std::uint32_t step = 0; step < steps; ++step) {
      const auto before = want;
      for (std::uint32_t i = 0; i < n; ++i) want[i] = before[(i + 1) % n] + i;
    }
    CHECK(first == want);
    CHECK(arrived[0] == blocks * steps);
  });
}

}  // namespace
