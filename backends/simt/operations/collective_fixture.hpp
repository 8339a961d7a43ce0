// Tests of operations of a whole warp: a group with registers, and one operation put together by hand and run at each level
// that this machine supports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/select.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::test {

struct Level {
  const char* name;
  Select select;
};

/// The select functions of a family (v2, v3, v4) that can run here.
inline std::vector<Level> levels(Select v2, Select v3, Select v4) {
  std::vector<Level> result{{"x86-64-v2", v2}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
    result.push_back({"x86-64-v3", v3});
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd")) {
    result.push_back({"x86-64-v4", v4});
  }
  return result;
}

/// A group of warps with a register file each, and a block with shared memory.
class Machine {
 public:
  explicit Machine(unsigned warps, std::uint32_t frame_bytes = 16384)
      : storage_(std::size_t{frame_bytes} * warps / 64 + 64), constants_(64), shared_(1024) {
    group.block = &block;
    group.warps = warps;
    block.threads = warps * kLanes;
    block.shared = reinterpret_cast<std::byte*>(shared_.data());
    block.shared_bytes = static_cast<std::uint32_t>(shared_.size() * sizeof(Line));
    context.registers = reinterpret_cast<std::byte*>(storage_.data());
    context.constants = reinterpret_cast<std::byte*>(constants_.data());
    context.frame_bytes = frame_bytes;
    context.warps = warps;
    context.group = &group;
    for (unsigned warp = 0; warp < warps; ++warp) {
      group.present[warp] = kAllLanes;
      context.active[warp] = kAllLanes;
      std::memcpy(context.registers + std::size_t{warp} * frame_bytes, &kAllLanes, sizeof kAllLanes);
    }
  }

  /// A new slot of 32 lanes of `bytes` each; bytes 0: a predicate.
  Slot slot(unsigned bytes) {
    const Slot result = next_;
    next_ += bytes == 0 ? 64 : (bytes * kLanes + 63) / 64 * 64;
    return result;
  }
  Slot constant(std::uint32_t value) {
    const Slot result = next_constant_;
    for (unsigned i = 0; i < kLanes; ++i) {
      std::memcpy(reinterpret_cast<std::byte*>(constants_.data()) + result + i * 4, &value, sizeof value);
    }
    next_constant_ += 128;
    return result | kConstant;
  }
  template <class T>
  T* lanes(Slot slot, unsigned warp) {
    return reinterpret_cast<T*>(context.registers + std::size_t{warp} * context.frame_bytes + slot);
  }
  /// Forgets slots, so that the next case starts afresh.
  void reset() { next_ = 64, next_constant_ = 0; }

  struct alignas(64) Line {
    std::byte bytes[64];
  };
  Block block;
  Group group;
  Context context;

 private:
  std::vector<Line> storage_;
  std::vector<Line> constants_;
  std::vector<Line> shared_;
  Slot next_ = 64;
  Slot next_constant_ = 0;
};

/// One instruction and its function, as the parser would give them.
class Case {
 public:
  Case(ptx::Operation operation, std::initializer_list<ptx::Modifier> modifiers, std::initializer_list<ptx::Type> types) {
    instruction.operation = operation;
    for (const ptx::Modifier modifier : modifiers) instruction.modifiers[instruction.modifier_count++] = modifier;
    for (const ptx::Type type : types) instruction.types[instruction.type_count++] = type;
    function.registers.push_back({"r32", ptx::Type::b32, 1, {}});
    function.registers.push_back({"r64", ptx::Type::b64, 1, {}});
  }
  Case& in(ptx::Space space) {
    instruction.spaces[instruction.space_count++] = space;
    return *this;
  }
  /// Adds an operand that lies in `slot`. `kind` tells select() what was written.
  Case& operand(Slot slot, ptx::Operand::Kind kind = ptx::Operand::Kind::reg, bool negated = false) {
    ptx::Operand operand;
    operand.kind = slot == kNoSlot && kind == ptx::Operand::Kind::reg ? ptx::Operand::Kind::none : kind;
    operand.negated = negated;
    function.operands.push_back(operand);
    slots.push_back(slot);
    instruction.operand_count = static_cast<std::uint16_t>(function.operands.size());
    return *this;
  }
  /// Adds a vector operand.
  Case& vector(std::initializer_list<Slot> parts) { return vector(std::vector<Slot>(parts)); }
  Case& vector(const std::vector<Slot>& parts) {
    ptx::Operand operand;
    operand.kind = ptx::Operand::Kind::vector;
    operand.count = static_cast<std::uint16_t>(parts.size());
    function.operands.push_back(operand);
    slots.insert(slots.end(), parts.begin(), parts.end());
    instruction.operand_count = static_cast<std::uint16_t>(function.operands.size());
    return *this;
  }
  /// Adds an address operand whose base is a register of 32 or 64 bits.
  Case& address(Slot base, bool wide, std::int64_t offset) {
    ptx::Operand operand;
    operand.kind = ptx::Operand::Kind::address;
    operand.base_kind = ptx::Operand::Kind::reg;
    operand.index = wide ? 1 : 0;
    operand.offset = offset;
    function.operands.push_back(operand);
    slots.push_back(base);
    instruction.operand_count = static_cast<std::uint16_t>(function.operands.size());
    immediate_ = static_cast<std::uint64_t>(offset);
    return *this;
  }

  /// Whether the level has the instruction; if so, runs it once and says whether it went on to the next operation.
  bool run(const Level& level, Machine& machine) {
    Op operations[2];
    return prepare(level, operations[0]) && operations[0].run(&operations[0], machine.context) == &operations[1];
  }
  bool prepare(const Level& level, Op& op) {
    const Selected selected = level.select(instruction, function);
    if (selected.run == nullptr) return false;
    op.run = selected.run;
    op.instruction = &instruction;
    op.immediate = selected.layout == Layout::memory ? immediate_ : selected.immediate;
    for (std::size_t i = 0; i < op.operands.size() && i < slots.size(); ++i) op.operands[i] = slots[i];
    if (slots.size() > op.operands.size()) op.slots = slots.data();
    op.guard = guard;
    op.guard_flip = guard_flip;
    return true;
  }

  ptx::Instruction instruction;
  ptx::Function function;
  std::vector<Slot> slots;
  Slot guard = 0;
  std::uint32_t guard_flip = 0;

 private:
  std::uint64_t immediate_ = 0;
};

inline std::mt19937_64 random_source(std::uint64_t stream) { return std::mt19937_64(bascule::test::seed() + stream); }

}  // namespace bascule::simt::test
