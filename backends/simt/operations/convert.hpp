// What the conversions share: registers that are wider than the type in them, the packed description of a conversion, and the
// loop that every conversion is put into. Only inside files x_cpu.cpp.
//
// A conversion is a block: a function from 32 values in an array to 32 values in another. The loop hands it the registers
// themselves where they have the types' own width, else a narrowed copy, and extends its results to the destination's width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "backends/simt/operations/float_mode.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// Bits of the slot that an operand of `type` has: its register's, which may be wider, or the type's own.
inline unsigned slot_bits(const ptx::Instruction& instruction, const ptx::Function& function, std::size_t position,
                          ptx::Type type) {
  const ptx::Operand& operand = function.operand(instruction, position);
  if (operand.kind == ptx::Operand::Kind::reg) type = function.registers[operand.index].type;
  const unsigned bits = ptx::bits_of(type);
  return bits < 8 ? 8 : bits;
}

inline bool is_signed(ptx::Type type) { return ptx::kind_of(type) == 's'; }
inline bool is_integer(ptx::Type type) {
  const char kind = ptx::kind_of(type);
  return kind == 's' || kind == 'u' || kind == 'b';
}

/// Op::immediate of a conversion.
///   bits 0-3   rounding, kFlush, kSaturate of float_mode.hpp
///   bits 4-7   kFinite (.satfinite), kRelu, and what a family adds
///   bits 8-15  source type's bits       bit 30  signed
///   bits 16-23 destination type's bits  bit 31  signed
///   bits 32-39 source register's bits
///   bits 40-47 destination register's bits
class ConversionRule {
 public:
  static constexpr std::uint64_t kFinite = 16;
  static constexpr std::uint64_t kRelu = 32;
  static constexpr std::uint64_t kAway = 64;      // .rna
  static constexpr std::uint64_t kIntegral = 128; // .rni .rzi .rmi .rpi

  static std::uint64_t of(const ptx::Instruction& instruction, const ptx::Function& function) {
    using ptx::Modifier;
    const ptx::Type to = instruction.type(0);
    const ptx::Type from = instruction.type(1);
    std::uint64_t rule = mode_of(instruction);
    if (instruction.has(Modifier::satfinite)) rule |= kFinite;
    if (instruction.has(Modifier::relu)) rule |= kRelu;
    if (instruction.has(Modifier::rna)) rule |= kAway;
    if (instruction.has(Modifier::rni) || instruction.has(Modifier::rzi) || instruction.has(Modifier::rmi) ||
        instruction.has(Modifier::rpi)) {
      rule |= kIntegral;
    }
    rule |= std::uint64_t{ptx::bits_of(from)} << 8 | std::uint64_t{ptx::bits_of(to)} << 16;
    rule |= std::uint64_t{is_signed(from)} << 30 | std::uint64_t{is_signed(to)} << 31;
    rule |= std::uint64_t{slot_bits(instruction, function, 1, from)} << 32;
    rule |= std::uint64_t{slot_bits(instruction, function, 0, to)} << 40;
    return rule;
  }

  explicit ConversionRule(std::uint64_t immediate) : bits_(immediate) {}
  explicit ConversionRule(const Op* op) : bits_(op->immediate) {}
  [[nodiscard]] Rounding rounding() const { return static_cast<Rounding>(bits_ & 3u); }
  [[nodiscard]] Rounding any_rounding() const { return has(kAway) ? Rounding::away : rounding(); }
  [[nodiscard]] bool has(std::uint64_t flag) const { return (bits_ & flag) != 0; }
  [[nodiscard]] float threshold() const { return has(kFlush) ? kSmallestNormal : 0.0f; }
  [[nodiscard]] unsigned source_bits() const { return bits_ >> 8 & 0xffu; }
  [[nodiscard]] unsigned result_bits() const { return bits_ >> 16 & 0xffu; }
  [[nodiscard]] bool source_signed() const { return (bits_ >> 30 & 1u) != 0; }
  [[nodiscard]] bool result_signed() const { return (bits_ >> 31 & 1u) != 0; }
  [[nodiscard]] unsigned source_slot_bits() const { return bits_ >> 32 & 0xffu; }
  [[nodiscard]] unsigned result_slot_bits() const { return bits_ >> 40 & 0xffu; }

 private:
  std::uint64_t bits_;
};

/// 32 values of `slot_bits` each; `at` is where a slot is in one warp's registers or in the constants.
template <class T, class Wide>
inline void narrow_lanes(const std::byte* at, T* values) {
  const Wide* const wide = reinterpret_cast<const Wide*>(at);
  for (unsigned i = 0; i < kLanes; ++i) values[i] = std::bit_cast<T>(static_cast<Word<T>>(wide[i]));
}

/// The lanes of a slot as values of T, its low bits: the slot itself where it has T's width, else a copy in `room`.
template <class T>
inline const T* low_lanes(const std::byte* at, unsigned slot_bits, T* room) {
  if (slot_bits == 8 * sizeof(T)) return reinterpret_cast<const T*>(at);
  switch (slot_bits) {
    case 16: narrow_lanes<T, std::uint16_t>(at, room); break;
    case 32: narrow_lanes<T, std::uint32_t>(at, room); break;
    default: narrow_lanes<T, std::uint64_t>(at, room); break;
  }
  return room;
}

/// The lanes of a slot of any width, zero-extended or cut to 32 bits.
inline void extend_to_32(const std::byte* at, unsigned slot_bits, std::uint32_t* values) {
  switch (slot_bits) {
    case 8: return narrow_lanes<std::uint32_t, std::uint8_t>(at, values);
    case 16: return narrow_lanes<std::uint32_t, std::uint16_t>(at, values);
    case 32: return narrow_lanes<std::uint32_t, std::uint32_t>(at, values);
    default: return narrow_lanes<std::uint32_t, std::uint64_t>(at, values);
  }
}

/// Stores the lanes of `mask`. T is signed where narrower values are to be sign-extended to the slot.
template <class Wide, class T>
inline void store_as(std::byte* at, const T* values, std::uint32_t mask) {
  each_lane(reinterpret_cast<Wide*>(at), mask, [values](unsigned i) { return static_cast<Wide>(values[i]); });
}
template <class T>
inline void store_lanes(std::byte* at, unsigned slot_bits, const T* values, std::uint32_t mask) {
  switch (slot_bits) {
    case 8: store_as<std::uint8_t>(at, values, mask); break;
    case 16: store_as<std::uint16_t>(at, values, mask); break;
    case 32: store_as<std::uint32_t>(at, values, mask); break;
    default: store_as<std::uint64_t>(at, values, mask); break;
  }
}

/// The rounding mode is set around all of it: reads and writes of registers, which the compiler must not move, hold the
/// arithmetic on local arrays between them.
/// Block: `static void run(const Source* from, Result* to, const ConversionRule& rule)`; Result is an integer type.
template <class Block>
const Op* convert(const Op* op, Context& context) {
  using From = typename Block::From;
  using To = typename Block::To;
  const ConversionRule rule(op);
  const RoundingScope scope(rule.rounding());
  Mask mask(*op, context);
  Destination<std::byte> d(context, op->operands[0]);
  Source<std::byte> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    alignas(64) From narrowed[kLanes];
    alignas(64) To results[kLanes];
    Block::run(low_lanes(a.lanes(), rule.source_slot_bits(), narrowed), results, rule);
    store_lanes(d.lanes(), rule.result_slot_bits(), results, lanes);
  }
  return op + 1;
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
