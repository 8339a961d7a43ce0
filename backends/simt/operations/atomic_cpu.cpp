// The family "atomic": atom and red. Lanes are served in ascending order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/atomic_update.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/memory_lanes.hpp"
#include "backends/simt/operations/memory_select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;
using ptx::Type;

/// Where the operands of an op are: destinations (atom only), address, values, and what cas puts in.
struct Operands {
  explicit Operands(const Op& op) {
    const bool returns = op.instruction->operation == Operation::atom;
    count = op.instruction->vector;
    const Slot* const slots = slots_of(op, (returns ? count : 0) + 1 + count);
    destination = returns ? slots : nullptr;
    address = slots[returns ? count : 0];
    value = slots + (returns ? count : 0) + 1;
  }
  unsigned count;
  const Slot* destination;
  Slot address;
  const Slot* value;
};

template <class T>
const T* lanes_of(const Context& context, Slot slot, unsigned warp) {
  if ((slot & kConstant) != 0) return reinterpret_cast<const T*>(context.constants + (slot & ~kConstant));
  return reinterpret_cast<const T*>(context.registers + slot + std::size_t{warp} * context.frame_bytes);
}

/// A lane's value: b128 registers are two 64-bit slots, low first.
template <class T>
T lane_value(const Context& context, Slot slot, unsigned warp, unsigned lane) {
  if constexpr (sizeof(T) == 16) {
    const auto* const low = lanes_of<std::uint64_t>(context, slot, warp);
    return static_cast<T>(low[kLanes + lane]) << 64 | low[lane];
  } else {
    return lanes_of<T>(context, slot, warp)[lane];
  }
}
template <class T>
void set_lane(const Context& context, Slot slot, unsigned warp, unsigned lane, T value) {
  std::byte* const at = context.registers + slot + std::size_t{warp} * context.frame_bytes;
  if constexpr (sizeof(T) == 16) {
    auto* const low = reinterpret_cast<std::uint64_t*>(at);
    low[lane] = static_cast<std::uint64_t>(value);
    low[kLanes + lane] = static_cast<std::uint64_t>(value >> 64);
  } else {
    reinterpret_cast<T*>(at)[lane] = value;
  }
}

/// Calls update(address, element, warp, lane) -> old value for every lane and element.
template <class T, class A, Where where, class F>
[[gnu::always_inline]] inline const Op* each_update(const Op* op, Context& context, F update) {
  const Operands operands(*op);
  const auto bytes = static_cast<unsigned>(operands.count * sizeof(T));
  Mask mask(*op, context);
  Source<A> base(context, operands.address);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    std::array<std::byte*, kLanes> at;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(base.lanes(), *op), {where, bytes, bytes}, at)) return nullptr;
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      for (unsigned k = 0; k < operands.count; ++k) {
        const T old = update(operands, at[lane] + k * sizeof(T), k, warp, lane);
        if (operands.destination != nullptr && operands.destination[k] != kNoSlot) {
          set_lane<T>(context, operands.destination[k], warp, lane, old);
        }
      }
    }
  }
  return op + 1;
}

template <class F, class A, Where where>
const Op* atomic(const Op* op, Context& context) {
  using T = typename F::Type;
  return each_update<T, A, where>(
      op, context, [&](const Operands& operands, std::byte* address, unsigned k, unsigned warp, unsigned lane) {
        const T b = lane_value<T>(context, operands.value[k], warp, lane);
        const auto f = [b](T old) { return F::apply(old, b); };
        return where == Where::shared ? update_shared<T>(address, f) : update_host<T>(address, f);
      });
}

/// atom.add.f32 of a generic address: what it does with subnormals depends on where that points.
template <class F, class A, Where where>
const Op* add_f32_anywhere(const Op* op, Context& context) {
  Block& block = *context.group->block;
  return each_update<std::uint32_t, A, where>(
      op, context, [&](const Operands& operands, std::byte* address, unsigned k, unsigned warp, unsigned lane) {
        const auto b = lane_value<std::uint32_t>(context, operands.value[k], warp, lane);
        const bool shared = shared_owner(block, reinterpret_cast<std::uintptr_t>(address)) != nullptr;
        return update_host<std::uint32_t>(
            address, [&](std::uint32_t old) { return shared ? AddF32::apply(old, b) : AddF32Flushed::apply(old, b); });
      });
}

template <class T, class A, Where where>
const Op* compare_exchange(const Op* op, Context& context) {
  return each_update<T, A, where>(
      op, context, [&](const Operands& operands, std::byte* address, unsigned, unsigned warp, unsigned lane) {
        const T expected = lane_value<T>(context, operands.value[0], warp, lane);
        const T desired = lane_value<T>(context, operands.value[1], warp, lane);
        if constexpr (where == Where::shared) {
          return update_shared<T>(address, [&](T old) { return old == expected ? desired : old; });
        } else {
          return compare_and_swap<T>(address, expected, desired);
        }
      });
}

template <class F>
Handler pick(const MemoryForm& form) {
  return pick_fast(form, []<class A, Where where>() -> Handler { return atomic<F, A, where>; });
}
template <class T>
Handler pick_exchange(const MemoryForm& form) {
  return pick_fast(form, []<class A, Where where>() -> Handler { return compare_exchange<T, A, where>; });
}

template <class T, class S>
Handler integer_handler(const ptx::Instruction& i, const MemoryForm& form) {
  const bool is_signed = form.is_signed;
  if (i.has(Modifier::add)) return pick<Add<T>>(form);
  if (i.has(Modifier::and_)) return pick<And<T>>(form);
  if (i.has(Modifier::or_)) return pick<Or<T>>(form);
  if (i.has(Modifier::xor_)) return pick<Xor<T>>(form);
  if (i.has(Modifier::exch)) return pick<Exchanged<T>>(form);
  if (i.has(Modifier::cas)) return pick_exchange<T>(form);
  if (i.has(Modifier::min)) return is_signed ? pick<Min<T, S>>(form) : pick<Min<T, T>>(form);
  if (i.has(Modifier::max)) return is_signed ? pick<Max<T, S>>(form) : pick<Max<T, T>>(form);
  if (sizeof(T) == 4 && i.has(Modifier::inc)) return pick<Increment>(form);
  if (sizeof(T) == 4 && i.has(Modifier::dec)) return pick<Decrement>(form);
  return nullptr;
}

template <NumberFormat kFormat, template <class> class Packed>
Handler half_handler(const ptx::Instruction& i, const MemoryForm& form) {
  if (i.has(Modifier::add)) return pick<Packed<HalfAdd<kFormat>>>(form);
  if (i.has(Modifier::min)) return pick<Packed<HalfSelect<kFormat, false>>>(form);
  if (i.has(Modifier::max)) return pick<Packed<HalfSelect<kFormat, true>>>(form);
  return nullptr;
}

Handler f32_handler(const ptx::Instruction& i, const MemoryForm& form) {
  if (i.has(Modifier::exch)) return pick<Exchanged<std::uint32_t>>(form);
  if (!i.has(Modifier::add)) return nullptr;
  if (form.where == Where::shared) return pick<AddF32>(form);
  if (i.space() == ptx::Space::global) return pick<AddF32Flushed>(form);
  return pick_fast(form, []<class A, Where where>() -> Handler { return add_f32_anywhere<AddF32, A, where>; });
}

Handler atomic_handler(const ptx::Instruction& i, const MemoryForm& form) {
  if (form.register_bytes != form.memory_bytes || (form.where != Where::host && form.where != Where::shared)) return nullptr;
  switch (i.type()) {
    case Type::f32: return f32_handler(i, form);
    case Type::f64: return i.has(Modifier::exch) ? pick<Exchanged<std::uint64_t>>(form)
                           : i.has(Modifier::add) ? pick<AddF64>(form) : nullptr;
    case Type::f16: return half_handler<kF16, OneHalf>(i, form);
    case Type::bf16: return half_handler<kBf16, OneHalf>(i, form);
    case Type::f16x2: return half_handler<kF16, TwoHalves>(i, form);
    case Type::bf16x2: return half_handler<kBf16, TwoHalves>(i, form);
    case Type::b16: return i.has(Modifier::cas) ? pick_exchange<std::uint16_t>(form) : nullptr;
    case Type::b128: return i.has(Modifier::cas) ? pick_exchange<Bits128>(form)
                            : i.has(Modifier::exch) ? pick<Exchanged<Bits128>>(form) : nullptr;
    case Type::b32:
    case Type::u32:
    case Type::s32: return integer_handler<std::uint32_t, std::int32_t>(i, form);
    case Type::b64:
    case Type::u64:
    case Type::s64: return integer_handler<std::uint64_t, std::int64_t>(i, form);
    default: return nullptr;
  }
}

}  // namespace

Selected select_atomic(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation == Operation::atom) {
    return {atomic_handler(instruction, memory_form(instruction, function, 2, 1)), 0, Layout::memory};
  }
  if (instruction.operation == Operation::red) {
    return {atomic_handler(instruction, memory_form(instruction, function, 1, 0)), 0, Layout::memory};
  }
  return {};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
