// atom and red, at every x86-64 level, against loops over lanes in ascending order; and from several host threads at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <thread>

#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/memory_reach.hpp"

namespace bascule::simt::test {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Space;
using ptx::Type;

const std::vector<Level>& atomic_levels() {
  static const std::vector<Level> result =
      levels(x86_64_v2::select_atomic, x86_64_v3::select_atomic, x86_64_v4::select_atomic);
  return result;
}

using Model = std::function<std::uint64_t(std::uint64_t old, std::uint64_t b, std::uint64_t c)>;
struct Kind {
  const char* name;
  Modifier operation;
  Type type;
  Model shared;
  Model global;
};

float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t float_bits(float f) { return f != f ? 0x7fffffffu : std::bit_cast<std::uint32_t>(f); }
float flushed(std::uint64_t bits) {
  const float f = as_float(bits);
  return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f;
}

Kind same(const char* name, Modifier operation, Type type, Model model) { return {name, operation, type, model, model}; }

template <class T>
void add_integers(std::vector<Kind>& kinds, Type u, Type s, Type b) {
  using S = std::make_signed_t<T>;
  const auto of = [](auto f) { return [f](std::uint64_t old, std::uint64_t x, std::uint64_t) -> std::uint64_t {
    return static_cast<T>(f(static_cast<T>(old), static_cast<T>(x))); }; };
  kinds.push_back(same("add.u", Modifier::add, u, of([](T a, T x) { return a + x; })));
  kinds.push_back(same("min.u", Modifier::min, u, of([](T a, T x) { return std::min(a, x); })));
  kinds.push_back(same("max.u", Modifier::max, u, of([](T a, T x) { return std::max(a, x); })));
  kinds.push_back(same("min.s", Modifier::min, s, of([](T a, T x) { return static_cast<T>(std::min(static_cast<S>(a), static_cast<S>(x))); })));
  kinds.push_back(same("max.s", Modifier::max, s, of([](T a, T x) { return static_cast<T>(std::max(static_cast<S>(a), static_cast<S>(x))); })));
  kinds.push_back(same("and.b", Modifier::and_, b, of([](T a, T x) { return a & x; })));
  kinds.push_back(same("or.b", Modifier::or_, b, of([](T a, T x) { return a | x; })));
  kinds.push_back(same("xor.b", Modifier::xor_, b, of([](T a, T x) { return a ^ x; })));
  kinds.push_back(same("exch.b", Modifier::exch, b, of([](T, T x) { return x; })));
  kinds.push_back(same("cas.b", Modifier::cas, b, [](std::uint64_t old, std::uint64_t x, std::uint64_t y) { return old == x ? y : old; }));
}

std::vector<Kind> kinds() {
  std::vector<Kind> result;
  add_integers<std::uint32_t>(result, Type::u32, Type::s32, Type::b32);
  add_integers<std::uint64_t>(result, Type::u64, Type::s64, Type::b64);
  result.push_back(same("add.s32", Modifier::add, Type::s32, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return (a + b) & 0xffffffffu; }));
  result.push_back(same("cas.b16", Modifier::cas, Type::b16, [](std::uint64_t old, std::uint64_t x, std::uint64_t y) { return old == x ? y : old; }));
  result.push_back(same("inc", Modifier::inc, Type::u32, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a >= b ? 0 : a + 1; }));
  result.push_back(same("dec", Modifier::dec, Type::u32, [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return a == 0 || a > b ? b : a - 1; }));
  result.push_back({"add.f32", Modifier::add, Type::f32,
                    [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return float_bits(as_float(a) + as_float(b)); },
                    [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
                      return float_bits(flushed(float_bits(flushed(a) + flushed(b))));
                    }});
  result.push_back(same("add.f64", Modifier::add, Type::f64, [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
    return std::bit_cast<std::uint64_t>(as_double(a) + as_double(b));
  }));
  return result;
}

/// Few different values, so that comparisons hit, wraps happen and floats meet subnormals.
std::uint64_t some_value(const Kind& kind, std::mt19937_64& random) {
  if (kind.type == Type::f32) {
    const std::uint32_t values[] = {0x00000001u, 0x80000003u, 0x007fffffu, 0x00800000u, 0x80800001u, 0x3f800000u, 0xbf800001u, 0x34000000u};
    return values[random() % 8];
  }
  if (kind.type == Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(random() % 2000) - 1000) / 7);
  std::uint64_t value = random() % 3 == 0 ? random() : random() % 5;
  if (random() % 4 == 0) value = ~value;
  const unsigned bits = bits_of(kind.type);
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// An atom or red of one value per lane.
Case atomic_case(Operation operation, const Kind& kind, Space space, Slot d, Slot address, Slot b, Slot c) {
  Case result(operation, {kind.operation}, {kind.type});
  result.function.registers.push_back({"r16", Type::b16, 1, {}});
  const unsigned bits = bits_of(kind.type);
  const std::uint32_t index = bits == 32 ? 0 : bits == 64 ? 1 : 2;
  if (space != Space::generic) result.in(space);
  const auto value = [&](Slot slot) {
    result.operand(slot);
    result.function.operands.back().index = index;
  };
  if (operation == Operation::atom) value(d);
  result.address(address, true, 0);
  value(b);
  if (c != kNoSlot) value(c);
  return result;
}

void check_kind(const Level& level, const Kind& kind, Operation operation, Space space, std::mt19937_64& random) {
  Machine machine(2);
  const unsigned bytes = bits_of(kind.type) / 8;
  const Slot d = machine.slot(bytes), address = machine.slot(8), b = machine.slot(bytes), c = machine.slot(bytes);
  const bool has_c = kind.operation == Modifier::cas;
  alignas(64) std::array<std::byte, 64> global{};
  std::byte* const memory = space == Space::global ? global.data() : machine.block.shared;
  const bool in_global = space == Space::global;
  for (std::size_t i = 0; i + bytes <= 64; i += bytes) {
    const std::uint64_t value = some_value(kind, random);
    std::memcpy(memory + i, &value, bytes);
  }
  std::array<std::byte, 64> expected;
  std::memcpy(expected.data(), memory, 64);
  std::array<std::array<std::uint64_t, kLanes>, 2> old{};
  const std::uint32_t mask = static_cast<std::uint32_t>(random());
  for (unsigned warp = 0; warp < 2; ++warp) {
    machine.context.active[warp] = mask;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t offset = random() % 3 * bytes, x = some_value(kind, random), y = some_value(kind, random), before = 0x5555;
      machine.lanes<std::uint64_t>(address, warp)[lane] =
          space == Space::shared ? offset : reinterpret_cast<std::uintptr_t>(memory) + offset;
      std::memcpy(machine.lanes<std::byte>(b, warp) + lane * bytes, &x, bytes);
      std::memcpy(machine.lanes<std::byte>(c, warp) + lane * bytes, &y, bytes);
      std::memcpy(machine.lanes<std::byte>(d, warp) + lane * bytes, &before, bytes);
      old[warp][lane] = before;
      if ((mask >> lane & 1u) == 0) continue;
      std::uint64_t at = 0;
      std::memcpy(&at, expected.data() + offset, bytes);
      old[warp][lane] = at;
      at = (in_global ? kind.global : kind.shared)(at, x, y);
      std::memcpy(expected.data() + offset, &at, bytes);
    }
  }
  Case c_(atomic_case(operation, kind, space, d, address, b, has_c ? c : kNoSlot));
  REQUIRE(c_.run(level, machine));
  CHECK(std::memcmp(expected.data(), memory, 64) == 0);
  if (operation == Operation::red) return;
  for (unsigned warp = 0; warp < 2; ++warp) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      std::uint64_t got = 0;
      std::memcpy(&got, machine.lanes<std::byte>(d, warp) + lane * bytes, bytes);
      CHECK(got == old[warp][lane]);
    }
  }
}

TEST_CASE("atom and red give what one lane after another gives, in global, shared and generic memory") {
  auto random = random_source(21);
  for (const Level& level : atomic_levels()) {
    CAPTURE(level.name);
    for (const Kind& kind : kinds()) {
      CAPTURE(kind.name);
      for (const Space space : {Space::global, Space::shared, Space::generic}) {
        CAPTURE(static_cast<int>(space));
        for (int round = 0; round < 8; ++round) {
          check_kind(level, kind, Operation::atom, space, random);
          if (kind.operation != Modifier::exch && kind.operation != Modifier::cas) {
            check_kind(level, kind, Operation::red, space, random);
          }
        }
      }
    }
  }
}

TEST_CASE("vectors and pairs of f16 and bf16 add each element, min and max drop one NaN and order -0 below +0") {
  struct HalfCase {
    Type type;
    Modifier operation;
    unsigned vector;
    std::uint32_t a, b, result;
  };
  const HalfCase cases[] = {
      {Type::f16, Modifier::add, 1, 0x3c00, 0x3c00, 0x4000},          // 1 + 1
      {Type::f16, Modifier::add, 2, 0x0001, 0x0001, 0x0002},          // subnormals stay
      {Type::f16, Modifier::add, 8, 0x7bff, 0x7bff, 0x7c00},          // overflow
      {Type::f16, Modifier::add, 4, 0x7c00, 0xfc00, 0x7fff},          // inf - inf
      {Type::f16, Modifier::min, 2, 0x8000, 0x0000, 0x8000},          // -0 < +0
      {Type::f16, Modifier::max, 2, 0x8000, 0x0000, 0x0000},
      {Type::f16, Modifier::min, 4, 0x7e00, 0x4400, 0x4400},          // one NaN
      {Type::bf16, Modifier::max, 8, 0x3f80, 0xffc1, 0x3f80},
      {Type::bf16, Modifier::max, 2, 0x7fc1, 0xffc1, 0x7fff},         // both NaN
      {Type::bf16, Modifier::add, 1, 0x3f80, 0x3b80, 0x3f80},         // 1 + 2^-8: a tie, to even
      {Type::bf16, Modifier::add, 4, 0x3f81, 0x3b80, 0x3f82},         // a tie, to even, upwards
      {Type::f16x2, Modifier::add, 1, 0x3c003c00, 0x3c004000, 0x40004200},
      {Type::f16x2, Modifier::max, 4, 0xbc007e00, 0x3c00bc00, 0x3c00bc00},
      {Type::bf16x2, Modifier::min, 2, 0x3f80bf80, 0x40004000, 0x3f80bf80},
      {Type::bf16x2, Modifier::add, 1, 0x3f803f80, 0x3f80bf80, 0x40000000},
  };
  for (const Level& level : atomic_levels()) {
    CAPTURE(level.name);
    for (const HalfCase& half : cases) {
      CAPTURE(name_of(half.type));
      CAPTURE(half.a);
      Machine machine(1);
      const unsigned bytes = bits_of(half.type) / 8;
      alignas(64) std::array<std::byte, 64> memory{};
      std::vector<Slot> d, b;
      for (unsigned k = 0; k < half.vector; ++k) {
        d.push_back(machine.slot(bytes));
        b.push_back(machine.slot(bytes));
        std::memcpy(machine.lanes<std::byte>(b[k], 0) + 5 * bytes, &half.b, bytes);
        std::memcpy(memory.data() + k * bytes, &half.a, bytes);
      }
      const Slot address = machine.slot(8);
      machine.lanes<std::uint64_t>(address, 0)[5] = reinterpret_cast<std::uintptr_t>(memory.data());
      machine.context.active[0] = 1u << 5;
      Case c(Operation::atom, {half.operation}, {half.type});
      c.function.registers[0].type = bytes == 2 ? Type::b16 : Type::b32;
      c.in(Space::global);
      c.instruction.vector = static_cast<std::uint8_t>(half.vector);
      if (half.vector == 1) {
        c.operand(d[0]).address(address, true, 0).operand(b[0]);
      } else {
        ptx::Operand register_element;
        register_element.kind = ptx::Operand::Kind::reg;
        for (unsigned k = 0; k < half.vector; ++k) c.function.elements.push_back(register_element);
        c.vector(d).address(address, true, 0).vector(b);
      }
      REQUIRE(c.run(level, machine));
      for (unsigned k = 0; k < half.vector; ++k) {
        std::uint32_t now = 0, was = 0;
        std::memcpy(&now, memory.data() + k * bytes, bytes);
        std::memcpy(&was, machine.lanes<std::byte>(d[k], 0) + 5 * bytes, bytes);
        CHECK(now == half.result);
        CHECK(was == half.a);
      }
    }
  }
}

TEST_CASE("128 bits are compared and exchanged as one value") {
  for (const Level& level : atomic_levels()) {
    CAPTURE(level.name);
    for (const Space space : {Space::global, Space::shared}) {
      Machine machine(1);
      const Slot d = machine.slot(16), address = machine.slot(8), b = machine.slot(16), c = machine.slot(16);
      alignas(16) std::array<std::uint64_t, 2> global{1, 2};
      auto* const memory = space == Space::global ? global.data() : reinterpret_cast<std::uint64_t*>(machine.block.shared);
      memory[0] = 1, memory[1] = 2;
      machine.context.active[0] = 0x7;
      for (unsigned lane = 0; lane < 3; ++lane) {
        machine.lanes<std::uint64_t>(address, 0)[lane] = space == Space::global ? reinterpret_cast<std::uintptr_t>(memory) : 0;
        machine.lanes<std::uint64_t>(b, 0)[lane] = 1 + lane;                 // low: expected by lanes 0, 1, 2
        machine.lanes<std::uint64_t>(b, 0)[kLanes + lane] = 2 + 5 * lane;    // high
        machine.lanes<std::uint64_t>(c, 0)[lane] = 2 + lane;
        machine.lanes<std::uint64_t>(c, 0)[kLanes + lane] = lane == 0 ? 7 : 100;
      }
      Case cas(Operation::atom, {Modifier::cas}, {Type::b128});
      cas.function.registers[0].type = Type::b128;
      cas.in(space).operand(d).address(address, true, 0).operand(b).operand(c);
      REQUIRE(cas.run(level, machine));
      // lane 0: {1,2} -> {2,7}; lane 1 expects {2,7} -> {3,100}; lane 2 expects {3,12}: fails
      CHECK(memory[0] == 3);
      CHECK(memory[1] == 100);
      CHECK(machine.lanes<std::uint64_t>(d, 0)[1] == 2);
      CHECK(machine.lanes<std::uint64_t>(d, 0)[kLanes + 1] == 7);
      CHECK(machine.lanes<std::uint64_t>(d, 0)[kLanes + 2] == 100);
      Case exchange(Operation::atom, {Modifier::exch}, {Type::b128});
      exchange.function.registers[0].type = Type::b128;
      exchange.in(space).operand(d).address(address, true, 0).operand(c);
      REQUIRE(exchange.run(level, machine));
      CHECK(memory[0] == 4);
      CHECK(memory[1] == 100);
    }
  }
}

TEST_CASE("global atomics of several host threads lose no update") {
  alignas(64) std::array<std::uint64_t, 8> memory{};
  const Level level = atomic_levels().front();
  const auto work = [&] {
    for (const Modifier operation : {Modifier::add, Modifier::inc}) {
      Machine machine(2);
      const Slot d = machine.slot(4), address = machine.slot(8), b = machine.slot(4);
      for (unsigned warp = 0; warp < 2; ++warp) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          machine.lanes<std::uint64_t>(address, warp)[lane] =
              reinterpret_cast<std::uintptr_t>(&memory[operation == Modifier::add ? 0 : 1]);
          machine.lanes<std::uint32_t>(b, warp)[lane] = operation == Modifier::add ? 1 : 0xffffffffu;
        }
      }
      const Kind kind{"", operation, Type::u32, {}, {}};
      Case c = atomic_case(Operation::atom, kind, Space::global, d, address, b, kNoSlot);
      for (int i = 0; i < 200; ++i) c.run(level, machine);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work);
  threads.clear();
  CHECK(memory[0] == 3 * 200 * 64);
  CHECK(memory[1] == 3 * 200 * 64);
}

}  // namespace
}  // namespace bascule::simt::test
