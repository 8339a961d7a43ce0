// For the tests of integer, logic and comparison operations: an instruction built by hand, selected at every x86-64 level that
// this machine runs, and applied to random and edge values in all the ways in which operands can lie: registers, constants,
// the destination on a source; all lanes active or some, with a guard or without; several warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "backends/simt/operations/families.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::test_integer {

using ptx::Modifier;
using ptx::Operation;
using ptx::Type;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

struct Level {
  const char* name;
  std::vector<Select> families;
};

inline const std::vector<Level>& levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> found;
#define BSC_SIMT_FAMILY(name) select_##name,
    {
      using namespace x86_64_v2;
      found.push_back({"x86-64-v2", {
#include "backends/simt/operations/families.inc"
                                    }});
    }
    if (__builtin_cpu_supports("x86-64-v3")) {
      using namespace x86_64_v3;
      found.push_back({"x86-64-v3", {
#include "backends/simt/operations/families.inc"
                                    }});
    }
    if (__builtin_cpu_supports("x86-64-v4")) {
      using namespace x86_64_v4;
      found.push_back({"x86-64-v4", {
#include "backends/simt/operations/families.inc"
                                    }});
    }
#undef BSC_SIMT_FAMILY
    return found;
  }();
  return all;
}

inline constexpr unsigned kWarps = 3;
inline constexpr unsigned kThreads = kWarps * kLanes;

/// An operand: its width in bits (1: a predicate), and for sources a value per thread.
struct Value {
  unsigned bits = 32;
  std::vector<u64> lanes{};   // one per thread; a single one: a constant
  bool negated = false;       // predicates
  bool sink = false;          // destinations
  bool absent = false;
  int in_place_of = -1;       // destinations: lies on this source (counted from 0)
  bool guard = false;         // destinations: is the guard's predicate
};

struct Named {
  Operation operation;
  std::vector<Modifier> modifiers;
  std::vector<Type> types;
};

class Machine {
 public:
  std::array<u32, kWarps> active{kAllLanes, kAllLanes, kAllLanes};
  std::array<u32, kWarps> carry{};
  std::array<u32, kWarps> guard{kAllLanes, kAllLanes, kAllLanes};
  bool guarded = false;
  bool guard_negated = false;
  static constexpr u64 kOld = 0xa5c3a5c3a5c3a5c3u;  // what destinations hold before

  /// Runs the instruction; false where no family has it. Results are read with `result`.
  bool run(const Level& level, const Named& named, const std::vector<Value>& destinations, const std::vector<Value>& sources) {
    build(named, destinations, sources);
    Selected selected;
    for (const Select select : level.families) {
      if (selected.run == nullptr) selected = select(instruction_, function_);
    }
    if (selected.run == nullptr) return false;
    Op op;
    op.run = selected.run;
    op.immediate = selected.immediate;
    if (slots_.size() > op.operands.size()) {
      op.slots = slots_.data();
    } else {
      std::copy(slots_.begin(), slots_.end(), op.operands.begin());
    }
    op.guard = guarded ? kGuardSlot : kTrueSlot;
    op.guard_flip = guarded && guard_negated ? kAllLanes : 0;
    Context context;
    context.registers = registers_.data();
    context.constants = constants_.data();
    context.frame_bytes = static_cast<u32>(frame_bytes_);
    context.warps = kWarps;
    std::copy(active.begin(), active.end(), context.active.begin());
    const Op* const next = selected.run(&op, context);
    REQUIRE(next == &op + 1);
    for (unsigned warp = 0; warp < kWarps; ++warp) std::memcpy(&carry[warp], frame(warp) + kCarrySlot, sizeof(u32));
    return true;
  }

  [[nodiscard]] u64 result(std::size_t destination, unsigned thread) const {
    return read(slots_[destination], widths_[destination], thread);
  }
  [[nodiscard]] bool runs(unsigned thread) const {
    const u32 let = guarded ? guard[thread / kLanes] ^ (guard_negated ? kAllLanes : 0) : kAllLanes;
    return (active[thread / kLanes] & let & 1u << thread % kLanes) != 0;
  }

 private:
  static constexpr Slot kGuardSlot = kFirstFreeSlot;
  static constexpr std::size_t kSlotBytes = std::size_t{kLanes} * 8;

  std::byte* frame(unsigned warp) { return registers_.data() + warp * frame_bytes_; }
  [[nodiscard]] const std::byte* frame(unsigned warp) const { return registers_.data() + warp * frame_bytes_; }

  static void store(std::byte* at, unsigned bits, unsigned lane, u64 value) {
    if (bits == 1) {
      u32 word;
      std::memcpy(&word, at, sizeof word);
      word = (word & ~(1u << lane)) | static_cast<u32>(value & 1u) << lane;
      std::memcpy(at, &word, sizeof word);
    } else {
      std::memcpy(at + std::size_t{lane} * (bits / 8), &value, bits / 8);
    }
  }
  [[nodiscard]] u64 read(Slot slot, unsigned bits, unsigned thread) const {
    const std::byte* const at = frame(thread / kLanes) + slot;
    const unsigned lane = thread % kLanes;
    u64 value = 0;
    if (bits == 1) {
      std::memcpy(&value, at, sizeof(u32));
      return value >> lane & 1u;
    }
    std::memcpy(&value, at + std::size_t{lane} * (bits / 8), bits / 8);
    return value;
  }

  void build(const Named& named, const std::vector<Value>& destinations, const std::vector<Value>& sources) {
    instruction_ = {};
    function_ = {};
    slots_.clear();
    widths_.clear();
    instruction_.operation = named.operation;
    for (const Modifier modifier : named.modifiers) instruction_.modifiers[instruction_.modifier_count++] = modifier;
    for (const Type type : named.types) instruction_.types[instruction_.type_count++] = type;
    instruction_.destinations = static_cast<std::uint8_t>(destinations.size());
    instruction_.operand_count = static_cast<u16>(destinations.size() + sources.size());
    frame_bytes_ = 128 + kSlotBytes * (destinations.size() + sources.size());
    registers_.assign(frame_bytes_ * kWarps, std::byte{0x77});
    constants_.assign(kSlotBytes * (sources.size() + 1), std::byte{});
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      std::memcpy(frame(warp) + kTrueSlot, &kAllLanes, sizeof kAllLanes);
      std::memcpy(frame(warp) + kCarrySlot, &carry[warp], sizeof(u32));
      std::memcpy(frame(warp) + kGuardSlot, &guard[warp], sizeof(u32));
    }
    for (std::size_t i = 0; i < destinations.size(); ++i) add_destination(destinations[i], i, destinations.size());
    for (std::size_t i = 0; i < sources.size(); ++i) add_source(sources[i], destinations.size() + i);
  }
  static Slot slot_at(std::size_t position) { return static_cast<Slot>(128 + position * kSlotBytes); }

  void add_destination(const Value& value, std::size_t position, std::size_t count) {
    ptx::Operand operand;
    operand.kind = value.absent ? ptx::Operand::Kind::none : value.sink ? ptx::Operand::Kind::sink : ptx::Operand::Kind::reg;
    function_.operands.push_back(operand);
    const bool exists = operand.kind == ptx::Operand::Kind::reg;
    const std::size_t at = value.in_place_of < 0 ? position : count + static_cast<std::size_t>(value.in_place_of);
    slots_.push_back(value.guard ? kGuardSlot : exists ? slot_at(at) : kNoSlot);
    widths_.push_back(value.bits);
    for (unsigned thread = 0; exists && value.in_place_of < 0 && !value.guard && thread < kThreads; ++thread) {
      store(frame(thread / kLanes) + slot_at(position), value.bits, thread % kLanes, kOld);
    }
  }
  void add_source(const Value& value, std::size_t position) {
    ptx::Operand operand;
    operand.negated = value.negated;
    widths_.push_back(value.bits);
    if (value.absent) {
      slots_.push_back(kNoSlot);
    } else if (value.lanes.size() == 1) {
      operand.kind = ptx::Operand::Kind::immediate;
      operand.bits = value.lanes[0];
      const std::size_t at = position * kSlotBytes;
      constants_.resize(std::max(constants_.size(), at + kSlotBytes));
      for (unsigned lane = 0; lane < kLanes; ++lane) store(constants_.data() + at, value.bits, lane, value.lanes[0]);
      slots_.push_back(kConstant | static_cast<Slot>(at));
    } else {
      operand.kind = ptx::Operand::Kind::reg;
      slots_.push_back(slot_at(position));
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        store(frame(thread / kLanes) + slot_at(position), value.bits, thread % kLanes, value.lanes[thread]);
      }
    }
    function_.operands.push_back(operand);
  }

  ptx::Instruction instruction_;
  ptx::Function function_;
  std::vector<Slot> slots_;
  std::vector<unsigned> widths_;
  std::size_t frame_bytes_ = 0;
  std::vector<std::byte> registers_;
  std::vector<std::byte> constants_;
};

inline u64 cut(u64 value, unsigned bits) { return bits >= 64 ? value : value & ((u64{1} << bits) - 1); }

/// Fresh values on each run; the seed is printed when a test fails.
class Random {
 public:
  Random() : engine_(bascule::test::seed()) {}
  u64 word() { return engine_(); }
  /// Edge values, small numbers (shift amounts), values with few bits, and any.
  u64 value(unsigned bits) {
    static constexpr u64 kEdges[] = {0, 1, 2, 31, 32, 33, 63, 64, 255, 256, 257, 0x7fff, 0x8000, 0xffff, 0x7fffff, 0xffffff,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~u64{0}};
    const u64 random = word();
    switch (random % 6) {
      case 0: return cut(kEdges[word() % std::size(kEdges)], bits);
      case 1: return cut(0 - word() % 4, bits);
      case 2: return cut(word() % 70, bits);
      case 3: return cut(u64{1} << word() % bits, bits);
      default: return cut(word(), bits);
    }
  }
  std::vector<u64> lanes(unsigned bits) {
    std::vector<u64> values(kThreads);
    for (u64& each : values) each = bits == 1 ? word() & 1u : value(bits);
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

/// What one thread should get: the sources' values (with what !p makes of predicates already done) and the carry before.
using Model = std::function<u64(const std::vector<u64>& sources)>;

inline std::string shown(const std::vector<u64>& values) {
  std::string text;
  for (const u64 value : values) text += " " + std::to_string(value);
  return text;
}

/// Every way to lay out the operands, all levels, some rounds of values each: one destination against the model.
/// `kept_constant`: sources that the PTX grammar wants as immediates (lop3's table).
inline void sweep(const Named& named, unsigned result_bits, const std::vector<unsigned>& source_bits, const Model& model,
                  const std::vector<int>& kept_constant = {}) {
  Random random;
  INFO(ptx::name_of(named.operation));
  const int count = static_cast<int>(source_bits.size());
  for (const Level& level : levels()) {
    for (int layout = -1; layout < 2 * count; ++layout) {  // -1: registers apart; then: each a constant; each the destination
      std::vector<Value> sources;
      for (int i = 0; i < count; ++i) {
        const unsigned bits = source_bits[static_cast<std::size_t>(i)];
        const bool must = std::find(kept_constant.begin(), kept_constant.end(), i) != kept_constant.end();
        Value value{.bits = bits, .lanes = random.lanes(bits)};
        if (must || layout == i) value.lanes.resize(1);
        sources.push_back(std::move(value));
      }
      Value destination{.bits = result_bits};
      if (layout >= count) {
        const auto at = static_cast<std::size_t>(layout - count);
        if (source_bits[at] != result_bits || sources[at].lanes.size() == 1) continue;
        destination.in_place_of = layout - count;
      }
      for (int masks = 0; masks < 3; ++masks) {
        Machine machine;
        if (masks > 0) {
          for (u32& word : machine.active) word = static_cast<u32>(random.word());
          machine.active[1] = masks == 1 ? 0 : kAllLanes;
        }
        machine.guarded = masks == 2;
        machine.guard_negated = random.word() % 2 != 0;
        for (u32& word : machine.guard) word = static_cast<u32>(random.word());
        REQUIRE_MESSAGE(machine.run(level, named, {destination}, sources), "not selected at ", std::string(level.name));
        unsigned wrong = 0;
        for (unsigned thread = 0; thread < kThreads && wrong < 3; ++thread) {
          std::vector<u64> values;
          for (const Value& source : sources) values.push_back(source.lanes[source.lanes.size() == 1 ? 0 : thread]);
          const u64 before = destination.in_place_of < 0 ? cut(Machine::kOld, result_bits)
                                                         : values[static_cast<std::size_t>(destination.in_place_of)];
          const u64 expected = machine.runs(thread) ? cut(model(values), result_bits) : before;
          const u64 got = machine.result(0, thread);
          if (got != expected) {
            ++wrong;
            FAIL_CHECK(std::string(level.name), " thread ", thread, " layout ", layout, " masks ", masks, ": got ", got, ", expected ",
                       expected, " from", shown(values));
          }
        }
      }
    }
  }
}

/// One result for given sources, the same at every level.
inline u64 evaluate(const Named& named, unsigned result_bits, const std::vector<Value>& sources) {
  u64 first = 0;
  bool has_first = false;
  for (const Level& level : levels()) {
    Machine machine;
    std::vector<Value> spread = sources;
    for (Value& value : spread) {
      if (value.lanes.size() == 1) value.lanes.assign(kThreads, value.lanes[0]);
    }
    REQUIRE(machine.run(level, named, {Value{.bits = result_bits}}, spread));
    const u64 got = machine.result(0, 40);
    if (has_first) CHECK(got == first);
    first = got;
    has_first = true;
  }
  return first;
}
inline u64 evaluate(const Named& named, unsigned bits, std::initializer_list<u64> values) {
  std::vector<Value> sources;
  for (const u64 value : values) sources.push_back({.bits = bits, .lanes = {cut(value, bits)}});
  return evaluate(named, bits, sources);
}

}  // namespace bascule::simt::test_integer
