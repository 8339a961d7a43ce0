// For the tests of floating-point operations and conversions: one instruction, built by hand and selected at a given x86-64
// level, applied to any number of values, which fill the lanes of a group of warps again and again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "backends/simt/operations/families.hpp"
#include "tests/support/seed.hpp"

namespace bascule::simt::float_test {

using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

struct Level {
  const char* name;
  std::vector<Select> families;
};

/// The families that this fixture's tests are for.
#define BSC_SIMT_FLOAT_FAMILIES                                                                                       \
  {                                                                                                                   \
    select_float, select_float_order, select_float_divide, select_mathematics, select_half, select_convert,           \
        select_convert_to_integer, select_convert_from_integer, select_convert_float, select_convert_packed           \
  }

inline Level level_v2() {
  using namespace x86_64_v2;
  return {"x86-64-v2", BSC_SIMT_FLOAT_FAMILIES};
}
inline Level level_v3() {
  using namespace x86_64_v3;
  return {"x86-64-v3", BSC_SIMT_FLOAT_FAMILIES};
}
inline Level level_v4() {
  using namespace x86_64_v4;
  return {"x86-64-v4", BSC_SIMT_FLOAT_FAMILIES};
}
#undef BSC_SIMT_FLOAT_FAMILIES

/// The levels that this machine can run.
inline const std::vector<Level>& levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> found{level_v2()};
    if (__builtin_cpu_supports("x86-64-v3")) found.push_back(level_v3());
    if (__builtin_cpu_supports("x86-64-v4")) found.push_back(level_v4());
    return found;
  }();
  return all;
}

/// Values of one source operand, used in turn; a single one is a constant where `constant`.
struct Column {
  unsigned bits;  // of the register
  std::vector<std::uint64_t> values;
  bool constant = false;
};

template <class T>
Column column(const std::vector<T>& values, unsigned bits = 8 * sizeof(T)) {
  Column result{bits, {}};
  for (const T& value : values) {
    std::uint64_t stored = 0;
    std::memcpy(&stored, &value, sizeof value);
    result.values.push_back(stored);
  }
  return result;
}

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
inline std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float as_float(std::uint64_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }
inline double as_double(std::uint64_t x) { return std::bit_cast<double>(x); }

/// An instruction and the registers that it names: the destination first.
class Bench {
 public:
  static constexpr unsigned kWarps = 3;
  static constexpr std::uint64_t kUntouched = 0x5a5a5a5a5a5a5a5au;

  std::uint32_t active = kAllLanes;  // of every warp but the second one, which has its complement where it is not all
  std::uint32_t guard = kAllLanes;
  bool guard_negated = false;
  bool in_place = false;  // the destination is the first source's register

  Bench(const Level& level, Operation operation, std::vector<Modifier> modifiers, std::vector<Type> types)
      : level_(level) {
    instruction_.operation = operation;
    for (const Modifier modifier : modifiers) instruction_.modifiers[instruction_.modifier_count++] = modifier;
    for (const Type type : types) instruction_.types[instruction_.type_count++] = type;
    instruction_.destinations = 1;
  }

  /// Results as bits of a register of `result_bits` (1: predicates, 0 or 1), one per value of the longest column.
  std::vector<std::uint64_t> run(unsigned result_bits, std::vector<Column> sources) {
    lay_out(result_bits, sources);
    std::size_t count = 0;
    for (const Column& source : sources) count = std::max(count, source.values.size());
    std::vector<std::uint64_t> results;
    const Op op = decoded(sources);
    for (std::size_t first = 0; first < count; first += kWarps * kLanes) {
      load(sources, first);
      Context context;
      context.registers = registers_.data();
      context.constants = constants_.data();
      context.frame_bytes = frame_bytes_;
      context.warps = kWarps;
      for (unsigned warp = 0; warp < kWarps; ++warp) context.active[warp] = active_of(warp);
      const Op* const next = op.run(&op, context);
      REQUIRE(next - &op == 1);
      for (std::size_t lane = 0; lane < kWarps * kLanes && first + lane < count; ++lane) results.push_back(result(lane));
    }
    return results;
  }
  std::uint64_t one(unsigned result_bits, std::vector<Column> sources) { return run(result_bits, std::move(sources))[0]; }

  /// Whether a lane (of all warps) runs the operation.
  [[nodiscard]] bool runs(std::size_t lane) const {
    const std::uint32_t mask = active_of(lane / kLanes % kWarps) & (guard ^ (guard_negated ? kAllLanes : 0));
    return (mask >> lane % kLanes & 1u) != 0;
  }
  [[nodiscard]] bool selected() const { return select({}).run != nullptr; }

 private:
  static constexpr std::size_t kSlotBytes = 32 * 8;
  static constexpr Slot kGuardSlot = kFirstFreeSlot;
  static constexpr Slot kResultSlot = 128;

  [[nodiscard]] std::uint32_t active_of(std::size_t warp) const {
    return warp == 1 && active != kAllLanes ? ~active : active;
  }

  static Type register_type(unsigned bits) {
    return bits == 1 ? Type::pred : bits == 8 ? Type::b8 : bits == 16 ? Type::b16 : bits == 32 ? Type::b32 : Type::b64;
  }

  void lay_out(unsigned result_bits, const std::vector<Column>& sources) {
    function_ = {};
    const auto add = [this](unsigned bits, bool constant) {
      ptx::Operand operand;
      operand.kind = constant ? ptx::Operand::Kind::immediate : ptx::Operand::Kind::reg;
      operand.index = static_cast<std::uint32_t>(function_.registers.size());
      function_.registers.push_back({"r", register_type(bits), 1, {}});
      function_.operands.push_back(operand);
    };
    add(result_bits, false);
    for (const Column& source : sources) add(source.bits, source.constant);
    instruction_.operand_count = static_cast<std::uint16_t>(function_.operands.size());
    result_bits_ = result_bits;
    frame_bytes_ = static_cast<std::uint32_t>(kResultSlot + kSlotBytes * function_.operands.size());
    registers_.assign(std::size_t{frame_bytes_} * kWarps, std::byte{0x5a});
    constants_.assign(kSlotBytes * function_.operands.size(), std::byte{});
  }

  [[nodiscard]] Selected select(const std::vector<Column>&) const {
    for (const Select family : level_.families) {
      const Selected selected = family(instruction_, function_);
      if (selected.run != nullptr) return selected;
    }
    return {};
  }

  Op decoded(const std::vector<Column>& sources) {
    const Selected selected = select(sources);
    const bool known = selected.run != nullptr;
    REQUIRE_MESSAGE(known, "no family has the instruction");
    Op op;
    op.run = selected.run;
    op.immediate = selected.immediate;
    op.instruction = &instruction_;
    op.guard = guard == kAllLanes && !guard_negated ? kTrueSlot : kGuardSlot;
    op.guard_flip = guard_negated ? kAllLanes : 0;
    slots_.clear();
    slots_.push_back(static_cast<Slot>(in_place ? kResultSlot + kSlotBytes : kResultSlot));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      slots_.push_back(sources[i].constant ? kConstant | static_cast<Slot>(i * kSlotBytes)
                                           : static_cast<Slot>(kResultSlot + (i + 1) * kSlotBytes));
    }
    if (slots_.size() > op.operands.size()) op.slots = slots_.data();
    for (std::size_t i = 0; i < slots_.size() && i < op.operands.size(); ++i) op.operands[i] = slots_[i];
    return op;
  }

  void load(const std::vector<Column>& sources, std::size_t first) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      std::byte* const frame = registers_.data() + std::size_t{frame_bytes_} * warp;
      std::memcpy(frame + kTrueSlot, &kAllLanes, sizeof kAllLanes);
      std::memcpy(frame + kGuardSlot, &guard, sizeof guard);
      std::memset(frame + kResultSlot, 0x5a, kSlotBytes);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::size_t bytes = sources[i].bits / 8;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const std::uint64_t value = sources[i].values[(first + warp * kLanes + lane) % sources[i].values.size()];
          std::memcpy(frame + kResultSlot + (i + 1) * kSlotBytes + lane * bytes, &value, bytes);
          if (sources[i].constant) std::memcpy(constants_.data() + i * kSlotBytes + lane * bytes, &value, bytes);
        }
      }
    }
  }

  [[nodiscard]] std::uint64_t result(std::size_t lane) const {
    const std::byte* const at = registers_.data() + std::size_t{frame_bytes_} * (lane / kLanes) + slots_[0];
    std::uint64_t value = 0;
    if (result_bits_ == 1) {
      std::memcpy(&value, at, 4);
      return value >> lane % kLanes & 1u;
    }
    std::memcpy(&value, at + lane % kLanes * (result_bits_ / 8), result_bits_ / 8);
    return value;
  }

  const Level& level_;
  ptx::Instruction instruction_;
  ptx::Function function_;
  std::vector<std::byte> registers_;
  std::vector<std::byte> constants_;
  std::vector<Slot> slots_;
  std::uint32_t frame_bytes_ = 0;
  unsigned result_bits_ = 0;
};

/// Runs the body once for each level, which a failure names.
template <class Body>
void at_each_level(Body body) {
  for (const Level& level : levels()) {
    CAPTURE(level.name);
    body(level);
  }
}

/// Edge values of f32, then random bits.
inline std::vector<float> sample_f32(std::size_t count, std::uint32_t seed) {
  std::vector<float> values;
  for (const std::uint32_t code : {0x00000000u, 0x00000001u, 0x00000002u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x3f000000u,
                                   0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3fc00000u, 0x40000000u, 0x4effffffu, 0x4f000000u,
                                   0x4f7fffffu, 0x4f800000u, 0x5f000000u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u, 0x7f800001u}) {
    values.push_back(std::bit_cast<float>(code));
    values.push_back(std::bit_cast<float>(code | 0x80000000u));
  }
  std::mt19937 random(seed);
  while (values.size() < count) {
    const std::uint32_t code = random();
    // Half of them near 1, so that sums and products meet each other.
    values.push_back(std::bit_cast<float>((code & 1u) != 0 ? code : (code & 0x80ffffffu) | 0x3c000000u | (code & 0x07000000u)));
  }
  return values;
}
inline std::vector<double> sample_f64(std::size_t count, std::uint32_t seed) {
  std::vector<double> values;
  for (const float x : sample_f32(42, 0)) values.push_back(static_cast<double>(x));
  for (const std::uint64_t code : std::initializer_list<std::uint64_t>{0x0000000000000001u, 0x000fffffffffffffu, 0x0010000000000000u, 0x3fefffffffffffffu,
                                   0x7fefffffffffffffu, 0x43dfffffffffffffu, 0x43e0000000000000u, 0x41dfffffffc00000u}) {
    values.push_back(std::bit_cast<double>(code));
    values.push_back(std::bit_cast<double>(code | std::uint64_t{1} << 63));
  }
  std::mt19937_64 random(seed);
  while (values.size() < count) {
    const std::uint64_t code = random();
    values.push_back(std::bit_cast<double>((code & 1u) != 0 ? code : (code & 0x800fffffffffffffu) | 0x3fe0000000000000u |
                                                                         (code & 0x0030000000000000u)));
  }
  return values;
}

}  // namespace bascule::simt::float_test
