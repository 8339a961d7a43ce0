// What mma and wmma share: how a product is described, its operands' registers, selection by types and modifiers. Included by
// x_cpu.cpp files only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/operations/matrix_numbers.hpp"
#include "backends/simt/operations/warp_meeting.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// What a product of matrices computes; travels in Op::immediate.
struct Product {
  Format a, b, c, d;
  std::uint8_t row_parts;     // 8 rows each
  std::uint8_t column_parts;  // 8 columns each
  std::uint8_t flags;
  std::uint8_t k_parts;       // mma: of 4 E each, E elements per register (matrix_fragment.hpp). wmma: k itself
};
static_assert(sizeof(Product) == sizeof(std::uint64_t));
inline constexpr std::uint8_t kSaturate = 1, kColumnMajorA = 2, kColumnMajorB = 4;
inline constexpr unsigned kRoundingShift = 4;  // of flags: 0 rn, 1 rz, 2 rm, 3 rp

inline Product product_of(const Op& op) {
  Product product;
  std::memcpy(&product, &op.immediate, sizeof product);
  return product;
}

/// The registers of one operand in one warp.
template <class T>
[[gnu::always_inline]] inline const T* register_lanes(const Context& context, Slot slot, unsigned warp) {
  const std::byte* const base = (slot & kConstant) != 0 ? context.constants + (slot & ~kConstant)
                                                        : context.registers + slot + std::size_t{warp} * context.frame_bytes;
  return reinterpret_cast<const T*>(base);
}

/// Writes one result register: all lanes, or those of `mask`. A sink is passed over.
template <class T>
[[gnu::always_inline]] inline void write_register(const Context& context, Slot slot, unsigned warp, std::uint32_t mask,
                                                  const T* result) {
  if (slot == kNoSlot) return;
  T* const lanes = reinterpret_cast<T*>(context.registers + slot + std::size_t{warp} * context.frame_bytes);
  if (mask == kAllLanes) {
    std::memcpy(lanes, result, kLanes * sizeof(T));
  } else {
    blend_lanes(lanes, result, mask);
  }
}

/// Where each operand's registers start among the slots of d, a, b, c.
struct Operands {
  const Slot* d;
  const Slot* a;
  const Slot* b;
  const Slot* c;
};

inline Operands operand_slots(const Op& op, unsigned d, unsigned a, unsigned b, unsigned c) {
  const Slot* const first = d + a + b + c > op.operands.size() ? op.slots : op.operands.data();
  return {first, first + d, first + d + a, first + d + a + b};
}

/// Runs f(warp, active lanes) for each warp that takes part, once all its lanes have come.
template <class F>
[[gnu::always_inline]] inline const Op* each_whole_warp(const Op* op, Context& context, F f) {
  if (!whole_warps_have_come(op, context)) [[unlikely]] return await_whole_warps(op, context);
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    if (mask.lanes() != 0) f(warp, mask.lanes());
  }
  return op + 1;
}

inline Format format_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::f16: return Format::f16;
    case ptx::Type::bf16: return Format::bf16;
    case ptx::Type::tf32: return Format::tf32;
    case ptx::Type::e4m3: return Format::e4m3;
    case ptx::Type::e5m2: return Format::e5m2;
    case ptx::Type::s8: return Format::s8;
    case ptx::Type::u8: return Format::u8;
    case ptx::Type::s4: return Format::s4;
    case ptx::Type::u4: return Format::u4;
    case ptx::Type::b1: return Format::b1;
    case ptx::Type::f64: return Format::f64;
    case ptx::Type::s32: return Format::s32;
    default: return Format::f32;
  }
}

inline std::uint8_t flags_of(const ptx::Instruction& instruction) {
  std::uint8_t flags = 0;
  if (instruction.has(ptx::Modifier::satfinite)) flags |= kSaturate;
  if (instruction.has(ptx::Modifier::rz)) flags |= 1 << kRoundingShift;
  if (instruction.has(ptx::Modifier::rm)) flags |= 2 << kRoundingShift;
  if (instruction.has(ptx::Modifier::rp)) flags |= 3 << kRoundingShift;
  unsigned layouts = 0;
  for (unsigned i = 0; i < instruction.modifier_count; ++i) {
    const ptx::Modifier modifier = instruction.modifiers[i];
    if (modifier != ptx::Modifier::row && modifier != ptx::Modifier::col) continue;
    if (modifier == ptx::Modifier::col) flags |= layouts == 0 ? kColumnMajorA : kColumnMajorB;
    ++layouts;
  }
  return flags;
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
