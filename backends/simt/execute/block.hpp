// A block while it is resident: its groups of warps, its barriers, its memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/simt/execute/scheduler.hpp"

namespace bascule::simt {

inline constexpr unsigned kNamedBarriers = 16;
inline constexpr unsigned kClusterBarrier = kNamedBarriers;  // barrier.cluster: a block is a cluster of its own
inline constexpr unsigned kBarriers = kNamedBarriers + 1;
inline constexpr unsigned kMaxBlockWarps = 32;

/// What a barrier operation does; packed into Op::immediate.
struct BarrierOp {
  enum class Kind : std::uint8_t { sync, arrive, cluster_arrive, cluster_wait, red_popc, red_and, red_or };
  Kind kind = Kind::sync;
  bool aligned = false;
  bool negated = false;  // red: !p
  [[nodiscard]] std::uint64_t pack() const {
    return static_cast<std::uint64_t>(kind) | std::uint64_t{aligned} << 8 | std::uint64_t{negated} << 9;
  }
  [[nodiscard]] static BarrierOp unpack(std::uint64_t bits) {
    return {static_cast<Kind>(bits & 0xff), (bits >> 8 & 1) != 0, (bits >> 9 & 1) != 0};
  }
};

struct BarrierState {
  std::uint32_t expected = 0;  // threads; 0: all of the block
  std::uint32_t arrived = 0;   // without those that are counted because their warp is complete
  std::uint32_t sum = 0;       // of predicates that are true
  bool all = true;
  bool any = false;
  std::array<std::uint32_t, kMaxBlockWarps> lanes{};  // who has arrived, by warp
};

struct BlockRun : Block {
  enum class Progress : std::uint8_t { done, spinning, busy, fault };

  std::vector<WarpGroup> groups;  // the first `group_count` are in use
  std::uint32_t group_count = 0;
  std::array<BarrierState, kBarriers> barriers{};
  bool barriers_used = false;  // some barrier has been arrived at
  std::uint32_t exited_threads = 0;
  std::uint32_t worker = 0;
  std::uint64_t random = 0;       // state of the order of groups; 0: in turn
  std::uint32_t busy_turns = 0;
  std::unique_ptr<ConstantPool::Line[]> shared_storage;
  std::unique_ptr<ConstantPool::Line[]> local_storage;
  std::size_t shared_capacity = 0;
  std::size_t local_capacity = 0;

  void start(Launch& of, std::uint64_t index_in_grid, std::uint32_t on_worker);
  /// A turn for each group.
  Progress run();

  /// Threads of the block that still run.
  [[nodiscard]] std::uint32_t alive_threads() const { return threads - exited_threads; }
  /// Whether the barrier's threads are all there.
  [[nodiscard]] bool barrier_complete(std::uint32_t number) const;
  /// Lets all who wait at it go on.
  void release_barrier(std::uint32_t number);
  /// The sanitizer's business.
  void tell_barrier_completed(std::uint32_t number);
  /// After threads have exited.
  void release_complete_barriers();
  /// Every fragment waits: a finding that names each place.
  void report_deadlock();
};

}  // namespace bascule::simt
