// selp and slct: one of two values, by a predicate or by a number's sign.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/integer_types.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

/// d = chosen lanes ? a : b, for the lanes of `mask`.
template <class T>
[[gnu::always_inline]] inline void choose(T* d, const T* a, const T* b, u32 chosen, u32 mask) {
  if (mask == kAllLanes) [[likely]] {
    select_lanes(d, a, b, chosen);
  } else {
    alignas(64) T result[kLanes];
    select_lanes(result, a, b, chosen);
    blend_lanes(d, result, mask);
  }
}

// Op::immediate of selp: 1 where the predicate is negated.
template <class T>
const Op* select_by_predicate(const Op* op, Context& context) {
  const u32 flip = op->immediate != 0 ? kAllLanes : 0;
  Mask mask(*op, context);
  Destination<T> d(context, op->operands[0]);
  Source<T> a(context, op->operands[1]);
  Source<T> b(context, op->operands[2]);
  Source<u32> c(context, op->operands[3]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next(), c.next()) {
    choose(d.lanes(), a.lanes(), b.lanes(), *c.lanes() ^ flip, mask.lanes());
  }
  return op + 1;
}

// Op::immediate of slct: the bits of the largest f32 magnitude that counts as zero, or kBySign for s32.
constexpr u64 kBySign = 0xffffffffu;

template <class T>
const Op* select_by_sign(const Op* op, Context& context) {
  // As integers: a magnitude above infinity's is NaN, which selects b; otherwise what is negative and not zero does.
  const u32 largest = op->immediate == kBySign ? 0xffffffffu : 0x7f800000u;
  const u32 zero = op->immediate == kBySign ? 0u : static_cast<u32>(op->immediate);
  const u32 magnitude_bits = op->immediate == kBySign ? 0u : 0x7fffffffu;
  const bool signed_zero = op->immediate != kBySign;
  Mask mask(*op, context);
  Destination<T> d(context, op->operands[0]);
  Source<T> a(context, op->operands[1]);
  Source<T> b(context, op->operands[2]);
  Source<u32> c(context, op->operands[3]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next(), c.next()) {
    const u32* const x = c.lanes();
    const u32 negative = gather_mask(x);
    const u32 number = mask_of<u32>([&](unsigned i) { return (x[i] & magnitude_bits) <= largest; });
    const u32 is_zero = mask_of<u32>([&](unsigned i) { return (x[i] & magnitude_bits) <= zero; });
    choose(d.lanes(), a.lanes(), b.lanes(), number & (~negative | (signed_zero ? is_zero : 0u)), mask.lanes());
  }
  return op + 1;
}

/// By width alone: values are copied as they are.
Handler by_width(Type type, Handler handler_16, Handler handler_32, Handler handler_64) {
  switch (ptx::bits_of(type)) {
    case 16: return handler_16;
    case 32: return handler_32;
    case 64: return handler_64;
    default: return nullptr;
  }
}

}  // namespace

Selected select_compare_select(const Instruction& instruction, const Function& function) {
  const Type type = instruction.type();
  if (instruction.operation == Operation::selp) {
    return {.run = by_width(type, select_by_predicate<u16>, select_by_predicate<u32>, select_by_predicate<u64>),
            .immediate = function.operand(instruction, 3).negated ? 1u : 0u,
            .layout = Layout::plain};
  }
  if (instruction.operation != Operation::slct) return {};
  const bool flush = instruction.has(Modifier::ftz);
  const u64 zero = instruction.type(1) == Type::s32 ? kBySign : flush ? 0x007fffffu : 0u;
  return {.run = by_width(type, select_by_sign<u16>, select_by_sign<u32>, select_by_sign<u64>),
          .immediate = zero,
          .layout = Layout::plain};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
