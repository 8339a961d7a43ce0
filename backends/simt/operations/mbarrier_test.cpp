// The mbarrier object's counts and phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/mbarrier.hpp"

#include <doctest/doctest.h>

#include <random>

#include "tests/support/seed.hpp"

namespace bascule::simt {
namespace {

Mbarrier of(std::uint32_t count) {
  Mbarrier barrier;
  barrier.expected = barrier.pending = count;
  barrier.valid = true;
  return barrier;
}

TEST_CASE("an mbarrier's 64 bits hold all its counts, and zeroed memory holds no mbarrier") {
  std::mt19937_64 random(bascule::test::seed());
  for (int i = 0; i < 1000; ++i) {
    Mbarrier barrier = of(static_cast<std::uint32_t>(random() % Mbarrier::kMaxCount) + 1);
    barrier.pending = static_cast<std::uint32_t>(random() % (barrier.expected + 1));
    barrier.tx = static_cast<std::int32_t>(random() % (2 * Mbarrier::kMaxCount + 1)) - static_cast<std::int32_t>(Mbarrier::kMaxCount);
    barrier.phase = static_cast<std::uint32_t>(random() % 4);
    const Mbarrier same = Mbarrier::unpack(barrier.pack());
    CHECK(same.expected == barrier.expected);
    CHECK(same.pending == barrier.pending);
    CHECK(same.tx == barrier.tx);
    CHECK(same.phase == barrier.phase);
    CHECK(same.valid);
  }
  CHECK(!Mbarrier::unpack(0).valid);
}

TEST_CASE("a phase ends when its arrivals and bytes are there, in whatever order, and the next one starts with all arrivals") {
  Mbarrier barrier = of(2);
  const std::uint64_t state = barrier.pack();
  CHECK(barrier.arrive(1) == nullptr);
  CHECK(!barrier.has_left(state));
  CHECK(!barrier.has_left_parity(0));
  CHECK(barrier.add_tx(64) == nullptr);
  CHECK(barrier.arrive(1) == nullptr);
  CHECK(barrier.phase == 0);  // bytes are missing
  CHECK(barrier.add_tx(-64) == nullptr);
  barrier.advance();
  CHECK(barrier.phase == 1);
  CHECK(barrier.pending == 2);
  CHECK(barrier.has_left(state));
  CHECK(barrier.has_left_parity(0));
  CHECK(!barrier.has_left_parity(1));
  // completions may overtake what announces them
  CHECK(barrier.add_tx(-16) == nullptr);
  CHECK(barrier.arrive(2) == nullptr);
  CHECK(barrier.phase == 1);
  CHECK(barrier.add_tx(16) == nullptr);
  barrier.advance();
  CHECK(barrier.phase == 2);
}

TEST_CASE("who drops out is not waited for in later phases") {
  Mbarrier barrier = of(3);
  CHECK(barrier.drop(1) == nullptr);
  CHECK(barrier.arrive(2) == nullptr);
  CHECK(barrier.phase == 1);
  CHECK(barrier.pending == 2);
}

TEST_CASE("counts out of range change nothing") {
  Mbarrier barrier = of(2);
  CHECK(barrier.arrive(0) != nullptr);
  CHECK(barrier.arrive(3) != nullptr);
  CHECK(barrier.drop(3) != nullptr);
  CHECK(barrier.add_tx(1 << 20) != nullptr);
  CHECK(barrier.add_tx(-(1 << 20)) != nullptr);
  CHECK(barrier.pending == 2);
  CHECK(barrier.expected == 2);
  CHECK(barrier.tx == 0);
}

TEST_CASE("an announced arrival counts like any other, and is dropped when the object is gone") {
  alignas(8) std::byte memory[8];
  of(1).store(memory);
  Mbarrier::arrive_for_copies(memory);
  CHECK(Mbarrier::load(memory).phase == 1);
  Mbarrier{}.store(memory);
  Mbarrier::arrive_for_copies(memory);
  CHECK(!Mbarrier::load(memory).valid);
}

}  // namespace
}  // namespace bascule::simt
