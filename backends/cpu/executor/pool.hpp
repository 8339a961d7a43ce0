// The worker threads: which worker does what next, who is woken, and how many run at once.
//
// A worker that runs holds one of the pool's compute units. A worker that sleeps in a wait from inside a kernel gives its
// unit up, and so do the members of a team while one of them sleeps so: another thread, started where needed, takes the
// work over. Hence there are always enough free threads for the units that are free, a team can always be started once
// the running kernels end, and no wait from inside a kernel can starve what it waits for.
//
// Work is taken in the order in which it became runnable, within a priority. A team that does not fit yet holds back what
// came after it, and nothing that came before: neither teams nor other work starve.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "launch.hpp"
#include "work_queue.hpp"

namespace bascule::cpu {

class Pool;

struct Worker {
  Pool* pool = nullptr;
  std::thread thread;
  // Guarded by the pool's mutex.
  bool holds_unit = false;
  std::uint32_t blocked_by = 0;  // reasons for which its unit is given up: its own sleep, a fellow team member's
};

/// What a thread is running: one per kernel call on its stack.
struct Frame {
  const Frame* outer;
  Pool* pool;
  WorkQueue* queue;
  Launch* team;  // set while it is a member of one
};

/// What a worker is told to do.
struct Work {
  enum class Kind { none, drain, help, sit };

  Kind kind = Kind::none;
  std::shared_ptr<WorkQueue> queue;
  std::uint32_t index = 0;  // help: worker index in the launch; sit: rank in the team
};

class WorkSink {
 public:
  virtual void run(Work&& work) = 0;

 protected:
  ~WorkSink() = default;
};

class Pool {
 public:
  enum class TeamStart { started, no_room, no_threads };

  /// `spin`: how long an idle worker looks for work before it sleeps.
  Pool(std::uint32_t compute_units, std::chrono::microseconds spin, WorkSink& sink);
  /// Joins the workers. No queue may have work left.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] std::uint32_t compute_units() const noexcept { return units_; }

  /// Starts the first worker if there is none and makes room for one more queue; false if the system gives no thread.
  [[nodiscard]] bool admit_queue();
  void dismiss_queue() noexcept;

  /// A queue has become runnable. Wakes a worker if none is looking for work.
  void enqueue(const std::shared_ptr<WorkQueue>& queue);
  /// Whether a queue waits for a worker.
  [[nodiscard]] bool has_waiting_queues() const noexcept { return waiting_queues_.load(std::memory_order_relaxed) != 0; }

  /// Offers a launch's chunks to the workers; the caller is participant 0.
  void publish(Launch& launch, WorkQueue& queue);
  /// Joins the queue's launch if it has room and chunks.
  [[nodiscard]] bool try_join(WorkQueue& queue, std::uint32_t& index);
  /// Starts a team with the caller as rank 0, all members or none. Uses the units set aside in the queue, if any.
  [[nodiscard]] TeamStart start_team(Launch& launch, WorkQueue& queue);
  /// A team for which units were set aside will not be started.
  void return_reserved(WorkQueue& queue);
  /// Leaves a launch or team; true for the last one, who then owns the queue.
  [[nodiscard]] bool leave(Launch& launch);

  /// Around a sleep inside a kernel: gives up the unit of this thread and of its fellow team members.
  class BlockedScope {
   public:
    BlockedScope();
    ~BlockedScope();
    BlockedScope(const BlockedScope&) = delete;
    BlockedScope& operator=(const BlockedScope&) = delete;
  };

  /// The innermost kernel call on this thread's stack, of any pool.
  static const Frame*& current_frame() noexcept;

  /// Threads started so far and not ended; for tests.
  [[nodiscard]] std::uint32_t thread_count() const;

 private:
  struct Wakes {
    std::uint32_t sleepers = 0;
    std::uint32_t threads = 0;
  };
  struct List {
    std::shared_ptr<WorkQueue> head;
    WorkQueue* tail = nullptr;
  };
  static constexpr int kPriorities = 3;

  void work(Worker& self);
  bool spin_for_work(std::unique_lock<std::mutex>& lock);
  Work find(Worker& self);
  Work sit(Worker& self);
  Work join_published(Worker& self, std::uint64_t before);
  Work claim_front(Worker& self);
  WorkQueue* front();
  std::shared_ptr<WorkQueue> pop(List& list) noexcept;
  [[nodiscard]] std::uint32_t free_units() const noexcept { return units_ > running_ ? units_ - running_ : 0; }

  Wakes plan_wakes() noexcept;
  void perform(Wakes wakes);
  bool start_thread();
  void block(Worker& worker) noexcept;
  void unblock(Worker& worker) noexcept;
  void block_team(Launch& launch);
  void unblock_team(Launch& launch);
  void block_worker(Worker& worker);
  void unblock_worker(Worker& worker);

  const std::uint32_t units_;
  const std::chrono::microseconds spin_;
  WorkSink& sink_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> epoch_{0};  // changes whenever there may be something new to do
  std::atomic<std::uint32_t> waiting_queues_{0};
  List lists_[kPriorities];
  std::vector<Launch*> published_;
  std::vector<WorkQueue*> published_queues_;  // of published_, same order
  std::vector<WorkQueue*> teams_;             // with open seats
  std::vector<std::unique_ptr<Worker>> workers_;
  Worker* unused_ = nullptr;  // of workers_: one whose thread could not be started
  std::uint64_t next_ticket_ = 0;
  std::uint32_t queues_ = 0;
  std::uint32_t threads_ = 0;    // alive: running, blocked, searching or sleeping
  std::uint32_t running_ = 0;    // units in use, those of open team seats included
  std::uint32_t blocked_ = 0;
  std::uint32_t searching_ = 0;  // awake without work, or just being woken
  std::uint32_t spinning_ = 0;   // of those, the ones that spin
  std::uint32_t sleeping_ = 0;
  std::uint32_t wake_tokens_ = 0;
  bool stopping_ = false;
};

}  // namespace bascule::cpu
