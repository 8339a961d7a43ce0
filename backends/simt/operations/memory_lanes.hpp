// Moving values between slots and guest memory, for whole warps: what ld and st, and only they, have in common. Compiled once
// per x86-64 level, inside files x_cpu.cpp only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "backends/simt/execute/access.hpp"
#include "backends/simt/execute/lanes.hpp"
#include "backends/simt/operations/memory_reach.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// The slots of an op whose operands take `count` slots in all (select.hpp: more than six are beside the op).
[[nodiscard]] inline const Slot* slots_of(const Op& op, unsigned count) {
  return count > op.operands.size() ? op.slots : op.operands.data();
}

/// How the lanes of a full warp lie in memory.
enum class Pattern : std::uint8_t { scattered, contiguous, uniform };

/// Whether lane i is `first + i * step`. A step known to the compiler leaves additions and comparisons of vectors.
template <class A, A step>
[[gnu::always_inline]] inline bool advances_by(const A* address, A first) {
  A differences = 0;
  for (unsigned i = 0; i < kLanes; ++i) differences |= address[i] ^ static_cast<A>(first + i * step);
  return differences == 0;
}

/// `step` bytes are what one lane reads or writes.
template <unsigned step, class A>
[[gnu::always_inline]] inline Pattern pattern_of(const A* address) {
  const A first = address[0];
  const A second = address[1] - first;
  if (second == step && advances_by<A, step>(address, first)) return Pattern::contiguous;
  if (second == 0 && advances_by<A, 0>(address, first)) return Pattern::uniform;
  return Pattern::scattered;
}

/// Whether the lanes of `mask`, which has some, lie side by side; `first` is where lane 0 would lie.
template <unsigned step, class A>
[[gnu::always_inline]] inline bool contiguous_where(const A* address, std::uint32_t mask, A& first) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  first = static_cast<A>(address[lane] - lane * step);
  alignas(64) A active[kLanes];
  spread_mask(mask, active);
  A differences = 0;
  for (unsigned i = 0; i < kLanes; ++i) differences |= (address[i] ^ static_cast<A>(first + i * step)) & active[i];
  return differences == 0;
}

/// Where `bytes` bytes at one address are, if they are aligned and inside; nullptr else (the slow path then says what is wrong).
template <Where where>
[[gnu::always_inline]] inline std::byte* reach_one(const Context& context, std::uint64_t address, std::uint64_t bytes,
                                                   std::uint64_t alignment) {
  if ((address & (alignment - 1)) != 0) return nullptr;
  if constexpr (where == Where::host) {
    return reinterpret_cast<std::byte*>(address);
  } else {
    static_assert(where == Where::shared);
    const Block& block = *context.group->block;
    const std::uint64_t inside = address - (std::uint64_t{block.cluster_rank} << 24);
    if (inside > block.shared_bytes || block.shared_bytes - inside < bytes) return nullptr;
    return block.shared + inside;
  }
}

/// Base addresses of a warp for the slow path.
template <class A>
[[nodiscard]] AddressLanes address_lanes(const A* lanes, const Op& op) {
  return {lanes, sizeof(A) == 8, op.immediate};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
