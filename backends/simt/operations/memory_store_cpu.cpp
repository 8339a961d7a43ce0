// st: from registers, of which the low bits count, into memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/memory_lanes.hpp"
#include "backends/simt/operations/memory_select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// The sources of one warp. Registers have lanes of R, constants of the memory's type M; a sink writes nothing.
template <class M, class R>
class Values {
 public:
  Values(const Context& context, const Slot* slots, unsigned count, unsigned warp) {
    for (unsigned k = 0; k < count; ++k) {
      if (slots[k] == kNoSlot) continue;
      constant_[k] = (slots[k] & kConstant) != 0;
      lanes_[k] = constant_[k] ? context.constants + (slots[k] & ~kConstant)
                               : context.registers + slots[k] + std::size_t{warp} * context.frame_bytes;
    }
  }
  [[nodiscard]] bool written(unsigned k) const { return lanes_[k] != nullptr; }
  [[nodiscard]] bool constant(unsigned k) const { return constant_[k]; }
  [[nodiscard]] const R* registers(unsigned k) const { return reinterpret_cast<const R*>(lanes_[k]); }
  [[nodiscard]] M get(unsigned k, unsigned lane) const {
    return constant_[k] ? reinterpret_cast<const M*>(lanes_[k])[lane] : static_cast<M>(registers(k)[lane]);
  }

 private:
  std::array<const std::byte*, 8> lanes_{};
  std::array<bool, 8> constant_{};
};

template <class M, class R, class A>
[[gnu::noinline]] bool store_scattered(const Op* op, Context& context, unsigned warp, std::uint32_t mask, const A* base,
                                       const Values<M, R>& values, unsigned count, Where where) {
  if (mask == 0) return true;
  const unsigned bytes = count * static_cast<unsigned>(sizeof(M));
  std::array<std::byte*, kLanes> to;
  if (!reach(op, context, warp, mask, address_lanes(base, *op), {where, bytes, bytes}, to)) return false;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    for (unsigned k = 0; k < count; ++k) {
      if (values.written(k)) guest_store<M>(to[lane] + k * sizeof(M), values.get(k, lane));
    }
  }
  return true;
}

template <class M, class R, unsigned count>
[[gnu::always_inline]] inline void store_contiguous(std::byte* to, const Values<M, R>& values) {
  if constexpr (count == 1 && sizeof(M) == sizeof(R)) {
    guest_store_many(to, values.registers(0), kLanes);
  } else {
    alignas(64) M packed[kLanes * count];
    for (unsigned k = 0; k < count; ++k) {
      if (sizeof(M) != sizeof(R) && values.constant(k)) {
        for (unsigned i = 0; i < kLanes; ++i) packed[i * count + k] = values.get(k, i);
      } else {
        const R* const lanes = values.registers(k);
        for (unsigned i = 0; i < kLanes; ++i) packed[i * count + k] = static_cast<M>(lanes[i]);
      }
    }
    guest_store_many(to, packed, kLanes * count);
  }
}

/// For host and shared addresses: one step for a full warp whose lanes' elements are side by side.
template <class M, class R, unsigned count, class A, Where where>
const Op* store_fast(const Op* op, Context& context) {
  constexpr unsigned bytes = count * sizeof(M);
  const Slot* const slots = slots_of(*op, count + 1);
  Mask mask(*op, context);
  Source<A> base(context, slots[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    const A* const lanes = base.lanes();
    if (mask.lanes() == 0) continue;
    const Values<M, R> values(context, slots + 1, count, warp);
    if (mask.lanes() == kAllLanes && pattern_of<bytes>(lanes) == Pattern::contiguous) [[likely]] {
      const A first = static_cast<A>(lanes[0] + op->immediate);
      if (std::byte* const to = reach_one<where>(context, first, bytes * kLanes, bytes)) {
        store_contiguous<M, R, count>(to, values);
        continue;
      }
    }
    if (!store_scattered<M, R, A>(op, context, warp, mask.lanes(), lanes, values, count, where)) return nullptr;
  }
  return op + 1;
}

template <class M, class R, class A, Where where>
const Op* store_slow(const Op* op, Context& context) {
  const unsigned count = op->instruction->vector;
  const Slot* const slots = slots_of(*op, count + 1);
  Mask mask(*op, context);
  Source<A> base(context, slots[0]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    const Values<M, R> values(context, slots + 1, count, warp);
    if (!store_scattered<M, R, A>(op, context, warp, mask.lanes(), base.lanes(), values, count, where)) return nullptr;
  }
  return op + 1;
}

template <class A, Where where>
const Op* store_128(const Op* op, Context& context) {
  Mask mask(*op, context);
  Source<A> base(context, op->operands[0]);
  Source<std::uint64_t> value(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next(), value.next()) {
    std::array<std::byte*, kLanes> to;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(base.lanes(), *op), {where, 16, 16}, to)) return nullptr;
    const std::uint64_t* const low = value.lanes();
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      guest_store(to[lane], low[lane]);
      guest_store(to[lane] + 8, low[kLanes + lane]);
    }
  }
  return op + 1;
}

template <class M, class R>
Handler slow_for(const MemoryForm& form) {
  return pick_access(form, []<class A, Where where>() -> Handler { return store_slow<M, R, A, where>; });
}

template <unsigned MemoryBytes, unsigned RegisterBytes>
Handler store_widths(const MemoryForm& form) {
  using M = Unsigned<MemoryBytes>;
  using R = Unsigned<RegisterBytes>;
  if (form.sinks || (form.where != Where::host && form.where != Where::shared)) return slow_for<M, R>(form);
  if (form.count == 1) return pick_fast(form, []<class A, Where where>() -> Handler { return store_fast<M, R, 1, A, where>; });
  if constexpr (sizeof(M) == sizeof(R)) {
    if (form.count == 2) return pick_fast(form, []<class A, Where where>() -> Handler { return store_fast<M, R, 2, A, where>; });
    if (form.count == 4) return pick_fast(form, []<class A, Where where>() -> Handler { return store_fast<M, R, 4, A, where>; });
  }
  return slow_for<M, R>(form);
}

}  // namespace

Handler store_handler(const MemoryForm& form) {
  if (form.memory_bytes == 16) {
    return pick_access(form, []<class A, Where where>() -> Handler { return store_128<A, where>; });
  }
  switch (form.memory_bytes * 16 + form.register_bytes) {
    case 0x11: return store_widths<1, 1>(form);
    case 0x12: return store_widths<1, 2>(form);
    case 0x14: return store_widths<1, 4>(form);
    case 0x18: return store_widths<1, 8>(form);
    case 0x22: return store_widths<2, 2>(form);
    case 0x24: return store_widths<2, 4>(form);
    case 0x28: return store_widths<2, 8>(form);
    case 0x44: return store_widths<4, 4>(form);
    case 0x48: return store_widths<4, 8>(form);
    case 0x88: return store_widths<8, 8>(form);
    default: return nullptr;
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
