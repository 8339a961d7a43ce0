// ld, st, cvta, isspacep and their kin, each at every x86-64 level, against bytes moved one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <span>

#include "backends/simt/execute/services.hpp"
#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::test {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Space;
using ptx::Type;

const std::vector<Level>& memory_levels() {
  static const std::vector<Level> result =
      levels(x86_64_v2::select_memory, x86_64_v3::select_memory, x86_64_v4::select_memory);
  return result;
}

/// Registers of the fixture's function by width: 4, 8, then 1, 2 and 16 bytes.
void add_registers(Case& c) {
  c.function.registers.push_back({"r8", Type::b8, 1, {}});
  c.function.registers.push_back({"r16", Type::b16, 1, {}});
  c.function.registers.push_back({"r128", Type::b128, 1, {}});
}
std::uint32_t register_of(unsigned bytes) { return bytes == 4 ? 0 : bytes == 8 ? 1 : bytes == 1 ? 2 : bytes == 2 ? 3 : 4; }

struct Services : LaunchServices {
  void print(std::string_view) override {}
  void keep(Finding) override {}
};

class MemoryMachine : public Machine {
 public:
  MemoryMachine() : Machine(2, 65536), local_(std::size_t{2} * kLanes * 256), global(1 << 11) {
    block.services = &services;
    group.local = local_.data();
    group.local_bytes = 256;
  }
  Services services;

 private:
  std::vector<std::byte> local_;

 public:
  std::vector<Line> global;
};

struct Shape {
  Type type;
  unsigned register_bytes;
  unsigned vector;
};

Case access(Operation operation, const Shape& shape, Space space, const std::vector<Slot>& values, Slot address, bool wide,
            std::int64_t offset) {
  Case c(operation, {}, {shape.type});
  add_registers(c);
  if (space != Space::generic) c.in(space);
  c.instruction.vector = static_cast<std::uint8_t>(shape.vector);
  const auto value = [&] {
    if (shape.vector == 1) {
      c.operand(values[0]);
      c.function.operands.back().index = register_of(shape.register_bytes);
      return;
    }
    c.vector(values);
    for (unsigned i = 0; i < shape.vector; ++i) {
      ptx::Operand element;
      element.kind = values[i] == kNoSlot ? ptx::Operand::Kind::sink : ptx::Operand::Kind::reg;
      element.index = register_of(shape.register_bytes);
      c.function.elements.push_back(element);
    }
  };
  if (operation != Operation::st) value();
  c.address(address, wide, offset);
  if (operation == Operation::st) value();
  return c;
}

std::uint64_t extended(std::uint64_t value, unsigned bytes, bool is_signed) {
  if (bytes == 8) return value;
  const std::uint64_t mask = (std::uint64_t{1} << (8 * bytes)) - 1;
  value &= mask;
  if (is_signed && (value >> (8 * bytes - 1)) != 0) value |= ~mask;
  return value;
}

const Type kTypes[] = {Type::b8,  Type::u8,  Type::s8,  Type::b16, Type::u16, Type::s16, Type::b32, Type::u32,
                       Type::s32, Type::f32, Type::b64, Type::u64, Type::s64, Type::f64};

std::vector<Shape> shapes() {
  std::vector<Shape> result;
  for (const Type type : kTypes) {
    for (const unsigned width : {1u, 2u, 4u, 8u}) {
      if (width * 8 < bits_of(type)) continue;
      for (const unsigned vector : {1u, 2u, 4u, 8u}) {
        if (vector == 8 && bits_of(type) != 32) continue;
        result.push_back({type, width, vector});
      }
    }
  }
  return result;
}

/// How the lanes' addresses lie: side by side, all the same, or anywhere; with all lanes or some.
enum class Addresses { contiguous, uniform, scattered };

struct Round {
  Addresses pattern;
  std::uint32_t mask;
};
const Round kRounds[] = {{Addresses::contiguous, kAllLanes}, {Addresses::uniform, kAllLanes}, {Addresses::scattered, kAllLanes},
                         {Addresses::contiguous, 0x0f0ff001u}, {Addresses::scattered, 0x80000000u}, {Addresses::uniform, 0u}};

class Sweep {
 public:
  Sweep(Space space, bool wide) : space_(space), wide_(wide) {}

  void run(const Level& level, const Shape& shape, const Round& round) {
    machine_.reset();
    const unsigned bytes = bits_of(shape.type) / 8;
    const unsigned total = bytes * shape.vector;
    const Slot base = machine_.slot(wide_ ? 8 : 4);
    std::vector<Slot> values;
    for (unsigned k = 0; k < shape.vector; ++k) values.push_back(machine_.slot(shape.register_bytes));
    const std::int64_t offset = static_cast<std::int64_t>(total) * 3;
    fill();
    for (unsigned warp = 0; warp < 2; ++warp) {
      machine_.context.active[warp] = round.mask;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t index = round.pattern == Addresses::uniform ? 5 + warp
                                    : round.pattern == Addresses::contiguous ? lane + 32 * warp
                                                                             : (lane * 7 % 32) + 32 * warp;
        const std::uint64_t address = first_address(warp, lane) + index * total;
        if (wide_) machine_.lanes<std::uint64_t>(base, warp)[lane] = address - static_cast<std::uint64_t>(offset);
        else machine_.lanes<std::uint32_t>(base, warp)[lane] = static_cast<std::uint32_t>(address) - static_cast<std::uint32_t>(offset);
        places_[warp][lane] = host(warp, lane) + index * total;
        for (const Slot slot : values) {
          const std::uint64_t random = random_();
          std::memcpy(machine_.lanes<std::byte>(slot, warp) + lane * shape.register_bytes, &random, shape.register_bytes);
        }
      }
    }
    load(level, shape, round, base, values, offset);
    store(level, shape, round, base, values, offset);
  }

 private:
  std::span<std::byte> window() {
    if (space_ == Space::shared) return {machine_.block.shared, machine_.block.shared_bytes};
    return {reinterpret_cast<std::byte*>(machine_.global.data()), machine_.global.size() * sizeof(Machine::Line)};
  }
  void fill() {
    for (std::size_t i = 0; i + 8 <= window().size(); i += 8) {
      const std::uint64_t value = random_();
      std::memcpy(window().data() + i, &value, sizeof value);
    }
  }
  std::byte* host(unsigned warp, unsigned lane) {
    if (space_ == Space::local) return machine_.group.local_of(warp, lane);
    return window().data();
  }
  std::uint64_t first_address(unsigned warp, unsigned lane) {
    if (space_ == Space::shared) return std::uint64_t{machine_.block.cluster_rank} << 24;
    if (space_ == Space::local) return 0;
    return reinterpret_cast<std::uintptr_t>(host(warp, lane));
  }
  std::uint64_t lane_value(Slot slot, const Shape& shape, unsigned warp, unsigned lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, machine_.lanes<std::byte>(slot, warp) + lane * shape.register_bytes, shape.register_bytes);
    return value;
  }

  void load(const Level& level, const Shape& shape, const Round& round, Slot base, const std::vector<Slot>& values,
            std::int64_t offset) {
    const unsigned bytes = bits_of(shape.type) / 8;
    std::vector<std::uint64_t> before;
    for (unsigned warp = 0; warp < 2; ++warp) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (const Slot slot : values) before.push_back(lane_value(slot, shape, warp, lane));
      }
    }
    Case c = access(Operation::ld, shape, space_, values, base, wide_, offset);
    REQUIRE(c.run(level, machine_));
    std::size_t at = 0;
    unsigned wrong = 0;
    for (unsigned warp = 0; warp < 2; ++warp) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < shape.vector; ++k, ++at) {
          std::uint64_t expected = before[at];
          if ((round.mask >> lane & 1u) != 0) {
            std::uint64_t in_memory = 0;
            std::memcpy(&in_memory, places_[warp][lane] + k * bytes, bytes);
            expected = extended(extended(in_memory, bytes, kind_of(shape.type) == 's'), shape.register_bytes, false);
          }
          wrong += lane_value(values[k], shape, warp, lane) != expected;
        }
      }
    }
    CHECK(wrong == 0);
  }

  void store(const Level& level, const Shape& shape, const Round& round, Slot base, const std::vector<Slot>& values,
             std::int64_t offset) {
    const unsigned bytes = bits_of(shape.type) / 8;
    fill();
    std::vector<std::byte> expected(window().begin(), window().end());
    for (unsigned warp = 0; warp < 2 && space_ != Space::local; ++warp) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((round.mask >> lane & 1u) == 0) continue;
        for (unsigned k = 0; k < shape.vector; ++k) {
          const std::uint64_t value = lane_value(values[k], shape, warp, lane);
          std::memcpy(expected.data() + (places_[warp][lane] - window().data()) + k * bytes, &value, bytes);
        }
      }
    }
    Case c = access(Operation::st, shape, space_, values, base, wide_, offset);
    REQUIRE(c.run(level, machine_));
    if (space_ != Space::local) {
      CHECK(std::memcmp(expected.data(), window().data(), expected.size()) == 0);
      return;
    }
    unsigned wrong = 0;
    for (unsigned warp = 0; warp < 2; ++warp) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((round.mask >> lane & 1u) == 0) continue;
        for (unsigned k = 0; k < shape.vector; ++k) {
          const std::uint64_t value = lane_value(values[k], shape, warp, lane);
          wrong += std::memcmp(places_[warp][lane] + k * bytes, &value, bytes) != 0;
        }
      }
    }
    CHECK(wrong == 0);
  }

  Space space_;
  bool wide_;
  MemoryMachine machine_;
  std::mt19937_64 random_ = random_source(11);
  std::array<std::array<std::byte*, kLanes>, 2> places_{};
};

void sweep(Space space, bool wide) {
  for (const Level& level : memory_levels()) {
    CAPTURE(level.name);
    Sweep sweep(space, wide);
    for (const Shape& shape : shapes()) {
      CAPTURE(name_of(shape.type));
      CAPTURE(shape.register_bytes);
      CAPTURE(shape.vector);
      for (const Round& round : kRounds) {
        // 64 lanes of these do not fit into the fixture's shared memory, 32 not into its local memory
        const unsigned bytes = bits_of(shape.type) / 8 * shape.vector;
        if (space == Space::local && bytes > 4) continue;
        CAPTURE(round.mask);
        sweep.run(level, shape, round);
      }
    }
  }
}

TEST_CASE("global loads and stores move every type, vector and register width, for any lanes and addresses") {
  sweep(Space::global, true);
}
TEST_CASE("generic accesses take the host's addresses") { sweep(Space::generic, true); }
TEST_CASE("shared accesses take offsets of 64 bits") { sweep(Space::shared, true); }
TEST_CASE("shared accesses take offsets of 32 bits") { sweep(Space::shared, false); }

TEST_CASE("local accesses take offsets in each thread's own memory") { sweep(Space::local, false); }

TEST_CASE("addresses at a shared window's end, or not aligned, are faults and change nothing") {
  for (const Level& level : memory_levels()) {
    CAPTURE(level.name);
    for (const std::uint32_t address : {65536u, 65533u, 65530u, 0xfffffffcu, 2u, 1u}) {
      CAPTURE(address);
      MemoryMachine machine;
      REQUIRE(machine.block.shared_bytes == 65536);
      const Slot base = machine.slot(4), value = machine.slot(4);
      for (unsigned warp = 0; warp < 2; ++warp) {
        for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint32_t>(base, warp)[lane] = address;
      }
      for (const Operation operation : {Operation::ld, Operation::st}) {
        Case c = access(operation, {Type::u32, 4, 1}, Space::shared, {value}, base, false, 0);
        Op op[2];
        REQUIRE(c.prepare(level, op[0]));
        CHECK(op[0].run(&op[0], machine.context) == nullptr);
        CHECK(machine.context.event == Event::fault);
      }
    }
  }
}

TEST_CASE("cvta makes generic addresses of shared and local ones and back, and isspacep tells them apart") {
  for (const Level& level : memory_levels()) {
    CAPTURE(level.name);
    MemoryMachine machine;
    for (const Space space : {Space::shared, Space::local}) {
      const Slot from = machine.slot(8), generic = machine.slot(8), back = machine.slot(8), predicate = machine.slot(0);
      for (unsigned warp = 0; warp < 2; ++warp) {
        for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<std::uint64_t>(from, warp)[lane] = 4 * lane;
      }
      const auto convert = [&](Slot d, Slot a, bool to) {
        Case c(Operation::cvta, {}, {Type::u64});
        if (to) c.instruction.modifiers[c.instruction.modifier_count++] = Modifier::to;
        c.in(space).operand(d).operand(a);
        REQUIRE(c.run(level, machine));
      };
      convert(generic, from, false);
      convert(back, generic, true);
      for (unsigned warp = 0; warp < 2; ++warp) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const std::byte* const base = space == Space::shared ? machine.block.shared : machine.group.local_of(warp, lane);
          CHECK(machine.lanes<std::uint64_t>(generic, warp)[lane] == reinterpret_cast<std::uintptr_t>(base) + 4 * lane);
          CHECK(machine.lanes<std::uint64_t>(back, warp)[lane] == 4 * lane);
        }
      }
      for (const Space asked : {Space::shared, Space::local, Space::global, Space::constant, Space::param}) {
        Case c(Operation::isspacep, {}, {});
        c.in(asked).operand(predicate).operand(generic);
        c.function.operands.back().index = 1;
        REQUIRE(c.run(level, machine));
        for (unsigned warp = 0; warp < 2; ++warp) {
          CHECK(*machine.lanes<std::uint32_t>(predicate, warp) == (asked == space ? kAllLanes : 0u));
        }
      }
    }
  }
}

}  // namespace
}  // namespace bascule::simt::test
