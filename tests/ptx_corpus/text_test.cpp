// Kernels written by hand in PTX: operations of a warp in divergent code, and matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

constexpr std::uint32_t kThreads = 96;
const Shape kThreeWarps{{1, 1, 1}, {kThreads, 1, 1}};

TEST_CASE("two halves of a warp shuffle under masks of their own") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::uint32_t> out(kThreads);
    program.run("halves", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      const std::uint32_t first = i / 16 * 16;
      CHECK(out[i] == 16 * first + 120);
    }
  });
}

TEST_CASE("lanes from different places meet at operations of the same kind") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::array<std::uint32_t, 4>> out(kThreads);
    program.run("different_places", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      CAPTURE(i);
      const auto value = [](std::uint32_t thread) { return thread + (thread % 2 == 0 ? 1000 : 2000); };
      std::uint32_t sum = 0, ballot = 0;
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        sum += value(i / 32 * 32 + lane);
        if (lane < (lane % 2 == 0 ? 10u : 20u)) ballot |= 1u << lane;
      }
      CHECK(out[i] == std::array<std::uint32_t, 4>{value(i ^ 1), ballot, sum, i % 2 == 0 ? 0x55555555u : 0xaaaaaaaau});
    }
  });
}

TEST_CASE("lanes that have exited do not take part and are not waited for") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::array<std::uint32_t, 4>> out(kThreads, std::array<std::uint32_t, 4>{});
    program.run("exited", kThreeWarps, Arguments(out));
    std::uint32_t alive = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) alive |= lane % 3 != 0 ? 1u << lane : 0;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      CAPTURE(i);
      if (i % 32 % 3 == 0) CHECK(out[i] == std::array<std::uint32_t, 4>{});
      if (i % 32 % 3 != 0) CHECK(out[i] == std::array<std::uint32_t, 4>{alive & 0xffffff00u, 31, 1, alive});
    }
  });
}

TEST_CASE("an exit releases those that waited for the lane") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::uint32_t> out(kThreads, 0);
    program.run("exits_later", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) CHECK(out[i] == (i % 32 < 5 ? 10u : 0u));
  });
}

TEST_CASE("member masks shrink with the lanes that stay in a loop") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::array<std::uint32_t, 2>> out(kThreads);
    program.run("shrinking", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      const std::uint32_t lane = i % 32, rounds = lane == 0 ? 5 : std::min(5u, static_cast<std::uint32_t>(__builtin_ctz(lane)) + 1);
      std::uint32_t seen = 0;
      for (std::uint32_t round = 0; round < rounds; ++round) seen += 16u >> round;
      CHECK(out[i] == std::array<std::uint32_t, 2>{rounds, seen});
    }
  });
}

TEST_CASE("segments of a warp, and whether the source was in range") {
  everywhere(written_by_hand("collectives"), [](Program& program) {
    Buffer<std::array<std::uint32_t, 3>> out(kThreads);
    program.run("segments", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      const bool in_range = i % 8 >= 3;
      CHECK(out[i] == std::array<std::uint32_t, 3>{in_range ? i - 3 : i, in_range ? 1u : 0u, i / 8 * 8 + 7});
    }
  });
}

TEST_CASE("shfl and vote without .sync take the active lanes") {
  everywhere(written_by_hand("before_sync"), [](Program& program) {
    Buffer<std::array<std::uint32_t, 3>> out(kThreads, std::array<std::uint32_t, 3>{});
    program.run("before_sync", kThreeWarps, Arguments(out));
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      const std::uint32_t lane = i % 32;
      if (lane >= 20) CHECK(out[i] == std::array<std::uint32_t, 3>{});
      // What lanes 18 and 19 get, of inactive ones, is undefined.
      if (lane < 18) CHECK(out[i] == std::array<std::uint32_t, 3>{i + 2, 0x1f, 1});
    }
  });
}

TEST_CASE("wmma from shared and global memory, with strides") {
  everywhere(written_by_hand("matrices"), [](Program& program) {
    auto random = random_source(150);
    const auto a = random_halves(random, 256, -1, 1), b = random_halves(random, 256, -1, 1);
    const auto c = random_values<float>(random, 16 * 20, -1, 1);
    Buffer<float> d(256);
    program.run("wmma_tile", {}, Arguments(a, b, c, d));
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 16; ++column) {
        double want = c[row * 20 + column];
        for (int k = 0; k < 16; ++k) want += value_of(a[row * 16 + k]) * value_of(b[column * 16 + k]);
        CHECK(close(d[column * 16 + row], want, 1e-5, 1e-5));
      }
    }
  });
}

TEST_CASE("mma of s8 with constants as accumulators saturates") {
  everywhere(written_by_hand("matrices"), [](Program& program) {
    auto random = random_source(151);
    Buffer<std::array<std::int8_t, 16>> a(32);
    Buffer<std::array<std::int8_t, 8>> b(32);
    for (auto& lane : a) for (auto& value : lane) value = static_cast<std::int8_t>(random());
    for (auto& lane : b) for (auto& value : lane) value = static_cast<std::int8_t>(random());
    Buffer<std::array<std::int32_t, 4>> d(32);
    program.run("mma_s8", {}, Arguments(a, b, d));
    std::int64_t left[16][32], right[32][8];
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < 16; ++i) {
        const std::uint32_t row = lane / 4 + (i < 4 || (i >= 8 && i < 12) ? 0 : 8), column = lane % 4 * 4 + i % 4 + (i < 8 ? 0 : 16);
        left[row][column] = a[lane][i];
      }
      for (std::uint32_t i = 0; i < 8; ++i) right[lane % 4 * 4 + i % 4 + (i < 4 ? 0 : 16)][lane / 4] = b[lane][i];
    }
    constexpr std::int64_t kStart[] = {2147483000, 0, -5, 7};
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        std::int64_t want = kStart[i];
        for (int k = 0; k < 32; ++k) want += left[lane / 4 + i / 2 * 8][k] * right[k][lane % 4 * 2 + i % 2];
        CHECK(d[lane][i] == std::min<std::int64_t>(INT32_MAX, want));
      }
    }
  });
}

TEST_CASE("mma of f64") {
  everywhere(written_by_hand("matrices"), [](Program& program) {
    auto random = random_source(152);
    const auto a = random_values<double>(random, 32, -1, 1), b = random_values<double>(random, 32, -1, 1);
    Buffer<std::array<double, 2>> d(32);
    program.run("mma_f64", {}, Arguments(a, b, d));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t i = 0; i < 2; ++i) {
        double want = 0;
        for (std::uint32_t k = 0; k < 4; ++k) want = std::fma(a[lane / 4 * 4 + k], b[(lane % 4 * 2 + i) * 4 + k], want);
        CHECK(d[lane][i] == want);
      }
    }
  });
}

TEST_CASE("movmatrix and stmatrix transpose") {
  everywhere(written_by_hand("matrices"), [](Program& program) {
    auto random = random_source(153);
    Buffer<std::uint16_t> in(128), out(128);
    for (std::uint16_t& value : in) value = static_cast<std::uint16_t>(random());
    program.run("transpose_two", {}, Arguments(in, out));
    for (int matrix = 0; matrix < 2; ++matrix) {
      for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) CHECK(out[matrix * 64 + row * 8 + column] == in[matrix * 64 + column * 8 + row]);
      }
    }
  });
}

}  // namespace
