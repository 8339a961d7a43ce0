// The state of one command while several threads work on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "command.hpp"
#include "scratch_cache.hpp"
#include "team_barrier.hpp"

namespace bascule::cpu {

struct Worker;

/// What the members of a team share.
struct Team {
  Team(std::uint32_t members, void* shared_memory, std::chrono::microseconds spin) noexcept
      : size(members), shared(shared_memory), barrier(members, spin) {}

  /// A member has returned, after so many calls of the barrier; the others no longer wait for it.
  void leave(std::uint64_t barrier_calls) noexcept;
  /// Whether members called the barrier unequally often.
  [[nodiscard]] bool unequal() const noexcept { return unequal_.load(std::memory_order_relaxed); }

  const std::uint32_t size;
  void* const shared;
  TeamBarrier barrier;

 private:
  static constexpr std::uint64_t kNobodyYet = UINT64_MAX;
  std::atomic<std::uint64_t> barrier_calls_{kNobodyYet};
  std::atomic<bool> unequal_{false};
};

/// One member's view of its team; a kernel sees the base.
struct TeamMember : bsc_host_team {
  explicit TeamMember(Team& all) noexcept;

  Team* team;
  std::uint64_t barrier_calls = 0;
};

/// How a range is cut: `chunks` chunks of `chunk_items` items, the last one shorter.
struct Split {
  std::uint64_t chunk_items = 0;
  std::uint64_t chunks = 0;
};

/// Chunks for at most `participants` threads: whole grains, several chunks a thread so that uneven ones even out.
[[nodiscard]] Split split_range(std::uint64_t items, std::uint64_t grain, std::uint32_t participants) noexcept;

/// Embedded in a queue and used again for each of its commands: a queue runs one at a time.
class Launch {
 public:
  /// Called by the queue's owner while nobody else can see the launch.
  void prepare_range(Command& command, const Split& split, std::uint32_t limit) noexcept;
  void prepare_team(Command& command, std::uint32_t size, ScratchBlock shared, std::chrono::microseconds spin) noexcept;
  /// Once, before anything else: room for the members of any team.
  void reserve_members(std::uint32_t compute_units) { members_.reserve(compute_units); }

  /// The next chunk that nobody has taken; false when there is none or the launch has failed.
  [[nodiscard]] bool claim(Slice& slice) noexcept;
  [[nodiscard]] bool has_chunks() const noexcept;

  /// Keeps the first failure; later chunks are not started.
  void fail(Failure&& failure);
  /// Once every participant has left: takes the failure out and frees what the team shared.
  [[nodiscard]] Failure finish();

  [[nodiscard]] Command& command() const noexcept { return *command_; }
  [[nodiscard]] Team* team() noexcept { return team_ ? &*team_ : nullptr; }
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }

 private:
  friend class Pool;

  Command* command_ = nullptr;
  Split split_;
  std::uint32_t limit_ = 1;  // most participants
  std::optional<Team> team_;
  ScratchBlock shared_;
  std::mutex failure_mutex_;
  Failure failure_;

  alignas(64) std::atomic<std::uint64_t> next_chunk_{0};
  alignas(64) std::atomic<bool> stopped_{false};

  // Guarded by the pool's mutex.
  bool listed_ = false;
  std::uint32_t joined_ = 0;        // participants ever: the next one's worker index or rank
  std::uint32_t participants_ = 0;  // not yet left
  std::uint32_t open_seats_ = 0;    // of a team: members still to come
  std::uint32_t sleepers_ = 0;      // of a team: members asleep in a wait inside the kernel
  std::uint64_t ticket_ = 0;
  std::vector<Worker*> members_;    // of a team: those that are workers
};

}  // namespace bascule::cpu
