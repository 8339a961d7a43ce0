// How the operations of a whole warp find out who takes part. Included by x_cpu.cpp files only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <emmintrin.h>

#include <type_traits>

#include "backends/simt/execute/lanes.hpp"
#include "backends/simt/execute/rendezvous.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// Which of 32 lanes hold `value`, as a mask.
inline std::uint32_t lanes_equal(const std::uint32_t* lanes, std::uint32_t value) {
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
  std::uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; i += 4) {
    const __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + i)), wanted);
    result |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal))) << i;
  }
  return result;
}

inline std::uint32_t lanes_equal(const std::uint64_t* lanes, std::uint64_t value) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < kLanes; ++i) result |= static_cast<std::uint32_t>(lanes[i] == value) << i;
  return result;
}

/// The lanes of one warp by member mask: f(lanes that name `members`, members) for each mask that occurs.
template <class F>
inline void each_member_mask(const std::uint32_t* member_masks, std::uint32_t lanes, F f) {
  while (lanes != 0) {
    const std::uint32_t members = member_masks[__builtin_ctz(lanes)];
    const std::uint32_t same = lanes_equal(member_masks, members) & lanes;
    f(same, members);
    lanes &= ~same;
  }
}

/// Whether in each warp all members that have not exited are among the active lanes that name the same members.
inline bool all_have_come(const Op* op, const Context& context, Slot members_slot) {
  const Group& group = *context.group;
  Mask mask(*op, context);
  Source<std::uint32_t> masks(context, members_slot);
  std::uint32_t missing = 0;
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), masks.next()) {
    each_member_mask(masks.lanes(), mask.lanes(), [&](std::uint32_t lanes, std::uint32_t members) {
      missing |= members & group.alive(warp) & ~lanes;
    });
  }
  return missing == 0;
}

/// The same for operations of the whole warp (`.aligned`): a warp takes part with all its lanes or with none.
inline bool whole_warps_have_come(const Op* op, const Context& context) {
  const Group& group = *context.group;
  Mask mask(*op, context);
  bool complete = true;
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
    const std::uint32_t lanes = mask.lanes();
    complete &= lanes == 0 || (group.alive(warp) & ~lanes) == 0;
  }
  return complete;
}

/// What an `.aligned` operation does when lanes are missing. Lanes that come from different places cannot share it: each place
/// has registers of its own for the pieces of a matrix.
inline const Op* await_whole_warps(const Op* op, Context& context) {
  if (context.group->exchange != nullptr) {
    for (unsigned warp = 0; warp < context.warps; ++warp) {
      if (context.active[warp] == 0) continue;
      return fail(op, context, warp, static_cast<unsigned>(__builtin_ctz(context.active[warp])), "divergent_aligned",
                  "lanes of one warp reach this operation at different places; `.aligned` demands that all lanes of the warp "
                  "run the same one");
    }
  }
  return await_members(op, context, Meeting{});
}

/// An operation whose lanes read each other's values of type T (bool: predicates, handed over as one mask):
/// f(lanes to write, lanes that take part, values by lane), once per warp and member mask. Without a member mask (the older
/// operations without `.sync`) the active lanes take part.
template <class T, class F>
[[gnu::always_inline]] inline const Op* collective(const Op* op, Context& context, Slot members_slot, Slot value_slot, F f) {
  constexpr bool predicate = std::is_same_v<T, bool>;
  using Lane = std::conditional_t<predicate, std::uint32_t, T>;
  if (const Exchange* const exchange = context.group->exchange; exchange != nullptr) {
    Mask mask(*op, context);
    for (unsigned warp = 0; warp < context.warps; ++warp, mask.next()) {
      if (mask.lanes() == 0) continue;
      Lane values[kLanes]{};
      for (unsigned i = 0; i < kLanes; ++i) {
        if constexpr (predicate) {
          values[0] |= static_cast<std::uint32_t>(exchange->values[i] & 1u) << i;
        } else {
          values[i] = static_cast<Lane>(exchange->values[i]);
        }
      }
      f(warp, mask.lanes(), exchange->members, values);
    }
    return op + 1;
  }
  if (members_slot != kNoSlot && !all_have_come(op, context, members_slot)) [[unlikely]] {
    return await_members(op, context, Meeting{members_slot, value_slot, predicate ? std::uint8_t{0} : std::uint8_t{sizeof(Lane)}});
  }
  Mask mask(*op, context);
  Source<Lane> values(context, value_slot == kNoSlot ? Slot{0} : value_slot);
  Source<std::uint32_t> masks(context, members_slot == kNoSlot ? Slot{0} : members_slot);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), values.next(), masks.next()) {
    if (members_slot == kNoSlot) {
      if (mask.lanes() != 0) f(warp, mask.lanes(), mask.lanes(), values.lanes());
    } else {
      each_member_mask(masks.lanes(), mask.lanes(),
                       [&](std::uint32_t lanes, std::uint32_t) { f(warp, lanes, lanes, values.lanes()); });
    }
  }
  return op + 1;
}

/// A destination that may be a sink.
template <class T>
class Result {
 public:
  Result(const Context& context, Slot slot)
      : at_(slot == kNoSlot ? nullptr : context.registers + slot), step_(context.frame_bytes) {}
  [[nodiscard]] bool wanted() const { return at_ != nullptr; }
  [[nodiscard]] T* lanes(unsigned warp) const { return reinterpret_cast<T*>(at_ + std::size_t{warp} * step_); }
  /// For predicates: the bits of `lanes` become those of `bits`.
  void set_predicate(unsigned warp, std::uint32_t lanes_to_write, std::uint32_t bits) const {
    if (!wanted()) return;
    std::uint32_t& predicate = *lanes(warp);
    predicate = (predicate & ~lanes_to_write) | (bits & lanes_to_write);
  }
  /// The same value in all the lanes.
  void set_lanes(unsigned warp, std::uint32_t lanes_to_write, T value) const {
    if (!wanted()) return;
    T* const destination = lanes(warp);
    for (unsigned i = 0; i < kLanes; ++i) destination[i] = (lanes_to_write >> i & 1u) != 0 ? value : destination[i];
  }

 private:
  std::byte* at_;
  std::size_t step_;
};

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
