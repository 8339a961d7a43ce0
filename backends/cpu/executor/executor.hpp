// The executor of the cpu plugin: in-order queues over a pool of workers, where a thread that waits does the work itself.
//
// A queue is runnable when its first command is. Whoever takes a runnable queue - a worker, or a thread that waits for it -
// owns it and does its commands in order; different queues run at the same time. A command over a range is cut into
// chunks that its owner, free workers and threads waiting for the queue share; the last to leave owns the queue from then
// on, so nobody ever blocks for a straggler. A command of a single chunk runs on the owner alone, with no hand-off.
//
// A team (Extent::Kind::team) has min(its team_limit, the queue's limit, the compute units) members, always. It starts
// when all of them can sit down at once; until then the queue waits its turn and holds nothing.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "command.hpp"
#include "fork_mark.hpp"
#include "pool.hpp"
#include "scratch_cache.hpp"
#include "spin.hpp"
#include "work_queue.hpp"

namespace bascule::cpu {

struct ExecutorOptions {
  std::uint32_t compute_units = 0;     // 0: as many as this process may use
  std::chrono::microseconds spin{25};  // how long an idle worker or a waiting thread looks before it sleeps
};

/// Every function may be called from any thread; one queue is submitted to by one thread at a time.
class Executor final : private WorkSink {
 public:
  static constexpr std::uint64_t kForever = UINT64_MAX;

  explicit Executor(const ExecutorOptions& options);
  /// Joins the workers. Every queue must be empty: wait for them first.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  [[nodiscard]] std::uint32_t compute_units() const noexcept { return pool_.compute_units(); }
  /// Whether this is a forked child of the process that made the executor: nothing runs here.
  [[nodiscard]] bool forked() const noexcept { return mark_.forked(); }
  /// Worker threads alive; for tests.
  [[nodiscard]] std::uint32_t thread_count() const { return pool_.thread_count(); }

  /// `limit`: most compute units for one launch, 0 for all.
  [[nodiscard]] Failure create_queue(std::uint32_t limit, WorkQueue::Priority priority, std::shared_ptr<WorkQueue>& queue);
  /// Waits for all that was submitted to it. Its failure, if any, is no failure of this call.
  [[nodiscard]] Failure close_queue(const std::shared_ptr<WorkQueue>& queue);

  /// Queues `commands` as one submission, `value` on the queue's timeline; never blocks for work. Refused, with nothing
  /// queued, once a submission of this queue has failed.
  [[nodiscard]] Failure submit(WorkQueue& queue, CommandList commands, bool timed, std::uint64_t& value);

  /// Returns once `value` has completed: OK, or the failure of a submission up to it. Without a time limit the caller runs
  /// the queue's work itself where it can. With one it only sleeps, since a kernel once begun cannot be left.
  /// BSC_TIMED_OUT, BSC_INVALID_ARGUMENT (not yet submitted), BSC_INVALID_STATE (from a kernel, for its own queue).
  [[nodiscard]] Failure wait(const std::shared_ptr<WorkQueue>& queue, std::uint64_t value, std::uint64_t timeout_ns);

 private:
  using QueuePtr = std::shared_ptr<WorkQueue>;
  using Lock = std::unique_lock<std::mutex>;

  enum class Progress { done, handed_over, no_room };
  enum class Advance { moved, nothing, would_deadlock };

  Executor(std::uint32_t compute_units, std::chrono::microseconds spin);

  void run(Work&& work) override;

  Progress drain(const QueuePtr& queue, std::uint64_t goal);
  Progress drain(const QueuePtr& queue, std::uint64_t goal, Lock lock);
  Command* pick(const QueuePtr& queue, std::uint64_t goal, std::uint32_t& budget, Lock& lock);
  void settle(WorkQueue& queue, Failure failure, Lock& lock);
  void complete(WorkQueue& queue, std::uint64_t value, bool timed, Lock& lock);
  void give_back(const QueuePtr& queue, Lock& lock);

  Progress execute(const QueuePtr& queue, Command& command, Failure& failure);
  Progress execute_wait(const QueuePtr& queue, WaitCommand& command, Failure& failure);
  Progress execute_range(WorkQueue& queue, Command& command, Failure& failure);
  Progress execute_team(WorkQueue& queue, Command& command, Failure& failure);
  [[nodiscard]] std::uint32_t seats_for(const WorkQueue& queue, const Command& next) const noexcept;
  [[nodiscard]] std::uint32_t team_size(const WorkQueue& queue, const Command& command) const noexcept;

  void work_on_range(WorkQueue& queue, std::uint32_t index);
  void work_in_team(WorkQueue& queue, std::uint32_t rank);
  Progress leave_and_drain(const QueuePtr& queue, std::uint64_t goal);

  Advance advance(const QueuePtr& queue, std::uint64_t value);
  bool sleep(WorkQueue& queue, std::uint64_t value, Clock::time_point deadline);
  [[nodiscard]] static bool on_own_stack(const WorkQueue& queue) noexcept;

  const std::chrono::microseconds spin_;  // 0 with one compute unit: the other side needs that processor
  ForkMark mark_;
  ScratchCache scratch_;
  Pool pool_;  // last: its workers use the rest
};

}  // namespace bascule::cpu
