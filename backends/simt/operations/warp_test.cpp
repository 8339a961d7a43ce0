// Operations by which the lanes of a warp read each other, against loops over single lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "backends/simt/execute/rendezvous.hpp"
#include "backends/simt/operations/warp_fixture.hpp"

namespace {

using namespace bascule::simt;
using namespace bascule::simt::test;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

TEST_CASE("vote counts the members that have not exited, and ballot is 0 for all others") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(2);
    Machine machine(kWarps);
    for (int round = 0; round < 200; ++round) {
      machine.reset();
      const Slot a = machine.slot(0), members = machine.slot(4);
      const auto with = set_members(machine, members, random);
      std::vector<std::uint32_t> said;
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        const auto bits = static_cast<std::uint32_t>(random());
        const std::uint32_t pattern = round % 4 == 0 ? kAllLanes : round % 4 == 1 ? 0 : bits;
        *machine.lanes<std::uint32_t>(a, warp) = pattern;
      }
      const bool sync = round % 3 != 0, negated = round % 5 == 0;
      for (const Modifier mode : {Modifier::all, Modifier::any, Modifier::uni, Modifier::ballot}) {
        const bool ballot = mode == Modifier::ballot;
        const Slot d = machine.slot(ballot ? 4 : 0);
        for (unsigned warp = 0; warp < kWarps; ++warp) std::memset(machine.lanes<char>(d, warp), 0x5a, ballot ? 128 : 4);
        Case test(sync ? Operation::vote_sync : Operation::vote, {mode}, {ballot ? Type::b32 : Type::pred});
        test.operand(d).operand(a, ptx::Operand::Kind::reg, negated);
        if (sync) test.operand(members);
        REQUIRE(test.run(level, machine));
        for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
          CAPTURE(thread);
          if (!active(machine, thread)) {
            if (ballot) CHECK(machine.lanes<std::uint32_t>(d, thread / 32)[thread % 32] == 0x5a5a5a5au);
            if (!ballot) CHECK(predicate(machine, d, thread) == (0x5a5a5a5au >> thread % 32 & 1u));
            continue;
          }
          const std::uint32_t voters = sync ? with[thread] : machine.context.active[thread / 32];
          std::uint32_t yes = 0, count = 0;
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((voters >> lane & 1u) == 0) continue;
            ++count;
            if (predicate(machine, a, thread / 32 * 32 + lane) != negated) yes |= 1u << lane;
          }
          const unsigned agreeing = static_cast<unsigned>(__builtin_popcount(yes));
          if (mode == Modifier::all) CHECK(predicate(machine, d, thread) == (agreeing == count));
          if (mode == Modifier::any) CHECK(predicate(machine, d, thread) == (agreeing > 0));
          if (mode == Modifier::uni) CHECK(predicate(machine, d, thread) == (agreeing == count || agreeing == 0));
          if (ballot) CHECK(machine.lanes<std::uint32_t>(d, thread / 32)[thread % 32] == yes);
        }
      }
    }
  }
}

template <class T>
void check_match(const Level& level, bool all, std::mt19937_64& random) {
  Machine machine(kWarps);
  for (int round = 0; round < 60; ++round) {
    machine.reset();
    const Slot a = machine.slot(sizeof(T)), members = machine.slot(4);
    const Slot d = sizeof(T) == 4 && round % 2 == 0 ? a : machine.slot(4);
    const Slot p = all && round % 3 != 0 ? machine.slot(0) : kNoSlot;
    // Values that differ in the upper half alone, and few of them.
    fill<T>(machine, a, random, round % 4 == 0 ? 0 : (std::uint64_t{1} << (sizeof(T) * 8 - 2)) | 2);
    const auto with = set_members(machine, members, random);
    const auto values = copy<T>(machine, a);
    const auto before = copy<std::uint32_t>(machine, d);
    Case test(Operation::match_sync, {all ? Modifier::all : Modifier::any}, {sizeof(T) == 8 ? Type::b64 : Type::b32});
    test.operand(d);
    if (all) test.operand(p);
    test.operand(a).operand(members);
    REQUIRE(test.run(level, machine));
    const auto results = copy<std::uint32_t>(machine, d);
    for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
      CAPTURE(thread);
      if (!active(machine, thread)) {
        CHECK(results[thread] == before[thread]);
        continue;
      }
      std::uint32_t same = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((with[thread] >> lane & 1u) != 0 && values[thread / 32 * 32 + lane] == values[thread]) same |= 1u << lane;
      }
      if (!all) CHECK(results[thread] == same);
      if (all) CHECK(results[thread] == (same == with[thread] ? same : 0));
      if (p != kNoSlot) CHECK(predicate(machine, p, thread) == (same == with[thread]));
    }
  }
}

TEST_CASE("match finds the members with the same value, of 32 and 64 bits") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(3);
    for (const bool all : {false, true}) {
      check_match<std::uint32_t>(level, all, random);
      check_match<std::uint64_t>(level, all, random);
    }
  }
}

/// One reduction, in a loop over lanes.
using Reduction = std::uint32_t (*)(std::uint32_t, std::uint32_t);
struct IntegerCase {
  Modifier operation;
  Type type;
  Reduction reduce;
};
const IntegerCase kIntegerCases[] = {
    {Modifier::add, Type::u32, [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {Modifier::add, Type::s32, [](std::uint32_t a, std::uint32_t b) { return a + b; }},
    {Modifier::min, Type::u32, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }},
    {Modifier::max, Type::u32, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }},
    {Modifier::min, Type::s32,
     [](std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b; }},
    {Modifier::max, Type::s32,
     [](std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b; }},
    {Modifier::and_, Type::b32, [](std::uint32_t a, std::uint32_t b) { return a & b; }},
    {Modifier::or_, Type::b32, [](std::uint32_t a, std::uint32_t b) { return a | b; }},
    {Modifier::xor_, Type::b32, [](std::uint32_t a, std::uint32_t b) { return a ^ b; }},
};

/// Runs redux and hands (thread, its members, all values, its result) to `check`.
template <class Check>
void run_reduction(const Level& level, Machine& machine, Case test, std::mt19937_64& random, std::vector<std::uint32_t> pool,
                   Check check) {
  machine.reset();
  const Slot a = machine.slot(4), members = machine.slot(4), d = random() % 2 == 0 ? a : machine.slot(4);
  fill<std::uint32_t>(machine, a, random);
  for (unsigned thread = 0; !pool.empty() && thread < kWarps * kLanes; ++thread) {
    machine.lanes<std::uint32_t>(a, thread / 32)[thread % 32] = pool[random() % pool.size()];
  }
  const auto with = set_members(machine, members, random);
  const auto values = copy<std::uint32_t>(machine, a), before = copy<std::uint32_t>(machine, d);
  test.operand(d).operand(a).operand(members);
  REQUIRE(test.run(level, machine));
  const auto results = copy<std::uint32_t>(machine, d);
  for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
    CAPTURE(thread);
    if (!active(machine, thread)) {
      CHECK(results[thread] == before[thread]);
    } else {
      check(thread, with[thread], values, results[thread]);
    }
  }
}

TEST_CASE("redux reduces integers over the members") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(4);
    Machine machine(kWarps);
    for (const IntegerCase& integer : kIntegerCases) {
      for (int round = 0; round < 40; ++round) {
        run_reduction(level, machine, Case(Operation::redux_sync, {integer.operation}, {integer.type}), random, {},
                      [&](unsigned thread, std::uint32_t with, const std::vector<std::uint32_t>& values, std::uint32_t got) {
                        std::optional<std::uint32_t> want;
                        for (unsigned lane = 0; lane < kLanes; ++lane) {
                          if ((with >> lane & 1u) == 0) continue;
                          const std::uint32_t value = values[thread / 32 * 32 + lane];
                          want = want ? integer.reduce(*want, value) : value;
                        }
                        CHECK(got == *want);
                      });
      }
    }
  }
}

TEST_CASE("redux of f32 drops NaN or gives it, puts +0 above -0, and may take absolute values") {
  const float inf = INFINITY;
  const std::vector<float> numbers{0.0f, -0.0f, 1.0f, -1.0f, 2.5f, -2.5f, inf, -inf, 1e-45f, -1e-45f, NAN};
  std::vector<std::uint32_t> pool{0xffc01234u, 0x7f800001u};
  for (const float number : numbers) {
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    pool.push_back(bits);
  }
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(5);
    Machine machine(kWarps);
    for (int round = 0; round < 400; ++round) {
      const bool largest = (round & 1) != 0, absolute = (round & 2) != 0, propagate = (round & 4) != 0;
      Case test(Operation::redux_sync, {largest ? Modifier::max : Modifier::min}, {Type::f32});
      if (absolute) test.instruction.modifiers[test.instruction.modifier_count++] = Modifier::abs;
      if (propagate) test.instruction.modifiers[test.instruction.modifier_count++] = Modifier::NaN;
      // Few different values, so that all-NaN and all-zero sets occur.
      std::vector<std::uint32_t> few;
      for (int i = 0; i < 3; ++i) few.push_back(pool[random() % pool.size()]);
      run_reduction(level, machine, std::move(test), random, round % 3 == 0 ? pool : few,
                    [&](unsigned thread, std::uint32_t with, const std::vector<std::uint32_t>& values, std::uint32_t got) {
                      bool nan = false, any = false;
                      float best = 0;
                      for (unsigned lane = 0; lane < kLanes; ++lane) {
                        if ((with >> lane & 1u) == 0) continue;
                        float value;
                        std::memcpy(&value, &values[thread / 32 * 32 + lane], sizeof value);
                        if (std::isnan(value)) {
                          nan = true;
                          continue;
                        }
                        if (absolute) value = std::fabs(value);
                        const bool below = value < best || (value == best && std::signbit(value) && !std::signbit(best));
                        if (!any || (largest ? !below && !(value == best && std::signbit(value) == std::signbit(best)) : below)) {
                          best = value;
                        }
                        any = true;
                      }
                      std::uint32_t want = 0x7fffffffu;
                      if (any && !(nan && propagate)) std::memcpy(&want, &best, sizeof want);
                      CHECK(got == want);
                    });
    }
  }
}

TEST_CASE("activemask gives the lanes that run it, and those alone get it") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    Machine machine(2);
    const Slot d = machine.slot(4), guard = machine.slot(0);
    for (unsigned warp = 0; warp < 2; ++warp) std::memset(machine.lanes<char>(d, warp), 0, 128);
    machine.context.active = {0x00ffff00u, 0xffffffffu};
    *machine.lanes<std::uint32_t>(guard, 0) = 0x0000ffffu;
    *machine.lanes<std::uint32_t>(guard, 1) = 0x12345678u;
    Case test(Operation::activemask, {}, {Type::b32});
    test.operand(d);
    test.guard = guard;
    REQUIRE(test.run(level, machine));
    const std::uint32_t want[] = {0x0000ff00u, 0x12345678u};
    for (unsigned thread = 0; thread < 64; ++thread) {
      const bool ran = (want[thread / 32] >> thread % 32 & 1u) != 0;
      CHECK(machine.lanes<std::uint32_t>(d, thread / 32)[thread % 32] == (ran ? want[thread / 32] : 0));
    }
  }
}

TEST_CASE("elect chooses one member, the same one for the same members") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    auto random = random_source(6);
    Machine machine(kWarps);
    for (int round = 0; round < 50; ++round) {
      machine.reset();
      const Slot d = round % 3 == 0 ? kNoSlot : machine.slot(4), p = machine.slot(0), members = machine.slot(4);
      const auto with = set_members(machine, members, random);
      Case test(Operation::elect_sync, {}, {});
      test.operand(d, d == kNoSlot ? ptx::Operand::Kind::sink : ptx::Operand::Kind::reg).operand(p).operand(members);
      REQUIRE(test.run(level, machine));
      for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
        if (!active(machine, thread)) continue;
        const auto leader = static_cast<unsigned>(__builtin_ctz(with[thread]));
        CHECK(predicate(machine, p, thread) == (leader == thread % 32));
        if (d != kNoSlot) CHECK(machine.lanes<std::uint32_t>(d, thread / 32)[thread % 32] == leader);
      }
    }
  }
}

TEST_CASE("lanes that met from different places read each other's values from the exchange") {
  for (const Level& level : warp_levels()) {
    CAPTURE(level.name);
    Machine machine(2);
    machine.context.active = {0, 0x0000000fu};  // the others of the meeting stand elsewhere
    Exchange exchange;
    exchange.members = 0x000000ffu;
    for (unsigned lane = 0; lane < 8; ++lane) exchange.values[lane] = lane + 1;
    machine.group.exchange = &exchange;
    const Slot a = machine.slot(4), d = machine.slot(4);
    std::memset(machine.lanes<char>(a, 1), 0xee, 128);
    Case sum(Operation::redux_sync, {Modifier::add}, {Type::u32});
    sum.operand(d).operand(a).operand(machine.constant(0xffu));
    REQUIRE(sum.run(level, machine));
    CHECK(machine.lanes<std::uint32_t>(d, 1)[3] == 36);
    Case shuffle(Operation::shfl_sync, {Modifier::bfly}, {Type::b32});
    shuffle.operand(d).operand(kNoSlot).operand(a).operand(machine.constant(4)).operand(machine.constant(31));
    shuffle.operand(machine.constant(0xffu));
    REQUIRE(shuffle.run(level, machine));
    CHECK(machine.lanes<std::uint32_t>(d, 1)[0] == 5);
    CHECK(machine.lanes<std::uint32_t>(d, 1)[3] == 8);
  }
}

}  // namespace
