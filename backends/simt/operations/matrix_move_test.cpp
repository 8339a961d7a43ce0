// ldmatrix, stmatrix and movmatrix against loops over single elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>

#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"

namespace {

using namespace bascule::simt;
using namespace bascule::simt::test;
using ptx::Modifier;
using ptx::Operation;
using ptx::Space;
using ptx::Type;

std::vector<Level> move_levels() {
  return levels(x86_64_v2::select_matrix_move, x86_64_v3::select_matrix_move, x86_64_v4::select_matrix_move);
}

constexpr unsigned kWarps = 2;

Modifier count_name(unsigned matrices) { return matrices == 1 ? Modifier::x1 : matrices == 2 ? Modifier::x2 : Modifier::x4; }

enum class Addressing { shared_narrow, shared_wide, generic };

/// Rows of matrices scattered over shared memory, and their addresses in a slot.
struct Scattered {
  Slot address;
  std::vector<unsigned> row_offset;  // by warp and lane
};

constexpr std::uint32_t kRank = 3;

Scattered scatter(Machine& machine, Addressing addressing, std::int64_t displacement, std::mt19937_64& random) {
  std::vector<unsigned> places(kWarps * kLanes);
  for (unsigned i = 0; i < places.size(); ++i) places[i] = 64 + 16 * i;
  std::shuffle(places.begin(), places.end(), random);
  machine.block.cluster_rank = kRank;
  Scattered result{machine.slot(addressing == Addressing::shared_narrow ? 4 : 8), places};
  for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
    std::uint64_t address = places[thread] + (std::uint64_t{kRank} << 24);
    if (addressing == Addressing::generic) address = reinterpret_cast<std::uintptr_t>(machine.block.shared) + places[thread];
    address -= static_cast<std::uint64_t>(displacement);
    if (addressing == Addressing::shared_narrow) {
      machine.lanes<std::uint32_t>(result.address, thread / 32)[thread % 32] = static_cast<std::uint32_t>(address);
    } else {
      machine.lanes<std::uint64_t>(result.address, thread / 32)[thread % 32] = address;
    }
  }
  return result;
}

std::uint16_t half_at(const std::byte* memory, std::size_t offset) {
  std::uint16_t value;
  std::memcpy(&value, memory + offset, sizeof value);
  return value;
}

/// The two elements that lane 4 g + t holds: of row g, or with .trans of column g.
struct Element {
  unsigned row, column;
};
Element element_of(unsigned lane, unsigned i, bool transposed) {
  const unsigned g = lane / 4, at = lane % 4 * 2 + i;
  return transposed ? Element{at, g} : Element{g, at};
}

void check_load(const Level& level, Addressing addressing, unsigned matrices, bool transposed, std::mt19937_64& random) {
  CAPTURE(matrices);
  CAPTURE(transposed);
  Machine machine(kWarps);
  for (unsigned i = 0; i < 4096; ++i) machine.block.shared[i] = static_cast<std::byte>(random());
  const std::int64_t displacement = random() % 2 == 0 ? 0 : -48;
  const Scattered rows = scatter(machine, addressing, displacement, random);
  std::vector<Slot> d;
  // The first destination may be where the address is.
  for (unsigned i = 0; i < matrices; ++i) {
    d.push_back(i == 0 && addressing == Addressing::shared_narrow && random() % 2 == 0 ? rows.address : machine.slot(4));
  }
  Case test(Operation::ldmatrix, {Modifier::m8n8, count_name(matrices)}, {Type::b16});
  if (transposed) test.instruction.modifiers[test.instruction.modifier_count++] = Modifier::trans;
  if (addressing != Addressing::generic) test.in(Space::shared);
  test.vector(d).address(rows.address, addressing != Addressing::shared_narrow, displacement);
  REQUIRE(test.run(level, machine));
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t word = machine.lanes<std::uint32_t>(d[matrix], warp)[lane];
        for (unsigned i = 0; i < 2; ++i) {
          const Element element = element_of(lane, i, transposed);
          const unsigned row = rows.row_offset[warp * kLanes + matrix * 8 + element.row];
          CHECK((word >> (16 * i) & 0xffffu) == half_at(machine.block.shared, row + element.column * 2));
        }
      }
    }
  }
}

void check_store(const Level& level, Addressing addressing, unsigned matrices, bool transposed, std::mt19937_64& random) {
  CAPTURE(matrices);
  CAPTURE(transposed);
  Machine machine(kWarps);
  std::memset(machine.block.shared, 0x77, 4096);
  std::vector<std::byte> expected(machine.block.shared, machine.block.shared + 4096);
  const Scattered rows = scatter(machine, addressing, 32, random);
  std::vector<Slot> b;
  for (unsigned i = 0; i < matrices; ++i) b.push_back(machine.slot(4));
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto word = static_cast<std::uint32_t>(random());
        machine.lanes<std::uint32_t>(b[matrix], warp)[lane] = word;
        for (unsigned i = 0; i < 2; ++i) {
          const Element element = element_of(lane, i, transposed);
          const unsigned row = rows.row_offset[warp * kLanes + matrix * 8 + element.row];
          const auto half = static_cast<std::uint16_t>(word >> (16 * i));
          std::memcpy(expected.data() + row + element.column * 2, &half, sizeof half);
        }
      }
    }
  }
  Case test(Operation::stmatrix, {Modifier::m8n8, count_name(matrices)}, {Type::b16});
  if (transposed) test.instruction.modifiers[test.instruction.modifier_count++] = Modifier::trans;
  if (addressing != Addressing::generic) test.in(Space::shared_cta);
  test.address(rows.address, addressing != Addressing::shared_narrow, 32).vector(b);
  REQUIRE(test.run(level, machine));
  CHECK(std::memcmp(machine.block.shared, expected.data(), expected.size()) == 0);
}

TEST_CASE("ldmatrix and stmatrix move 1, 2 or 4 matrices whose rows lie anywhere in shared memory") {
  for (const Level& level : move_levels()) {
    CAPTURE(level.name);
    auto random = random_source(20);
    for (const Addressing addressing : {Addressing::shared_narrow, Addressing::shared_wide, Addressing::generic}) {
      for (const unsigned matrices : {1u, 2u, 4u}) {
        for (const bool transposed : {false, true}) {
          check_load(level, addressing, matrices, transposed, random);
          check_store(level, addressing, matrices, transposed, random);
        }
      }
    }
  }
}

TEST_CASE("a row that is not aligned to 16 bytes or lies outside of shared memory ends the launch") {
  for (const Level& level : move_levels()) {
    CAPTURE(level.name);
    auto random = random_source(21);
    for (const std::uint32_t bad : {(kRank << 24) + 8u, (kRank << 24) + 65536u, (kRank + 1) << 24}) {
      Machine machine(kWarps);
      const Scattered rows = scatter(machine, Addressing::shared_narrow, 0, random);
      machine.lanes<std::uint32_t>(rows.address, 1)[13] = bad;
      Case four(Operation::ldmatrix, {Modifier::m8n8, Modifier::x4}, {Type::b16});
      four.in(Space::shared).vector({machine.slot(4), machine.slot(4), machine.slot(4), machine.slot(4)});
      four.address(rows.address, false, 0);
      CHECK_FALSE(four.run(level, machine));
      CHECK(machine.context.event == Event::fault);
      // Lane 13 names no row of a single matrix.
      machine.context.event = Event::none;
      Case one(Operation::ldmatrix, {Modifier::m8n8, Modifier::x1}, {Type::b16});
      one.in(Space::shared).vector({machine.slot(4)}).address(rows.address, false, 0);
      CHECK(one.run(level, machine));
    }
  }
}

TEST_CASE("movmatrix transposes") {
  for (const Level& level : move_levels()) {
    CAPTURE(level.name);
    auto random = random_source(22);
    Machine machine(kWarps);
    const Slot a = machine.slot(4), d = machine.slot(4);
    for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
      machine.lanes<std::uint32_t>(a, thread / 32)[thread % 32] = static_cast<std::uint32_t>(random());
    }
    Case test(Operation::movmatrix, {Modifier::m8n8, Modifier::trans}, {Type::b16});
    test.operand(d).operand(a);
    REQUIRE(test.run(level, machine));
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      const std::byte* const before = reinterpret_cast<const std::byte*>(machine.lanes<std::uint32_t>(a, warp));
      const std::byte* const after = reinterpret_cast<const std::byte*>(machine.lanes<std::uint32_t>(d, warp));
      for (unsigned row = 0; row < 8; ++row) {
        for (unsigned column = 0; column < 8; ++column) {
          CHECK(half_at(after, row * 16 + column * 2) == half_at(before, column * 16 + row * 2));
        }
      }
    }
  }
}

}  // namespace
