// The family "asynchronous_copy": cp.async and how programs wait for it. Bulk copies are not here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/asynchronous_copy.hpp"

#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/mbarrier.hpp"
#include "backends/simt/operations/memory_lanes.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;

/// What the optional operand says about the source.
enum class Taken : std::uint8_t { all, size, ignored };

std::uint32_t thread_of(const Context& context, unsigned warp, unsigned lane) {
  return (context.group->first_warp + warp) * kLanes + lane;
}

/// Operands: destination (its offset in Op::immediate), source, size, bytes taken or a predicate that ignores the source.
template <unsigned bytes, class A, Taken what>
const Op* copy(const Op* op, Context& context) {
  Mask mask(*op, context);
  Source<A> to(context, op->operands[0]);
  Source<std::uint64_t> from(context, op->operands[1]);
  Source<std::uint32_t> taken(context, what == Taken::all ? kTrueSlot : op->operands[3]);
  AsynchronousCopies* const copies = copies_of(context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), to.next(), from.next(), taken.next()) {
    std::array<std::byte*, kLanes> targets;
    std::array<std::byte*, kLanes> sources;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(to.lanes(), *op), {Where::shared, bytes, bytes}, targets)) {
      return nullptr;
    }
    if (!reach(op, context, warp, mask.lanes(), {from.lanes(), true, 0}, {Where::host, bytes, bytes}, sources)) return nullptr;
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      AsynchronousCopy one{op, thread_of(context, warp, lane), targets[lane], sources[lane], bytes, bytes};
      if (what == Taken::ignored && (*taken.lanes() >> lane & 1u) != 0) one.taken = 0;
      if (what == Taken::size) {
        const std::uint32_t size = taken.lanes()[lane];
        if (size > bytes) return fail(op, context, warp, lane, "bad_size", "cp.async's src-size is larger than its cp-size");
        one.taken = static_cast<std::uint8_t>(size);
      }
      if (copies != nullptr) {
        copies->add(one);
      } else {
        perform(one);
      }
    }
  }
  return op + 1;
}

template <unsigned bytes>
Handler copy_of_size(bool wide, Taken taken) {
  switch (taken) {
    case Taken::all: return wide ? copy<bytes, std::uint64_t, Taken::all> : copy<bytes, std::uint32_t, Taken::all>;
    case Taken::size: return wide ? copy<bytes, std::uint64_t, Taken::size> : copy<bytes, std::uint32_t, Taken::size>;
    case Taken::ignored: return wide ? copy<bytes, std::uint64_t, Taken::ignored> : copy<bytes, std::uint32_t, Taken::ignored>;
  }
  return nullptr;
}

/// The fourth operand may also be the cache policy, of 64 bits.
Taken taken_of(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operand_count < 4) return Taken::all;
  const ptx::Operand& operand = function.operand(instruction, 3);
  if (operand.kind == ptx::Operand::Kind::none) return Taken::all;
  const unsigned bytes = slot_bytes(function, operand, ptx::Type::b32);
  return bytes == 0 ? Taken::ignored : bytes == 4 ? Taken::size : Taken::all;
}

Handler copy_handler(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (!is_wide(function, function.operand(instruction, 1))) return nullptr;
  const bool wide = is_wide(function, function.operand(instruction, 0));
  const Taken taken = taken_of(instruction, function);
  switch (function.operand(instruction, 2).bits) {
    case 4: return copy_of_size<4>(wide, taken);
    case 8: return copy_of_size<8>(wide, taken);
    case 16: return copy_of_size<16>(wide, taken);
    default: return nullptr;
  }
}

/// f(copies, thread) for every lane, where copies are kept at all.
template <class F>
const Op* each_thread(const Op* op, Context& context, F f) {
  AsynchronousCopies* const copies = copies_of(context);
  if (copies == nullptr) return op + 1;
  Mask mask(*op, context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      f(*copies, thread_of(context, warp, static_cast<unsigned>(__builtin_ctz(left))));
    }
  }
  return op + 1;
}

const Op* commit_group(const Op* op, Context& context) {
  return each_thread(op, context, [](AsynchronousCopies& copies, std::uint32_t thread) { copies.commit(thread); });
}
const Op* wait_group(const Op* op, Context& context) {
  Source<std::uint32_t> left(context, op->operands[0]);
  return each_thread(op, context, [n = *left.lanes()](AsynchronousCopies& copies, std::uint32_t thread) { copies.wait(thread, n); });
}
const Op* wait_all(const Op* op, Context& context) {
  return each_thread(op, context, [](AsynchronousCopies& copies, std::uint32_t thread) { copies.wait_all(thread); });
}

/// cp.async.mbarrier.arrive: with an increment before, unless .noinc.
template <class A, Where where, bool increment>
const Op* arrive_after_copies(const Op* op, Context& context) {
  Mask mask(*op, context);
  Source<A> base(context, op->operands[0]);
  AsynchronousCopies* const copies = copies_of(context);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    std::array<std::byte*, kLanes> at;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(base.lanes(), *op), {where, 8, 8}, at)) return nullptr;
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      Mbarrier barrier = Mbarrier::load(at[lane]);
      if (!barrier.valid) return fail(op, context, warp, lane, "bad_mbarrier", "there is no initialised mbarrier at the address");
      if (increment) {
        if (barrier.pending == Mbarrier::kMaxCount) {
          return fail(op, context, warp, lane, "bad_mbarrier", "the pending count would be larger than 1048575");
        }
        ++barrier.pending;
        barrier.store(at[lane]);
      } else if (barrier.pending == 0) {
        return fail(op, context, warp, lane, "bad_mbarrier", "more arrivals than the phase has left");
      }
      if (copies != nullptr) {
        copies->arrive_when_done(thread_of(context, warp, lane), at[lane]);
      } else {
        Mbarrier::arrive_for_copies(at[lane]);
      }
    }
  }
  return op + 1;
}

Handler arrive_handler(const ptx::Instruction& instruction, const ptx::Function& function) {
  const bool wide = is_wide(function, function.operand(instruction, 0));
  const bool increment = !instruction.has(Modifier::noinc);
  if (instruction.space() == ptx::Space::generic) {
    if (!wide) return nullptr;
    return increment ? arrive_after_copies<std::uint64_t, Where::host, true> : arrive_after_copies<std::uint64_t, Where::host, false>;
  }
  if (wide) {
    return increment ? arrive_after_copies<std::uint64_t, Where::shared, true>
                     : arrive_after_copies<std::uint64_t, Where::shared, false>;
  }
  return increment ? arrive_after_copies<std::uint32_t, Where::shared, true>
                   : arrive_after_copies<std::uint32_t, Where::shared, false>;
}

}  // namespace

Selected select_asynchronous_copy(const ptx::Instruction& instruction, const ptx::Function& function) {
  switch (instruction.operation) {
    case Operation::cp_async: return {copy_handler(instruction, function), 0, Layout::memory};
    case Operation::cp_async_commit_group: return {commit_group, 0, Layout::plain};
    case Operation::cp_async_wait_group: return {wait_group, 0, Layout::plain};
    case Operation::cp_async_wait_all: return {wait_all, 0, Layout::plain};
    case Operation::cp_async_mbarrier_arrive: return {arrive_handler(instruction, function), 0, Layout::memory};
    default: return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
