// The device's heap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/device_heap.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace bascule::simt {
namespace {

TEST_CASE("blocks do not overlap, are aligned, and all memory comes back") {
  constexpr std::uint64_t kBytes = 1 << 16;
  DeviceHeap heap(kBytes);
  std::mt19937_64 random(bascule::test::seed());
  for (int round = 0; round < 20; ++round) {
    std::vector<DeviceHeap::Block> live;
    while (true) {
      const std::uint64_t bytes = 1 + random() % 3000;
      const std::uint64_t address = heap.allocate(bytes);
      if (address == 0) break;
      CHECK(address % DeviceHeap::kAlignment == 0);
      for (const auto& other : live) CHECK((address >= other.address + other.bytes || address + bytes <= other.address));
      live.push_back({address, bytes, false});
      if (random() % 3 == 0) {
        const std::size_t gone = random() % live.size();
        CHECK(heap.release(live[gone].address) == DeviceHeap::Freed::freed);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
      }
    }
    for (const auto& block : live) CHECK(heap.release(block.address) == DeviceHeap::Freed::freed);
    const std::uint64_t all = heap.allocate(kBytes - DeviceHeap::kRedZone);
    CHECK(all != 0);
    CHECK(heap.release(all) == DeviceHeap::Freed::freed);
  }
}

TEST_CASE("a second free, and one of what is no block, are told apart; too much gives null") {
  DeviceHeap heap(4096);
  const std::uint64_t block = heap.allocate(100);
  REQUIRE(block != 0);
  CHECK(heap.contains(block));
  CHECK(heap.release(block + 4) == DeviceHeap::Freed::not_a_block);
  CHECK(heap.release(block) == DeviceHeap::Freed::freed);
  CHECK(heap.release(block) == DeviceHeap::Freed::already_free);
  CHECK(heap.nearest(block + 7)->freed);
  CHECK(heap.allocate(5000) == 0);
  CHECK(heap.allocate(0) == 0);
}

}  // namespace
}  // namespace bascule::simt
