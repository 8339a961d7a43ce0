// Executor: waiting for a queue, which means doing its work wherever that is possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "executor.hpp"
#include "spin.hpp"

namespace bascule::cpu {

namespace {

// A thread asleep inside a kernel looks again this often whether it can help: where the system refused a thread to take
// its place, nobody else might.
constexpr std::chrono::milliseconds kNestedSleep{20};

Clock::time_point deadline_after(std::uint64_t timeout_ns) {
  constexpr std::uint64_t kLongest = 1'000'000'000ull * 86400 * 365 * 100;  // keeps the sum in range
  return Clock::now() + std::chrono::nanoseconds(std::min(timeout_ns, kLongest));
}

Failure own_queue_failure() {
  return {.status = BSC_INVALID_STATE,
          .message = "a host kernel waits for its own queue, or for one that waits for it: it would wait for itself for "
                     "ever; launch on another queue"};
}

}  // namespace

Failure Executor::wait(const QueuePtr& queue, std::uint64_t value, std::uint64_t timeout_ns) {
  if (queue->completed() >= value) return queue->failure_up_to(value);
  if (forked()) {
    return {.status = BSC_FORKED, .message = "the process forked after the cpu backend was opened; its queues stayed behind"};
  }
  if (value > queue->submitted()) {
    return {.status = BSC_INVALID_ARGUMENT,
            .message = "value " + std::to_string(value) + " has not been submitted to this queue, whose last is " +
                       std::to_string(queue->submitted())};
  }
  if (timeout_ns == 0) return {.status = BSC_TIMED_OUT, .message = "not yet completed"};
  if (on_own_stack(*queue)) return own_queue_failure();

  if (timeout_ns != kForever) {
    if (sleep(*queue, value, deadline_after(timeout_ns))) return queue->failure_up_to(value);
    return {.status = BSC_TIMED_OUT,
            .message = "value " + std::to_string(value) + " has not completed within " + std::to_string(timeout_ns) +
                       " ns; the work goes on"};
  }
  while (queue->completed() < value) {
    const Advance advance_made = advance(queue, value);
    if (advance_made == Advance::would_deadlock) return own_queue_failure();
    if (advance_made == Advance::moved) continue;
    const auto reached = [&] { return queue->completed() >= value; };
    if (spin_until(spin_, reached)) break;
    const bool nested = Pool::current_frame() != nullptr;
    (void)sleep(*queue, value, nested ? Clock::now() + kNestedSleep : Clock::time_point::max());
  }
  return queue->failure_up_to(value);
}

// Does what can be done at once towards `value`: owns the queue, helps with its launch, or does so for the queue that it
// is parked on.
Executor::Advance Executor::advance(const QueuePtr& queue, std::uint64_t value) {
  QueuePtr target = queue;
  std::uint64_t goal = value;
  for (;;) {
    if (target != queue && on_own_stack(*target)) return Advance::would_deadlock;
    switch (target->state_.load(std::memory_order_acquire)) {
      case WorkQueue::State::idle: return Advance::moved;
      case WorkQueue::State::runnable: {
        auto expected = WorkQueue::State::runnable;
        if (!target->state_.compare_exchange_strong(expected, WorkQueue::State::owned)) continue;
        return drain(target, goal) == Progress::no_room ? Advance::nothing : Advance::moved;
      }
      case WorkQueue::State::owned: {
        std::uint32_t index = 0;
        if (!pool_.try_join(*target, index)) return Advance::nothing;
        work_on_range(*target, index);
        (void)leave_and_drain(target, goal);
        return Advance::moved;
      }
      case WorkQueue::State::parked: {
        QueuePtr next;
        {
          const auto lock = lock_briefly_held(target->mutex_);
          next = target->parked_on_;
          goal = target->parked_on_ ? target->parked_value_ : goal;
        }
        if (next) target = std::move(next);  // else made runnable meanwhile
        break;
      }
    }
  }
}

bool Executor::sleep(WorkQueue& queue, std::uint64_t value, Clock::time_point deadline) {
  const Pool::BlockedScope blocked;
  std::unique_lock<std::mutex> lock = lock_briefly_held(queue.mutex_);
  while (queue.completed() < value) {
    queue.lowest_awaited_ = std::min(queue.lowest_awaited_, value);
    if (deadline == Clock::time_point::max()) {
      queue.reached_.wait(lock);
    } else if (queue.reached_.wait_until(lock, deadline) == std::cv_status::timeout) {
      return queue.completed() >= value;
    }
  }
  return true;
}

bool Executor::on_own_stack(const WorkQueue& queue) noexcept {
  for (const Frame* frame = Pool::current_frame(); frame != nullptr; frame = frame->outer) {
    if (frame->queue == &queue) return true;
  }
  return false;
}

}  // namespace bascule::cpu
