// What the tests of a warp's collective operations have in common: member masks, lanes, predicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <vector>

#include "backends/simt/operations/collective_fixture.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::test {

inline std::vector<Level> warp_levels() {
  return levels(x86_64_v2::select_warp, x86_64_v3::select_warp, x86_64_v4::select_warp);
}

inline constexpr unsigned kWarps = 3;

/// Masks worth trying: everyone, one lane, halves, random ones.
inline std::uint32_t some_mask(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0: return kAllLanes;
    case 1: return 1u << (random() % 32);
    case 2: return 0x0000ffffu;
    case 3: return 0xaaaaaaaau;
    default: return static_cast<std::uint32_t>(random() | 1u << (random() % 32));
  }
}

template <class T>
void fill(Machine& machine, Slot slot, std::mt19937_64& random, std::uint64_t keep = ~std::uint64_t{0}) {
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    for (unsigned lane = 0; lane < kLanes; ++lane) machine.lanes<T>(slot, warp)[lane] = static_cast<T>(random() & keep);
  }
}

template <class T>
std::vector<T> copy(Machine& machine, Slot slot) {
  std::vector<T> result;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    result.insert(result.end(), machine.lanes<T>(slot, warp), machine.lanes<T>(slot, warp) + kLanes);
  }
  return result;
}

/// Splits the lanes of each warp over at most three member masks and writes these masks into `slot`; the active lanes are all
/// members. Returns for each thread who takes part with it.
inline std::vector<std::uint32_t> set_members(Machine& machine, Slot slot, std::mt19937_64& random) {
  std::vector<std::uint32_t> members;
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    const std::uint32_t active = some_mask(random);
    machine.context.active[warp] = active;
    const std::uint32_t first = random() % 2 == 0 ? active : active & some_mask(random);
    const std::uint32_t second = active & ~first & some_mask(random);
    const std::uint32_t third = active & ~first & ~second;
    // Members that have exited are not waited for.
    const std::uint32_t gone = static_cast<std::uint32_t>(random()) & ~active;
    machine.group.exited[warp] = gone;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t bit = 1u << lane;
      const std::uint32_t mine = (first & bit) != 0 ? first : (second & bit) != 0 ? second : (third & bit) != 0 ? third : 0;
      members.push_back(mine);
      machine.lanes<std::uint32_t>(slot, warp)[lane] = mine | (mine == first ? gone : 0);
    }
  }
  return members;
}

inline bool active(const Machine& machine, unsigned thread) { return (machine.context.active[thread / 32] >> thread % 32 & 1u) != 0; }

inline bool predicate(Machine& machine, Slot slot, unsigned thread) {
  return (*machine.lanes<std::uint32_t>(slot, thread / 32) >> thread % 32 & 1u) != 0;
}

}  // namespace bascule::simt::test
