// A queue of the executor: commands in order and the timeline of what has completed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "command.hpp"
#include "launch.hpp"

namespace bascule::cpu {

class WorkQueue;

/// A command that completes when another queue's timeline reaches a value, and fails if that queue failed before it.
class WaitCommand final : public Command {
 public:
  WaitCommand(std::shared_ptr<WorkQueue> queue, std::uint64_t value) noexcept;
  bsc_status run(const Slice& slice, Failure& failure) override;

 private:
  friend class Executor;
  std::shared_ptr<WorkQueue> queue_;
  std::uint64_t value_waited_;
  // While parked: its own queue, and the next command that waits for the same queue.
  std::shared_ptr<WorkQueue> parked_;
  WaitCommand* next_parked_ = nullptr;
};

/// When a submission ran, in nanoseconds of Clock.
struct SubmissionTimes {
  std::uint64_t value = 0;
  std::uint64_t submitted = 0;
  std::uint64_t started = 0;
  std::uint64_t ended = 0;
};

class WorkQueue : public std::enable_shared_from_this<WorkQueue> {
 public:
  enum class Priority { high, normal, low };

  WorkQueue(std::uint32_t limit, Priority priority) noexcept : limit_(limit), priority_(priority) {}

  [[nodiscard]] std::uint64_t submitted() const noexcept { return submitted_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_.load(std::memory_order_acquire); }
  /// Most compute units for one launch.
  [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }

  /// The failure of a submission up to `value`; BSC_OK if there is none.
  [[nodiscard]] Failure failure_up_to(std::uint64_t value) const;
  /// Times of a completed submission that asked for them; false if unknown or no longer kept.
  [[nodiscard]] bool times(std::uint64_t value, SubmissionTimes& out) const;

 private:
  friend class Executor;
  friend class Pool;
  friend class WaitCommand;

  // Runnable: has commands and no owner; whoever swaps runnable for owned is the owner. Parked: the first command waits
  // for another queue, whose owner makes this one runnable.
  enum class State : std::uint32_t { idle, runnable, owned, parked };

  static constexpr std::size_t kTimesKept = 1024;

  [[nodiscard]] SubmissionTimes* find_times(std::uint64_t value);

  const std::uint32_t limit_;
  const Priority priority_;
  std::atomic<State> state_{State::idle};
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> completed_{0};
  // Compute units that the first command needs at once: more than 1 for a team. Written before state_ says runnable.
  std::atomic<std::uint32_t> seats_{1};

  // The owner's.
  std::unique_ptr<Command> current_;
  Launch launch_;
  std::uint32_t reserved_seats_ = 0;  // compute units that the pool already set aside for a team, the owner's not among them

  mutable std::mutex mutex_;
  CommandList pending_;
  Failure failure_;
  std::atomic<bool> failed_{false};
  std::uint64_t lowest_awaited_ = UINT64_MAX;  // by threads asleep on reached_
  WaitCommand* parked_here_ = nullptr;         // commands of other queues that wait for this one
  std::shared_ptr<WorkQueue> parked_on_;
  std::uint64_t parked_value_ = 0;
  std::deque<SubmissionTimes> times_;
  std::condition_variable reached_;

  // Guarded by the pool's mutex: its place in the pool's list of runnable queues.
  bool listed_ = false;
  std::uint64_t ticket_ = 0;
  std::shared_ptr<WorkQueue> next_listed_;
};

}  // namespace bascule::cpu
