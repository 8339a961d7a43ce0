// ld and ldu: from memory into registers, which may be wider than what is read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <type_traits>

#include "backends/simt/operations/memory_lanes.hpp"
#include "backends/simt/operations/memory_select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// One lane's `count` elements of M into the lane of each destination; sinks stay unread.
template <class M, class R>
[[gnu::always_inline]] inline void load_lane(const std::byte* from, R* const* destinations, unsigned count, unsigned lane) {
  for (unsigned k = 0; k < count; ++k) {
    if (destinations[k] != nullptr) destinations[k][lane] = static_cast<R>(guest_load<M>(from + k * sizeof(M)));
  }
}

/// The destinations of one warp; nullptr for sinks.
template <class R>
struct Destinations {
  std::array<R*, 8> lanes{};
  Destinations(const Context& context, const Slot* slots, unsigned count, unsigned warp) {
    for (unsigned k = 0; k < count; ++k) {
      if (slots[k] == kNoSlot) continue;
      lanes[k] = reinterpret_cast<R*>(context.registers + slots[k] + std::size_t{warp} * context.frame_bytes);
    }
  }
};

/// Any mask, any pattern, any space. False: fault.
template <class M, class R, class A>
[[gnu::noinline]] bool load_scattered(const Op* op, Context& context, unsigned warp, std::uint32_t mask, const A* base,
                                      const Slot* slots, unsigned count, Where where) {
  if (mask == 0) return true;
  const unsigned bytes = count * static_cast<unsigned>(sizeof(M));
  std::array<std::byte*, kLanes> from;
  if (!reach(op, context, warp, mask, address_lanes(base, *op), {where, bytes, bytes}, from)) return false;
  const Destinations<R> to(context, slots, count, warp);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    load_lane<M, R>(from[lane], to.lanes.data(), count, lane);
  }
  return true;
}

/// The 32 lanes of a full warp whose elements lie one after another from `from`.
template <class M, class R, unsigned count>
[[gnu::always_inline]] inline void load_contiguous(const std::byte* from, const Destinations<R>& to) {
  if constexpr (count == 1 && sizeof(M) == sizeof(R)) {
    guest_load_many(to.lanes[0], from, kLanes);
  } else {
    alignas(64) M values[kLanes * count];
    guest_load_many(values, from, kLanes * count);
    for (unsigned k = 0; k < count; ++k) {
      R* const lanes = to.lanes[k];
      for (unsigned i = 0; i < kLanes; ++i) lanes[i] = static_cast<R>(values[i * count + k]);
    }
  }
}

template <class M, class R, unsigned count>
[[gnu::always_inline]] inline void load_uniform(const std::byte* from, const Destinations<R>& to) {
  for (unsigned k = 0; k < count; ++k) {
    const R value = static_cast<R>(guest_load<M>(from + k * sizeof(M)));
    R* const lanes = to.lanes[k];
    for (unsigned i = 0; i < kLanes; ++i) lanes[i] = value;
  }
}

/// The lanes of `mask`, whose elements lie side by side as if all 32 began at `from`, in memory that all 32 lie in.
template <class M, class R>
[[gnu::always_inline]] inline void load_part(const std::byte* from, const Destinations<R>& to, std::uint32_t mask) {
  alignas(64) M values[kLanes];
  alignas(64) R wide[kLanes];
  guest_load_many(values, from, kLanes);
  for (unsigned i = 0; i < kLanes; ++i) wide[i] = static_cast<R>(values[i]);
  blend_lanes(to.lanes[0], wide, mask);
}

/// For host and shared addresses: one step for a full warp where its lanes' elements are side by side or all the same.
template <class M, class R, unsigned count, class A, Where where>
const Op* load_fast(const Op* op, Context& context) {
  constexpr unsigned bytes = count * sizeof(M);
  const Slot* const slots = slots_of(*op, count + 1);
  Mask mask(*op, context);
  Source<A> base(context, slots[count]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    const A* const lanes = base.lanes();
    if (mask.lanes() == 0) continue;
    if (mask.lanes() == kAllLanes) [[likely]] {
      const A first = static_cast<A>(lanes[0] + op->immediate);
      const Pattern pattern = pattern_of<bytes>(lanes);
      if (pattern == Pattern::contiguous) {
        if (const std::byte* const from = reach_one<where>(context, first, bytes * kLanes, bytes)) {
          load_contiguous<M, R, count>(from, Destinations<R>(context, slots, count, warp));
          continue;
        }
      } else if (pattern == Pattern::uniform) {
        if (const std::byte* const from = reach_one<where>(context, first, bytes, bytes)) {
          load_uniform<M, R, count>(from, Destinations<R>(context, slots, count, warp));
          continue;
        }
      }
    } else if constexpr (count == 1 && where == Where::shared) {
      if (A first = 0; contiguous_where<bytes>(lanes, mask.lanes(), first)) {
        const A address = static_cast<A>(first + op->immediate);
        if (const std::byte* const from = reach_one<where>(context, address, bytes * kLanes, bytes)) {
          load_part<M, R>(from, Destinations<R>(context, slots, count, warp), mask.lanes());
          continue;
        }
      }
    }
    if (!load_scattered<M, R, A>(op, context, warp, mask.lanes(), lanes, slots, count, where)) return nullptr;
  }
  return op + 1;
}

template <class M, class R, class A, Where where>
const Op* load_slow(const Op* op, Context& context) {
  const unsigned count = op->instruction->vector;
  const Slot* const slots = slots_of(*op, count + 1);
  Mask mask(*op, context);
  Source<A> base(context, slots[count]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    if (!load_scattered<M, R, A>(op, context, warp, mask.lanes(), base.lanes(), slots, count, where)) return nullptr;
  }
  return op + 1;
}

struct Value128 {
  std::uint64_t low, high;
};

/// A b128 register is two 64-bit slots, low first.
template <class A, Where where>
const Op* load_128(const Op* op, Context& context) {
  Mask mask(*op, context);
  Source<A> base(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    std::array<std::byte*, kLanes> from;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(base.lanes(), *op), {where, 16, 16}, from)) return nullptr;
    if (op->operands[0] == kNoSlot) continue;
    auto* const low = reinterpret_cast<std::uint64_t*>(context.registers + op->operands[0] +
                                                       std::size_t{warp} * context.frame_bytes);
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      low[lane] = guest_load<std::uint64_t>(from[lane]);
      low[kLanes + lane] = guest_load<std::uint64_t>(from[lane] + 8);
    }
  }
  return op + 1;
}

template <class M, class R>
Handler slow_for(const MemoryForm& form) {
  return pick_access(form, []<class A, Where where>() -> Handler { return load_slow<M, R, A, where>; });
}

template <class M, class R>
Handler load_for(const MemoryForm& form) {
  if (form.sinks || (form.where != Where::host && form.where != Where::shared)) return slow_for<M, R>(form);
  if (form.count == 1) return pick_fast(form, []<class A, Where where>() -> Handler { return load_fast<M, R, 1, A, where>; });
  if constexpr (sizeof(M) == sizeof(R) && std::is_unsigned_v<M>) {
    if (form.count == 2) return pick_fast(form, []<class A, Where where>() -> Handler { return load_fast<M, R, 2, A, where>; });
    if (form.count == 4) return pick_fast(form, []<class A, Where where>() -> Handler { return load_fast<M, R, 4, A, where>; });
  }
  return slow_for<M, R>(form);
}

template <unsigned MemoryBytes, unsigned RegisterBytes>
Handler load_widths(const MemoryForm& form) {
  using M = Unsigned<MemoryBytes>;
  using R = Unsigned<RegisterBytes>;
  if constexpr (MemoryBytes < RegisterBytes) {
    if (form.is_signed) return load_for<std::make_signed_t<M>, R>(form);
  }
  return load_for<M, R>(form);
}

}  // namespace

Handler load_handler(const MemoryForm& form) {
  if (form.memory_bytes == 16) {
    return pick_access(form, []<class A, Where where>() -> Handler { return load_128<A, where>; });
  }
  switch (form.memory_bytes * 16 + form.register_bytes) {
    case 0x11: return load_widths<1, 1>(form);
    case 0x12: return load_widths<1, 2>(form);
    case 0x14: return load_widths<1, 4>(form);
    case 0x18: return load_widths<1, 8>(form);
    case 0x22: return load_widths<2, 2>(form);
    case 0x24: return load_widths<2, 4>(form);
    case 0x28: return load_widths<2, 8>(form);
    case 0x44: return load_widths<4, 4>(form);
    case 0x48: return load_widths<4, 8>(form);
    case 0x88: return load_widths<8, 8>(form);
    default: return nullptr;
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
