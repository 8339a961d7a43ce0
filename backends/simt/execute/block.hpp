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
inline constexpr unsigned kClusterBarrier = kNamedBarriers;  // barrier.cluster, where numbers of barriers are meant
inline constexpr unsigned kMaxBlockWarps = 32;

/// What a barrier operation does; packed into Op::immediate.
struct BarrierOp {
  enum class Kind : std::uint8_t { sync, arrive, red_popc, red_and, red_or };
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

/// A block's threads at the cluster's barrier, by warp.
struct ClusterArrivals {
  /// Lanes that have executed the same instruction of an `.aligned` pair, until all of the warp have (sanitize only).
  struct Together {
    const Op* at = nullptr;
    std::uint32_t lanes = 0;
  };
  std::array<std::uint32_t, kMaxBlockWarps> arrived{};  // the barrier is not complete yet
  std::array<std::uint32_t, kMaxBlockWarps> due{};      // have arrived, not yet waited
  std::array<Together, kMaxBlockWarps> arriving{}, waiting{};
};

struct ClusterRun;

struct BlockRun : Block {
  enum class Progress : std::uint8_t {
    done,
    waiting,  // for others of its cluster
    spinning,
    busy,
    fault,
  };

  std::vector<WarpGroup> groups;  // the first `group_count` are in use
  std::uint32_t group_count = 0;
  ClusterRun* run_of_cluster = nullptr;
  std::array<BarrierState, kNamedBarriers> barriers{};
  bool barriers_used = false;  // some barrier has been arrived at
  ClusterArrivals cluster_arrivals;
  std::uint32_t exited_threads = 0;
  std::uint32_t worker = 0;
  std::uint64_t random = 0;       // state of the order of groups; 0: in turn
  std::unique_ptr<ConstantPool::Line[]> shared_storage;
  std::unique_ptr<ConstantPool::Line[]> local_storage;
  std::size_t shared_capacity = 0;
  std::size_t local_capacity = 0;

  void start(ClusterRun& in, Launch& of, const std::array<std::uint32_t, 3>& index_in_grid, std::uint32_t rank,
             std::uint32_t on_worker);
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
  /// Whether some fragment could run.
  [[nodiscard]] bool has_ready() const;
  /// Whether some fragment waits at the cluster's barrier.
  [[nodiscard]] bool waits_for_cluster() const;
};

}  // namespace bascule::simt
