// text/integers.ptx.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <functional>
#include <numeric>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

TEST_CASE("a product of s8 matrices by dp4a") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(180);
    const std::uint32_t m = 21, n = 35, k = 80;
    Buffer<std::int8_t> a(m * k), b(n * k);
    for (std::int8_t& value : a) value = static_cast<std::int8_t>(random());
    for (std::int8_t& value : b) value = static_cast<std::int8_t>(random());
    Buffer<std::int32_t> c(m * n);
    program.run("gemm_s8", {{blocks_for(n, 16), blocks_for(m, 8), 1}, {16, 8, 1}}, Arguments(a, b, c, m, n, k));
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t column = 0; column < n; ++column) {
        REQUIRE(c[row * n + column] == std::inner_product(a.begin() + row * k, a.begin() + (row + 1) * k, b.begin() + column * k, 0));
      }
    }
  });
}

TEST_CASE("4-bit weights in blocks by 8-bit numbers in blocks") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(181);
    const std::uint32_t rows = 10;
    for (const std::uint32_t blocks : {1u, 7u, 40u}) {
      Buffer<std::uint8_t> weights(std::size_t{rows} * blocks * 18), x(std::size_t{blocks} * 34);
      for (std::uint8_t& byte : weights) byte = static_cast<std::uint8_t>(random());
      for (std::uint8_t& byte : x) byte = static_cast<std::uint8_t>(random());
      const auto scale = [&](Buffer<std::uint8_t>& blocks_of, std::size_t at) {
        const std::uint16_t half = half_of(static_cast<double>(random() % 1000) / 10000 + 0.001);
        std::memcpy(&blocks_of[at], &half, sizeof half);
      };
      for (std::size_t at = 0; at < weights.size(); at += 18) scale(weights, at);
      for (std::size_t at = 0; at < x.size(); at += 34) scale(x, at);
      const auto scale_at = [](const Buffer<std::uint8_t>& blocks_of, std::size_t at) {
        std::uint16_t half;
        std::memcpy(&half, &blocks_of[at], sizeof half);
        return value_of(half);
      };
      Buffer<float> y(rows);
      program.run("q4_gemv", {{blocks_for(rows, 4), 1, 1}, {128, 1, 1}}, Arguments(weights, x, y, rows, blocks));
      for (std::uint32_t row = 0; row < rows; ++row) {
        double want = 0, magnitude = 0;
        for (std::uint32_t block = 0; block < blocks; ++block) {
          const std::size_t w = (std::size_t{row} * blocks + block) * 18, v = std::size_t{block} * 34;
          for (std::uint32_t i = 0; i < 32; ++i) {
            const int nibble = i < 16 ? weights[w + 2 + i] & 15 : weights[w + 2 + i - 16] >> 4;
            const double term = scale_at(weights, w) * (nibble - 8) * scale_at(x, v) * static_cast<std::int8_t>(x[v + 2 + i]);
            want += term;
            magnitude += std::fabs(term);
          }
        }
        CHECK(std::fabs(y[row] - want) <= 1e-6 * magnitude);
      }
    }
  });
}

TEST_CASE("products of 256-bit numbers by carry chains") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(182);
    const std::uint32_t n = 45;
    auto a = random_words(random, 8 * n), b = random_words(random, 8 * n);
    std::fill_n(a.begin(), 8, 0xffffffffu);  // all carries
    std::fill_n(b.begin(), 8, 0xffffffffu);
    Buffer<std::uint32_t> out(16 * n);
    program.run("multiply_256", {{2, 1, 1}, {32, 1, 1}}, Arguments(a, b, out, n));
    for (std::uint32_t which = 0; which < n; ++which) {
      std::array<std::uint32_t, 16> want{};
      for (std::uint32_t i = 0; i < 8; ++i) {
        std::uint64_t carry = 0;
        for (std::uint32_t j = 0; j < 8; ++j) {
          carry += std::uint64_t{a[8 * which + i]} * b[8 * which + j] + want[i + j];
          want[i + j] = static_cast<std::uint32_t>(carry);
          carry >>= 32;
        }
        want[i + 8] = static_cast<std::uint32_t>(carry);
      }
      for (std::uint32_t i = 0; i < 16; ++i) REQUIRE(out[16 * which + i] == want[i]);
    }
  });
}

TEST_CASE("the largest k of each row by redux, ties included") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(183);
    const std::uint32_t rows = 8, k = 7;
    for (const std::uint32_t columns : {7u, 33u, 64u}) {
      Buffer<float> in(rows * columns), out(rows * k);
      for (float& value : in) value = static_cast<float>(static_cast<int>(random() % 41) - 20) / 4;
      in[3] = -INFINITY;
      in[columns + 2] = INFINITY;
      program.run("top_k", {{blocks_for(rows, 3), 1, 1}, {32, 3, 1}}, Arguments(in, out, rows, columns, k));
      for (std::uint32_t row = 0; row < rows; ++row) {
        Buffer<float> want(in.begin() + row * columns, in.begin() + (row + 1) * columns);
        std::sort(want.begin(), want.end(), std::greater<>());
        for (std::uint32_t i = 0; i < k; ++i) CHECK(out[row * k + i] == want[i]);
      }
    }
  });
}

TEST_CASE("prefix sums of blocks by shuffles with predicates") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(184);
    for (const std::uint32_t n : {1u, 100u, 300u}) {
      const auto in = random_words(random, n);
      Buffer<std::uint32_t> out(n), want(n);
      program.run("scan_blocks", {{blocks_for(n, 128), 1, 1}, {128, 1, 1}}, Arguments(in, out, n));
      for (std::uint32_t from = 0; from < n; from += 128) {
        std::partial_sum(in.begin() + from, in.begin() + std::min(from + 128, n), want.begin() + from);
      }
      CHECK(out == want);
    }
  });
}

TEST_CASE("a machine that jumps by a table, each lane on a way of its own") {
  everywhere(written_by_hand("integers"), [](Program& program) {
    auto random = random_source(185);
    const std::uint32_t length = 24, threads = 70, limit = 150;
    for (int round = 0; round < 3; ++round) {
      Buffer<std::uint32_t> code(length + 1, 0), out(2 * threads);
      for (std::uint32_t i = 0; i < length; ++i) {
        const auto operation = static_cast<std::uint32_t>(random() % 7) + 1;
        const auto number = static_cast<std::uint32_t>(operation == 5 || operation == 6 ? random() % length : random() % 5000);
        code[i] = operation | number << 8;
      }
      program.run("interpreter", {{1, 1, 1}, {threads, 1, 1}}, Arguments(code, out, limit));
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        std::uint32_t x = thread, pc = 0, steps = 0, count = 5;
        for (bool runs = true; runs && steps < limit;) {
          ++steps;
          const std::uint32_t number = code[pc] >> 8, operation = code[pc] & 7;
          ++pc;
          switch (operation) {
            case 0: runs = false; break;
            case 1: x += number; break;
            case 2: x *= number; break;
            case 3: x ^= thread; break;
            case 4: x = number % 32 == 0 ? x : x << number % 32 | x >> (32 - number % 32); break;
            case 5: pc = x % 2 != 0 ? number : pc; break;
            case 6: pc = --count != 0 ? number : pc; break;
            default: break;
          }
        }
        CHECK(out[2 * thread] == x);
        CHECK(out[2 * thread + 1] == steps);
      }
    }
  });
}

}  // namespace
