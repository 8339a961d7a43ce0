// Executor: how a queue's commands are taken, run and completed. Waiting is in executor_wait.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executor.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <thread>
#include <utility>

#include "compute_units.hpp"
#include "fp_environment.hpp"
#include "spin.hpp"

namespace bascule::cpu {

namespace {

constexpr std::uint64_t kNoGoal = std::numeric_limits<std::uint64_t>::max();
// Commands that one owner does while other queues wait for a worker.
constexpr std::uint32_t kDrainBudget = 32;

std::uint64_t now() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

Failure forked_failure() {
  return {.status = BSC_FORKED,
          .message = "the process forked after the cpu backend was opened, and its worker threads stayed in the parent; "
                     "open the runtime in the child, or fork before opening it"};
}

// The kernel call itself: nothing that it throws goes further.
bsc_status call(Command& command, const Slice& slice, Failure& failure) noexcept {
  try {
    const bsc_status status = command.run(slice, failure);
    if (status != BSC_OK && failure.status == BSC_OK) failure.status = status;
    return status;
  } catch (const std::exception& e) {
    failure.message = std::string("the kernel threw an exception: ") + e.what();
  } catch (...) {
    failure.message = "the kernel threw something that is no std::exception";
  }
  failure.status = BSC_LAUNCH_FAILED;
  return failure.status;
}

Failure no_scratch(std::uint64_t bytes, const char* what) {
  return {.status = BSC_OUT_OF_MEMORY,
          .message = "no memory for " + std::to_string(bytes) + " bytes of a kernel's " + what};
}

// Marks this thread as running a kernel of `queue`, in the default floating-point environment.
class KernelScope {
 public:
  KernelScope(Pool& pool, WorkQueue& queue, Launch* team) noexcept : frame_{Pool::current_frame(), &pool, &queue, team} {
    Pool::current_frame() = &frame_;
  }
  ~KernelScope() { Pool::current_frame() = frame_.outer; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  Frame frame_;
  DefaultFpEnvironment environment_;
};

}  // namespace

Executor::Executor(const ExecutorOptions& options)
    : Executor(options.compute_units != 0 ? options.compute_units : usable_processors(), options.spin) {}

Executor::Executor(std::uint32_t compute_units, std::chrono::microseconds spin)
    : spin_(compute_units > 1 ? spin : std::chrono::microseconds{0}),
      scratch_(2 * std::size_t{compute_units}),
      pool_(compute_units, spin_, *this) {}

Executor::~Executor() = default;

Failure Executor::create_queue(std::uint32_t limit, WorkQueue::Priority priority, QueuePtr& queue) {
  if (forked()) return forked_failure();
  const std::uint32_t units = compute_units();
  auto created = std::make_shared<WorkQueue>(limit == 0 ? units : std::min(limit, units), priority);
  created->launch_.reserve_members(units);
  if (!pool_.admit_queue()) {
    return {.status = BSC_OUT_OF_MEMORY,
            .message = "the system gives no thread for the cpu backend's first worker; raise the limit on processes "
                       "(ulimit -u) or free memory"};
  }
  queue = std::move(created);
  return {};
}

Failure Executor::close_queue(const QueuePtr& queue) {
  if (forked()) return forked_failure();
  Failure failure = wait(queue, queue->submitted(), kForever);
  if (failure.status == BSC_INVALID_STATE) return failure;
  pool_.dismiss_queue();
  return {};
}

Failure Executor::submit(WorkQueue& queue, CommandList commands, bool timed, std::uint64_t& value) {
  if (forked()) return forked_failure();
  if (commands.empty()) commands.push_back(std::make_unique<WaitCommand>(queue.shared_from_this(), 0));  // a marker
  const std::uint64_t submitted_at = timed ? now() : 0;
  {
    auto lock = lock_briefly_held(queue.mutex_);
    if (queue.failure_) return queue.failure_;
    if (timed) queue.times_.push_back({.value = queue.submitted() + 1, .submitted = submitted_at});
    value = queue.submitted() + 1;
    for (Command* command = commands.front(); command != nullptr; command = command->next_.get()) {
      command->value_ = value;
      command->timed_ = timed;
    }
    commands.front()->first_ = true;
    commands.tail_->last_ = true;
    queue.pending_.append(std::move(commands));
    queue.submitted_.store(value, std::memory_order_release);
    if (queue.state_.load(std::memory_order_relaxed) != WorkQueue::State::idle) return {};
    queue.seats_.store(seats_for(queue, *queue.pending_.front()), std::memory_order_relaxed);
    queue.state_.store(WorkQueue::State::runnable, std::memory_order_release);
  }
  pool_.enqueue(queue.shared_from_this());
  return {};
}

// ---- owning a queue --------------------------------------------------------------------------------------------------

void Executor::run(Work&& work) {
  const QueuePtr queue = std::move(work.queue);
  switch (work.kind) {
    case Work::Kind::none: return;
    case Work::Kind::drain: (void)drain(queue, kNoGoal); return;
    case Work::Kind::help: work_on_range(*queue, work.index); break;
    case Work::Kind::sit: work_in_team(*queue, work.index); break;
  }
  (void)leave_and_drain(queue, kNoGoal);
}

// The caller owns the queue; it does commands until there are none, somebody else has the queue, or `goal` has completed.
Executor::Progress Executor::drain(const QueuePtr& queue, std::uint64_t goal) {
  return drain(queue, goal, lock_briefly_held(queue->mutex_));
}

Executor::Progress Executor::drain(const QueuePtr& queue, std::uint64_t goal, Lock lock) {
  std::uint32_t budget = kDrainBudget;
  while (Command* command = pick(queue, goal, budget, lock)) {
    lock.unlock();
    Failure failure;
    const Progress progress = execute(queue, *command, failure);
    if (progress == Progress::handed_over) return progress;
    lock = lock_briefly_held(queue->mutex_);
    if (progress == Progress::no_room) {
      give_back(queue, lock);
      return progress;
    }
    settle(*queue, std::move(failure), lock);
  }
  return Progress::done;
}

// The next command to run; nullptr when the caller no longer owns the queue. What follows a failure is completed here
// without running.
Command* Executor::pick(const QueuePtr& queue, std::uint64_t goal, std::uint32_t& budget, Lock& lock) {
  for (;;) {
    if (queue->current_) return queue->current_.get();  // it was parked, or waited for room for its team
    if (queue->pending_.empty()) {
      queue->state_.store(WorkQueue::State::idle, std::memory_order_release);
      return nullptr;
    }
    bool turn_over = false;
    if (goal == kNoGoal && budget-- == 0) {
      turn_over = pool_.has_waiting_queues();
      budget = kDrainBudget;
    }
    if (turn_over || queue->completed() >= goal) {
      give_back(queue, lock);
      return nullptr;
    }
    queue->current_ = queue->pending_.pop_front();
    Command& command = *queue->current_;
    if (command.first_ && command.timed_) queue->find_times(command.value_)->started = now();
    if (!queue->failure_) return &command;
    settle(*queue, Failure{}, lock);
  }
}

// The current command is over. It is gone before its completion can be seen: what it refers to (a module, memory) may be
// released by whoever sees that.
void Executor::settle(WorkQueue& queue, Failure failure, Lock& lock) {
  std::unique_ptr<Command> command = std::move(queue.current_);
  const std::uint64_t value = command->value_;
  const bool last = command->last_, timed = command->timed_;
  command.reset();
  if (failure && !queue.failure_) {
    failure.last_completed = queue.completed();
    failure.first_incomplete = value;
    queue.failure_ = std::move(failure);
    queue.failed_.store(true, std::memory_order_release);
  }
  if (last) complete(queue, value, timed, lock);
}

void Executor::complete(WorkQueue& queue, std::uint64_t value, bool timed, Lock& lock) {
  if (timed) {
    queue.find_times(value)->ended = now();
    while (queue.times_.size() > WorkQueue::kTimesKept && queue.times_.front().value <= value) queue.times_.pop_front();
  }
  queue.completed_.store(value, std::memory_order_release);

  const bool awaited = queue.lowest_awaited_ <= value;
  if (awaited) queue.lowest_awaited_ = UINT64_MAX;  // those who wait for more register again
  WaitCommand* ready = nullptr;
  for (WaitCommand** link = &queue.parked_here_; *link != nullptr;) {
    WaitCommand* waiting = *link;
    if (waiting->value_waited_ > value) {
      link = &waiting->next_parked_;
      continue;
    }
    *link = std::exchange(waiting->next_parked_, ready);
    ready = waiting;
  }
  if (!awaited && ready == nullptr) return;

  lock.unlock();
  if (awaited) queue.reached_.notify_all();
  while (ready != nullptr) {
    WaitCommand* next = std::exchange(ready->next_parked_, nullptr);
    const QueuePtr parked = std::move(ready->parked_);  // from here on `ready` may be gone
    {
      const auto their_lock = lock_briefly_held(parked->mutex_);
      parked->parked_on_.reset();
      parked->seats_.store(1, std::memory_order_relaxed);
      parked->state_.store(WorkQueue::State::runnable, std::memory_order_release);
    }
    pool_.enqueue(parked);
    ready = next;
  }
  lock = lock_briefly_held(queue.mutex_);
}

// To whoever takes it next.
void Executor::give_back(const QueuePtr& queue, Lock& lock) {
  const Command& next = queue->current_ ? *queue->current_ : *queue->pending_.front();
  queue->seats_.store(seats_for(*queue, next), std::memory_order_relaxed);
  queue->state_.store(WorkQueue::State::runnable, std::memory_order_release);
  lock.unlock();
  pool_.enqueue(queue);
}

// ---- one command -----------------------------------------------------------------------------------------------------

Executor::Progress Executor::execute(const QueuePtr& queue, Command& command, Failure& failure) {
  if (command.extent().kind == Extent::Kind::wait) {
    return execute_wait(queue, static_cast<WaitCommand&>(command), failure);
  }
  if (command.extent().items == 0) return Progress::done;
  return command.extent().kind == Extent::Kind::team ? execute_team(*queue, command, failure)
                                                     : execute_range(*queue, command, failure);
}

Executor::Progress Executor::execute_wait(const QueuePtr& queue, WaitCommand& command, Failure& failure) {
  WorkQueue& other = *command.queue_;
  if (other.completed() < command.value_waited_) {
    // Parked before it can be found, so that whoever finds it may make it runnable at once.
    {
      const auto lock = lock_briefly_held(queue->mutex_);
      queue->parked_on_ = command.queue_;
      queue->parked_value_ = command.value_waited_;
      queue->state_.store(WorkQueue::State::parked, std::memory_order_release);
    }
    {
      const auto lock = lock_briefly_held(other.mutex_);
      if (other.completed() < command.value_waited_) {
        command.parked_ = queue;
        command.next_parked_ = std::exchange(other.parked_here_, &command);
        return Progress::handed_over;
      }
    }
    const auto lock = lock_briefly_held(queue->mutex_);
    queue->parked_on_.reset();
    queue->state_.store(WorkQueue::State::owned, std::memory_order_release);
  }
  (void)call(command, Slice{}, failure);
  return Progress::done;
}

Executor::Progress Executor::execute_range(WorkQueue& queue, Command& command, Failure& failure) {
  const Extent& extent = command.extent();
  const Split split = split_range(extent.items, extent.grain, queue.limit());
  if (split.chunks <= 1) {
    const ScratchBlock scratch = scratch_.take(extent.scratch_bytes);
    if (extent.scratch_bytes != 0 && scratch.data() == nullptr) {
      failure = no_scratch(extent.scratch_bytes, "scratch");
      return Progress::done;
    }
    const KernelScope scope(pool_, queue, nullptr);
    (void)call(command, {.begin = 0, .end = extent.items, .worker = 0, .scratch = scratch.data(), .team = nullptr}, failure);
    return Progress::done;
  }
  queue.launch_.prepare_range(command, split, queue.limit());
  pool_.publish(queue.launch_, queue);
  work_on_range(queue, 0);
  if (!pool_.leave(queue.launch_)) return Progress::handed_over;
  failure = queue.launch_.finish();
  return Progress::done;
}

Executor::Progress Executor::execute_team(WorkQueue& queue, Command& command, Failure& failure) {
  const Extent& extent = command.extent();
  const std::uint32_t size = team_size(queue, command);
  ScratchBlock shared = scratch_.take(extent.shared_bytes);
  if (extent.shared_bytes != 0 && shared.data() == nullptr) {
    failure = no_scratch(extent.shared_bytes, "team memory");
    pool_.return_reserved(queue);
    return Progress::done;
  }
  // Spinning at a barrier helps only while every member has a processor.
  const auto spin = size <= std::max(1u, std::thread::hardware_concurrency()) ? spin_ : std::chrono::microseconds{0};
  queue.launch_.prepare_team(command, size, std::move(shared), spin);
  switch (pool_.start_team(queue.launch_, queue)) {
    case Pool::TeamStart::no_room: (void)queue.launch_.finish(); return Progress::no_room;
    case Pool::TeamStart::no_threads:
      (void)queue.launch_.finish();
      failure = {.status = BSC_OUT_OF_MEMORY,
                 .message = "the system gives no thread for a team of " + std::to_string(size) +
                            "; raise the limit on processes (ulimit -u), or lower the cpu backend's option `threads`"};
      return Progress::done;
    case Pool::TeamStart::started: break;
  }
  work_in_team(queue, 0);
  if (!pool_.leave(queue.launch_)) return Progress::handed_over;
  failure = queue.launch_.finish();
  return Progress::done;
}

// Compute units that the next command of a queue takes at once; the caller holds the queue's lock.
std::uint32_t Executor::seats_for(const WorkQueue& queue, const Command& next) const noexcept {
  const bool starts_team = next.extent().kind == Extent::Kind::team && next.extent().items != 0 && !queue.failure_;
  return starts_team ? team_size(queue, next) : 1;
}

std::uint32_t Executor::team_size(const WorkQueue& queue, const Command& command) const noexcept {
  const std::uint32_t useful = command.extent().team_limit;
  return useful == 0 ? queue.limit() : std::min(useful, queue.limit());
}

void Executor::work_on_range(WorkQueue& queue, std::uint32_t index) {
  Launch& launch = queue.launch_;
  Command& command = launch.command();
  Slice slice{.worker = index};
  if (!launch.claim(slice)) return;
  const ScratchBlock scratch = scratch_.take(command.extent().scratch_bytes);
  if (command.extent().scratch_bytes != 0 && scratch.data() == nullptr) {
    return launch.fail(no_scratch(command.extent().scratch_bytes, "scratch"));
  }
  slice.scratch = scratch.data();
  const KernelScope scope(pool_, queue, nullptr);
  do {
    Failure failure;
    if (call(command, slice, failure) != BSC_OK) return launch.fail(std::move(failure));
  } while (launch.claim(slice));
}

void Executor::work_in_team(WorkQueue& queue, std::uint32_t rank) {
  Launch& launch = queue.launch_;
  Command& command = launch.command();
  TeamMember member(*launch.team());
  const ScratchBlock scratch = scratch_.take(command.extent().scratch_bytes);
  if (command.extent().scratch_bytes != 0 && scratch.data() == nullptr) {
    launch.fail(no_scratch(command.extent().scratch_bytes, "scratch"));
  } else {
    const KernelScope scope(pool_, queue, &launch);
    Failure failure;
    const Slice all{.begin = 0, .end = command.extent().items, .worker = rank, .scratch = scratch.data(), .team = &member};
    if (call(command, all, failure) != BSC_OK) launch.fail(std::move(failure));
  }
  member.team->leave(member.barrier_calls);
}

// After work on a shared command: the last participant owns the queue and goes on with it.
Executor::Progress Executor::leave_and_drain(const QueuePtr& queue, std::uint64_t goal) {
  if (!pool_.leave(queue->launch_)) return Progress::handed_over;
  Failure failure = queue->launch_.finish();
  auto lock = lock_briefly_held(queue->mutex_);
  settle(*queue, std::move(failure), lock);
  return drain(queue, goal, std::move(lock));
}

}  // namespace bascule::cpu
