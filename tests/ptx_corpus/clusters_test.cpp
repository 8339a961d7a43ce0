// Blocks of a cluster that work together over their shared memory, for clusters of several sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "corpus.hpp"

namespace {

using namespace bascule::test::corpus;

Shape clusters_of(std::uint64_t blocks, std::uint64_t clusters, std::uint64_t threads) {
  Shape shape;
  shape.grid = {blocks * clusters, 1, 1};
  shape.block = {threads, 1, 1};
  shape.cluster = {blocks, 1, 1};
  return shape;
}

TEST_CASE("clusters sum their parts over the shared memory of one block") {
  auto random = random_source(71);
  for (const std::uint64_t blocks : {1, 2, 5, 8}) {
    constexpr std::uint32_t kClusters = 3, kCount = 777;
    const Buffer<std::uint32_t> in = random_words(random, std::size_t{kClusters} * kCount);
    CAPTURE(blocks);
    everywhere(written_by_hand("clusters"), [&](Program& program) {
      Buffer<std::uint32_t> out(kClusters);
      program.run("reduce", clusters_of(blocks, kClusters, 96), Arguments(in, out, kCount));
      for (std::uint32_t c = 0; c < kClusters; ++c) {
        CHECK(out[c] == std::accumulate(in.begin() + c * kCount, in.begin() + (c + 1) * kCount, 0u));
      }
    });
  }
}

TEST_CASE("a histogram whose bins are spread over a cluster") {
  auto random = random_source(72);
  for (const std::uint64_t blocks : {2, 3, 16}) {
    constexpr std::uint32_t kCount = 1000;
    const Buffer<std::uint32_t> in = random_words(random, kCount);
    std::array<std::uint32_t, 64> want{};
    for (const std::uint32_t value : in) ++want[value % 64];
    CAPTURE(blocks);
    everywhere(written_by_hand("clusters"), [&](Program& program) {
      Buffer<std::uint32_t> bins(64);
      program.run("histogram", clusters_of(blocks, 1, 40), Arguments(in, bins, kCount));
      for (std::size_t bin = 0; bin < want.size(); ++bin) CHECK(bins[bin] == want[bin]);
    });
  }
}

TEST_CASE("a grid that is not made of whole clusters is refused") {
  everywhere(written_by_hand("clusters"), [](Program& program) {
    Buffer<std::uint32_t> in(64), out(64);
    Shape shape = clusters_of(2, 2, 32);
    shape.grid[0] = 5;
    CHECK(program.fault("reduce", shape, Arguments(in, out, std::uint32_t{1})).find("whole clusters") != std::string::npos);
  });
}

}  // namespace
