// Waiting for a queue, looking at it, and the times of its submissions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/objects.hpp"

namespace bascule::null_backend {
namespace {

// What a waiter has to know; after this no lock is needed, because an accepted submission's end never changes.
struct Outcome {
  Time ends_at = 0;
  bsc_status status = BSC_OK;
  std::uint64_t failed_value = 0;
};

void forget_ended(Timeline& timeline, Time at) {
  while (!timeline.pending.empty() && timeline.pending.front().ended <= at) timeline.pending.pop_front();
}

Outcome outcome_of(Queue& queue, std::uint64_t value) {
  const std::lock_guard lock(queue.mutex);
  Timeline& timeline = queue.timeline;
  forget_ended(timeline, now());
  Outcome outcome;
  for (const Timeline::Submission& pending : timeline.pending) {
    if (pending.value > value) break;
    outcome.ends_at = pending.ended;
  }
  if (timeline.failed_value != 0 && value >= timeline.failed_value && !has_fault(Fault::failure_lost)) {
    outcome.status = timeline.failed_status;
    outcome.failed_value = timeline.failed_value;
  }
  return outcome;
}

// Any queue of the instance that has failed by now, for the fault failure_spreads.
bool another_queue_failed(Instance& instance) {
  const std::lock_guard lock(instance.mutex);
  return std::any_of(instance.queues.begin(), instance.queues.end(),
                     [](const Queue* queue) { return queue->timeline.failed_value != 0; });
}

Time deadline_after(std::uint64_t timeout_ns) {
  const Time start = now();
  if (has_fault(Fault::wait_large_timeout_wraps)) return start + timeout_ns;
  return timeout_ns > kNever - start ? kNever : start + timeout_ns;
}

bsc_status wait_on_timeline(Queue& queue, std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error) {
  if (has_fault(Fault::wait_second_thread_hangs) && queue.waiting.fetch_add(1) != 0) sleep_until(kNever);
  const std::uint64_t submitted = queue.submitted.load(std::memory_order_acquire);
  if (has_fault(Fault::wait_past_value_refused) && value < submitted) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::event_wait, "value {} has passed", value);
  }
  if (has_fault(Fault::wait_returns_early)) return BSC_OK;
  if (has_fault(Fault::failure_spreads) && another_queue_failed(queue.instance)) return BSC_LAUNCH_FAILED;

  const Outcome outcome = outcome_of(queue, value);
  const Time lost_at = queue.device.lost_at.load();
  const Time deadline = deadline_after(timeout_ns);
  const Time end = std::min(outcome.ends_at, lost_at);
  if (end > deadline && !has_fault(Fault::wait_timeout_ignored)) {
    if (!has_fault(Fault::wait_times_out_early)) sleep_until(deadline);
    return refuse(error, BSC_TIMED_OUT, Entry::event_wait, "value {} has not completed after {} ns", value, timeout_ns);
  }
  sleep_until(end);
  if (outcome.status != BSC_OK) {
    refuse(error, outcome.status, Entry::event_wait, "submission {} of this queue failed as ordered by backend.null.fail",
           outcome.failed_value);
    if (!has_fault(Fault::error_interval_missing)) {
      backend::set_error_interval(error, outcome.failed_value - 1, outcome.failed_value);
    }
    return outcome.status;
  }
  if (outcome.ends_at > lost_at) {
    return refuse(error, BSC_DEVICE_LOST, Entry::event_wait, "device null:{} was lost before value {} completed",
                  queue.device.index, value);
  }
  return succeed(error);
}

}  // namespace

bsc_status wait_for_value(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout_ns,
                          bsc_plugin_error* error) noexcept {
  auto* const queue = object<Queue>(handle);
  if (queue == nullptr) [[unlikely]] {
    return refuse_handle(error, "event.wait", handle, BSC_OBJECT_QUEUE, Fault::wait_handle_unchecked);
  }
  const std::uint64_t submitted = queue->submitted.load(std::memory_order_acquire);
  if (value > submitted && !has_fault(Fault::wait_unsubmitted_accepted)) [[unlikely]] {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::event_wait,
                  "value {} was not submitted yet; the queue's last submission has value {}", value, submitted);
  }
  if (!queue->instance.instrumented) [[likely]] return BSC_OK;
  return backend::guarded(error, "event.wait", [&]() -> bsc_status {
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(queue->instance, nullptr, Entry::event_wait, error));
    const bsc_status status = wait_on_timeline(*queue, value, timeout_ns, error);
    queue->waiting.store(0);
    return status;
  });
}

bsc_status completed_value(bsc_plugin_queue handle, std::uint64_t* out_value, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "event.completed", [&]() -> bsc_status {
    auto* const queue = object<Queue>(handle);
    if (queue == nullptr) return refuse_handle(error, "event.completed", handle, BSC_OBJECT_QUEUE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(queue->instance, &queue->device, Entry::event_completed, error));
    const std::lock_guard lock(queue->mutex);
    Timeline& timeline = queue->timeline;
    forget_ended(timeline, now());
    std::uint64_t value = queue->submitted.load(std::memory_order_acquire);
    if (!timeline.pending.empty()) value = timeline.pending.front().value - 1;
    if (has_fault(Fault::completed_ahead)) value = queue->submitted.load() + 1;
    if (has_fault(Fault::completed_goes_back)) value = value == 0 ? 0 : 1;
    *out_value = value;
    return succeed(error);
  });
}

bsc_status submission_times(bsc_plugin_queue handle, std::uint64_t value, bsc_plugin_times* out_times,
                            bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "profile.times", [&]() -> bsc_status {
    auto* const queue = object<Queue>(handle);
    if (queue == nullptr) return refuse_handle(error, "profile.times", handle, BSC_OBJECT_QUEUE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(queue->instance, &queue->device, Entry::profile_times, error));
    const std::lock_guard lock(queue->mutex);
    const auto& timed = queue->timeline.timed;
    const auto found = std::lower_bound(timed.begin(), timed.end(), value,
                                        [](const Timeline::Submission& item, std::uint64_t key) { return item.value < key; });
    bsc_plugin_times times = {};
    times.resolution = 1;
    if (found != timed.end() && found->value == value && found->ended <= now()) {
      times.submitted = found->submitted;
      times.started = found->started;
      times.ended = found->ended;
      if (has_fault(Fault::times_too_short)) times.started = times.ended;
      if (has_fault(Fault::times_not_monotone)) std::swap(times.started, times.ended), ++times.started;
    } else if (!has_fault(Fault::times_without_flag)) {
      return refuse(error, BSC_NOT_FOUND, Entry::profile_times,
                    "no times of submission {}: it was submitted without BSC_SUBMIT_TIMES, has not completed, or is not "
                    "among the last {}",
                    value, kTimesKept);
    }
    backend::write_struct(out_times, times);
    return succeed(error);
  });
}

}  // namespace bascule::null_backend
