// The family "mbarrier". A wait that finds its phase unfinished gives up its turn, so that those it waits for get theirs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/mbarrier.hpp"

#include <string>

#include "backends/simt/operations/asynchronous_copy.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/memory_lanes.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

using ptx::Modifier;
using ptx::Operation;

const Op* wrong_use(const Op* op, Context& context, unsigned warp, unsigned lane, const char* what) {
  return fail(op, context, warp, lane, "bad_mbarrier", std::string(name_of(op->instruction->operation)) + ": " + what);
}

/// Whether a generic address is where the operation may have its object: in the block's shared memory, and where no state comes
/// back in that of its cluster.
bool in_reach(const Op* op, const Context& context, const std::byte* at) {
  Block& block = *context.group->block;
  const Block* const owner = shared_owner(block, reinterpret_cast<std::uintptr_t>(at));
  switch (op->instruction->operation) {
    case Operation::mbarrier_expect_tx:
    case Operation::mbarrier_complete_tx: return owner != nullptr;
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_arrive_drop: return owner == &block || (owner != nullptr && op->operands[0] == kNoSlot);
    default: return owner == &block;
  }
}

/// f(object's place, warp, lane) -> what is wrong or null, for every lane in ascending order. `address`: position of its slot.
template <class A, Where where, class F>
[[gnu::always_inline]] inline const Op* each_object(const Op* op, Context& context, unsigned address, F f) {
  Mask mask(*op, context);
  Source<A> base(context, op->operands[address]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), base.next()) {
    std::array<std::byte*, kLanes> at;
    if (!reach(op, context, warp, mask.lanes(), address_lanes(base.lanes(), *op), {where, 8, 8}, at)) return nullptr;
    for (std::uint32_t left = mask.lanes(); left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      if (where == Where::host && !in_reach(op, context, at[lane])) {
        return wrong_use(op, context, warp, lane, "the address is not in the block's shared memory");
      }
      if (const char* const wrong = f(at[lane], warp, lane)) return wrong_use(op, context, warp, lane, wrong);
    }
  }
  return op + 1;
}

/// The same for objects that must be valid; f(object) may change it.
template <class A, Where where, class F>
[[gnu::always_inline]] inline const Op* each_valid(const Op* op, Context& context, unsigned address, F f) {
  return each_object<A, where>(op, context, address, [&](std::byte* at, unsigned warp, unsigned lane) -> const char* {
    Mbarrier barrier = Mbarrier::load(at);
    if (!barrier.valid) return "there is no initialised mbarrier at the address";
    if (const char* const wrong = f(barrier, warp, lane)) return wrong;
    barrier.store(at);
    return nullptr;
  });
}

std::uint32_t lane_u32(const Context& context, Slot slot, unsigned warp, unsigned lane) {
  const std::byte* const at = (slot & kConstant) != 0
                                  ? context.constants + (slot & ~kConstant)
                                  : context.registers + slot + std::size_t{warp} * context.frame_bytes;
  return reinterpret_cast<const std::uint32_t*>(at)[lane];
}

template <class A, Where where>
const Op* initialise(const Op* op, Context& context) {
  return each_object<A, where>(op, context, 0, [&](std::byte* at, unsigned warp, unsigned lane) -> const char* {
    const std::uint32_t count = lane_u32(context, op->operands[1], warp, lane);
    if (count == 0 || count > Mbarrier::kMaxCount) return "the count is not from 1 to 1048575";
    Mbarrier barrier;
    barrier.expected = barrier.pending = count;
    barrier.valid = true;
    barrier.store(at);
    return nullptr;
  });
}

template <class A, Where where>
const Op* invalidate(const Op* op, Context& context) {
  return each_valid<A, where>(op, context, 0, [](Mbarrier& barrier, unsigned, unsigned) -> const char* {
    barrier = Mbarrier{};
    return nullptr;
  });
}

template <class A, Where where>
const Op* expect_tx(const Op* op, Context& context) {
  return each_valid<A, where>(op, context, 0, [&](Mbarrier& barrier, unsigned warp, unsigned lane) {
    return barrier.add_tx(lane_u32(context, op->operands[1], warp, lane));
  });
}

template <class A, Where where>
const Op* complete_tx(const Op* op, Context& context) {
  return each_valid<A, where>(op, context, 0, [&](Mbarrier& barrier, unsigned warp, unsigned lane) {
    const char* const wrong = barrier.add_tx(-std::int64_t{lane_u32(context, op->operands[1], warp, lane)});
    if (wrong == nullptr) barrier.advance();
    return wrong;
  });
}

enum class Arrive : std::uint8_t { plain, expect_tx, no_complete };

/// Operands: state, address, count or tx-count.
template <class A, Where where, Arrive how, bool drops>
const Op* arrive(const Op* op, Context& context) {
  return each_valid<A, where>(op, context, 1, [&](Mbarrier& barrier, unsigned warp, unsigned lane) -> const char* {
    const std::uint64_t before = barrier.pack();
    std::uint32_t count = 1;
    if (op->operands[2] != kNoSlot) {
      const std::uint32_t operand = lane_u32(context, op->operands[2], warp, lane);
      if (how == Arrive::expect_tx) {
        if (const char* const wrong = barrier.add_tx(operand)) return wrong;
      } else {
        count = operand;
      }
    }
    const std::uint32_t phase = barrier.phase;
    if (const char* const wrong = drops ? barrier.drop(count) : barrier.arrive(count)) return wrong;
    if (how == Arrive::no_complete && barrier.phase != phase) return ".noComplete completes the phase";
    if (op->operands[0] != kNoSlot) {
      reinterpret_cast<std::uint64_t*>(context.registers + op->operands[0] + std::size_t{warp} * context.frame_bytes)[lane] = before;
    }
    return nullptr;
  });
}

/// Operands: predicate, address, state or parity.
template <class A, Where where, bool parity>
const Op* wait(const Op* op, Context& context) {
  bool all = true;
  AsynchronousCopies* const copies = copies_of(context);
  const Op* const next = each_object<A, where>(op, context, 1, [&](std::byte* at, unsigned warp, unsigned lane) -> const char* {
    if (copies != nullptr) copies->complete(at);
    const Mbarrier barrier = Mbarrier::load(at);
    if (!barrier.valid) return "there is no initialised mbarrier at the address";
    bool left = false;
    if constexpr (parity) {
      left = barrier.has_left_parity(lane_u32(context, op->operands[2], warp, lane));
    } else {
      left = barrier.has_left(reinterpret_cast<const std::uint64_t*>(context.registers + op->operands[2] +
                                                                    std::size_t{warp} * context.frame_bytes)[lane]);
    }
    all = all && left;
    auto& predicate = *reinterpret_cast<std::uint32_t*>(context.registers + op->operands[0] + std::size_t{warp} * context.frame_bytes);
    predicate = left ? predicate | 1u << lane : predicate & ~(1u << lane);
    return nullptr;
  });
  return next == nullptr || all ? next : leave(next, context, Event::none);
}

const Op* pending_count(const Op* op, Context& context) {
  return map<std::uint32_t, std::uint64_t>(
      op, context, [](std::uint64_t state) { return static_cast<std::uint32_t>(state >> 20) & Mbarrier::kMaxCount; });
}

/// Calls pick.template operator()<A, where>().
template <class Pick>
Handler by_address(const ptx::Instruction& instruction, const ptx::Function& function, unsigned address, Pick pick) {
  const bool wide = is_wide(function, function.operand(instruction, address));
  if (instruction.space() == ptx::Space::generic) {
    return wide ? pick.template operator()<std::uint64_t, Where::host>() : nullptr;
  }
  return wide ? pick.template operator()<std::uint64_t, Where::shared>()
              : pick.template operator()<std::uint32_t, Where::shared>();
}

template <bool drops>
Handler arrive_handler(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.has(Modifier::expect_tx)) {
    return by_address(instruction, function, 1, []<class A, Where where>() -> Handler { return arrive<A, where, Arrive::expect_tx, drops>; });
  }
  if (instruction.has(Modifier::noComplete)) {
    return by_address(instruction, function, 1, []<class A, Where where>() -> Handler { return arrive<A, where, Arrive::no_complete, drops>; });
  }
  return by_address(instruction, function, 1, []<class A, Where where>() -> Handler { return arrive<A, where, Arrive::plain, drops>; });
}

Handler mbarrier_handler(const ptx::Instruction& i, const ptx::Function& f) {
  switch (i.operation) {
    case Operation::mbarrier_init:
      return by_address(i, f, 0, []<class A, Where where>() -> Handler { return initialise<A, where>; });
    case Operation::mbarrier_inval:
      return by_address(i, f, 0, []<class A, Where where>() -> Handler { return invalidate<A, where>; });
    case Operation::mbarrier_expect_tx:
      return by_address(i, f, 0, []<class A, Where where>() -> Handler { return expect_tx<A, where>; });
    case Operation::mbarrier_complete_tx:
      return by_address(i, f, 0, []<class A, Where where>() -> Handler { return complete_tx<A, where>; });
    case Operation::mbarrier_arrive:
      return arrive_handler<false>(i, f);
    case Operation::mbarrier_arrive_drop:
      return arrive_handler<true>(i, f);
    case Operation::mbarrier_test_wait:
    case Operation::mbarrier_try_wait:
      if (i.has(Modifier::parity)) {
        return by_address(i, f, 1, []<class A, Where where>() -> Handler { return wait<A, where, true>; });
      }
      return by_address(i, f, 1, []<class A, Where where>() -> Handler { return wait<A, where, false>; });
    default:
      return nullptr;
  }
}

}  // namespace

Selected select_mbarrier(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation == Operation::mbarrier_pending_count) return {pending_count, 0, Layout::plain};
  return {mbarrier_handler(instruction, function), 0, Layout::memory};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
