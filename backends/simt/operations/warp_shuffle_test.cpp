// shfl, against the ISA's table of it, lane by lane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "backends/simt/operations/warp_fixture.hpp"

namespace {

using namespace bascule::simt;
using namespace bascule::simt::test;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

struct Shuffled {
  int source;
  bool in_range;
};

/// From the ISA's table of shfl.sync.
Shuffled shuffled(Modifier mode, int lane, std::uint32_t b, std::uint32_t c) {
  const int bval = static_cast<int>(b % 32), cval = static_cast<int>(c % 32), segmask = static_cast<int>(c / 256 % 32);
  const int max_lane = (lane & segmask) | (cval & (~segmask & 31));
  const int min_lane = lane & segmask;
  int j = 0;
  bool in_range = false;
  if (mode == Modifier::up) j = lane - bval, in_range = j >= max_lane;
  if (mode == Modifier::down) j = lane + bval, in_range = j <= max_lane;
  if (mode == Modifier::bfly) j = lane ^ bval, in_range = j <= max_lane;
  if (mode == Modifier::idx) j = min_lane | (bval & (~segmask & 31)), in_range = j <= max_lane;
  return {in_range ? j : lane, in_range};
}

void check_shuffle(const Level& level, Machine& machine, Modifier mode, bool sync, bool constants, std::mt19937_64& random) {
  machine.reset();
  const Slot a = machine.slot(4), b = machine.slot(4), c = machine.slot(4), members = machine.slot(4);
  const bool in_place = random() % 2 == 0;
  const Slot d = in_place ? a : machine.slot(4);
  const Slot p = random() % 3 == 0 ? kNoSlot : machine.slot(0);
  fill<std::uint32_t>(machine, a, random);
  fill<std::uint32_t>(machine, d, random);
  fill<std::uint32_t>(machine, b, random, random() % 2 == 0 ? 7 : ~0u);
  fill<std::uint32_t>(machine, c, random, random() % 2 == 0 ? 0x1f1f : ~0u);
  const auto with = set_members(machine, members, random);
  const std::uint32_t constant_b = static_cast<std::uint32_t>(random() % 40), constant_c = random() % 2 == 0 ? 31 : 0x181f;
  const auto a_before = copy<std::uint32_t>(machine, a), d_before = copy<std::uint32_t>(machine, d);
  const auto b_lanes = copy<std::uint32_t>(machine, b), c_lanes = copy<std::uint32_t>(machine, c);

  Case test(sync ? Operation::shfl_sync : Operation::shfl, {mode}, {Type::b32});
  test.operand(d).operand(p).operand(a);
  test.operand(constants ? machine.constant(constant_b) : b).operand(constants ? machine.constant(constant_c) : c);
  if (sync) test.operand(members);
  REQUIRE(test.run(level, machine));
  for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
    CAPTURE(thread);
    const std::uint32_t result = copy<std::uint32_t>(machine, d)[thread];
    if (!active(machine, thread)) {
      CHECK(result == d_before[thread]);
      continue;
    }
    const int lane = static_cast<int>(thread % 32);
    const Shuffled want = shuffled(mode, lane, constants ? constant_b : b_lanes[thread], constants ? constant_c : c_lanes[thread]);
    const std::uint32_t readable = sync ? with[thread] : machine.context.active[thread / 32];
    const int source = (readable >> want.source & 1u) != 0 ? want.source : lane;
    CHECK(result == a_before[thread - thread % 32 + static_cast<unsigned>(source)]);
    if (p != kNoSlot) CHECK(predicate(machine, p, thread) == want.in_range);
  }
}

TEST_CASE("shfl reads the lane that mode, b and c name, or its own where that is out of range or does not take part") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(1);
    Machine machine(kWarps);
    for (const Modifier mode : {Modifier::up, Modifier::down, Modifier::bfly, Modifier::idx}) {
      for (int round = 0; round < 60; ++round) check_shuffle(level, machine, mode, round % 3 != 0, round % 4 == 0, random);
    }
  }
}

TEST_CASE("shfl keeps to the segment and clamp of trap 18") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    Machine machine(1);
    const Slot a = machine.slot(4), d = machine.slot(4), p = machine.slot(0);
    for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint32_t>(a, 0)[lane] = 100 + lane;
    const auto run = [&](Modifier mode, std::uint32_t b, std::uint32_t c) {
      Case test(Operation::shfl_sync, {mode}, {Type::b32});
      test.operand(d).operand(p).operand(a).operand(machine.constant(b)).operand(machine.constant(c));
      test.operand(machine.constant(kAllLanes));
      REQUIRE(test.run(level, machine));
      return machine.lanes<std::uint32_t>(d, 0);
    };
    // Width 8 down by 3: c = ((32 - 8) << 8) | 31.
    const std::uint32_t* lanes = run(Modifier::down, 3, 0x181f);
    CHECK(lanes[0] == 103);
    CHECK(lanes[4] == 107);
    CHECK(lanes[5] == 105);
    CHECK(lanes[24] == 127);
    CHECK(lanes[31] == 131);
    CHECK(*machine.lanes<std::uint32_t>(p, 0) == 0x1f1f1f1fu);
    // Width 8 up by 3: the clamp is 0.
    machine.reset();
    lanes = run(Modifier::up, 3, 0x1800);
    CHECK(lanes[2] == 102);
    CHECK(lanes[3] == 100);
    CHECK(lanes[11] == 108);
    CHECK(*machine.lanes<std::uint32_t>(p, 0) == 0xf8f8f8f8u);
    // An out-of-range b still names a lane: bits 4..0 count.
    lanes = run(Modifier::idx, 33, 0x1f);
    CHECK(lanes[7] == 101);
  }
}

}  // namespace
