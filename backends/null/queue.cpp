// Queues and submission. See objects.hpp for how a timeline works without anything running.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/queue.hpp"

#include <algorithm>
#include <cfenv>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/teardown.hpp"
#include "backends/null/validate.hpp"

namespace bascule::null_backend {
namespace {

// When the submission `value` of `queue` will have ended; 0 for one that has.
Time end_of(Queue& queue, std::uint64_t value) {
  const std::lock_guard lock(queue.mutex);
  for (const Timeline::Submission& pending : queue.timeline.pending) {
    if (pending.value >= value) return pending.ended;
  }
  return 0;
}

// The latest end among the points that the submission's commands wait for.
Time end_of_waits(const bsc_plugin_submission& submission) {
  Time end = 0;
  if (has_fault(Fault::submit_wait_command_ignored)) return end;
  for (std::uint64_t i = 0; i < submission.command_count; ++i) {
    bsc_plugin_command room;
    const auto& command = strided_element(submission.commands, submission.command_stride, i, room);
    if (command.kind != BSC_COMMAND_WAIT) continue;
    if (auto* const queue = object<Queue>(command.wait.queue)) end = std::max(end, end_of(*queue, command.wait.value));
  }
  return end;
}

// Whether the next work to be executed in this instance was ordered to fail.
const OrderedFailure* ordered_work_failure(Instance& instance) {
  const std::uint64_t number = 1 + instance.calls[static_cast<std::size_t>(Entry::execute)].fetch_add(1);
  for (const OrderedFailure& failure : instance.options.failures) {
    if (failure.entry == Entry::execute && failure.call == number) return &failure;
  }
  return nullptr;
}

bsc_status refuse_after_failure(const Queue& queue, Time at, Entry entry, bsc_plugin_error* error) {
  const Timeline& timeline = queue.timeline;
  if (timeline.failed_value == 0 || at < timeline.failed_at || has_fault(Fault::failure_accepts_more)) return BSC_OK;
  const bsc_status status = has_fault(Fault::failure_status_changes) ? BSC_INTERNAL : timeline.failed_status;
  refuse(error, status, entry,
         "submission {} of this queue failed earlier; the queue takes no more work, release it", timeline.failed_value);
  backend::set_error_interval(error, timeline.failed_value - 1, timeline.failed_value);
  return status;
}

void remember_times(Timeline& timeline, const Timeline::Submission& submission) {
  timeline.timed.push_back(submission);
  const std::size_t kept = has_fault(Fault::times_kept_too_few) ? 16 : kTimesKept;
  if (timeline.timed.size() > kept) timeline.timed.pop_front();
}

// Decides when the submission ends, and whether it fails then.
void place_on_timeline(Queue& queue, Time at, Time waits, std::uint64_t flags, std::uint64_t value) {
  Instance& instance = queue.instance;
  Timeline& timeline = queue.timeline;
  Timeline::Submission submission = {value, at, std::max({at, timeline.last_end, waits}), 0};
  submission.ended = submission.started + static_cast<Time>(instance.options.execute_delay.count());
  if (timeline.failed_value != 0) {  // completes without running
    submission.started = submission.ended = std::max(timeline.last_end, at);
  } else if (const OrderedFailure* const failure = ordered_work_failure(instance)) {
    timeline.failed_value = value;
    timeline.failed_status = failure->status;
    timeline.failed_at = submission.ended;
    if (failure->status == BSC_DEVICE_LOST) queue.device.lost_at.store(submission.ended);
  }
  timeline.last_end = submission.ended;
  if (submission.ended > at) timeline.pending.push_back(submission);
  if ((flags & BSC_SUBMIT_TIMES) != 0) remember_times(timeline, submission);
}

std::uint64_t next_value(const Queue& queue, bool empty) {
  static std::atomic<std::uint64_t> shared{0};
  const std::uint64_t last = queue.submitted.load(std::memory_order_relaxed);
  if (has_fault(Fault::submit_values_skip) && last == 1) return 3;
  if (has_fault(Fault::submit_empty_without_value) && empty) return last;
  if (has_fault(Fault::submit_values_are_shared)) return ++shared;
  return last + 1;
}

void break_submit_rule(Queue& queue) {
  if (has_fault(Fault::submit_blocks)) sleep_until(queue.timeline.last_end);
  if (has_fault(Fault::submit_changes_rounding)) std::fesetround(FE_DOWNWARD);
}

// The way of every submission for which more than the count matters.
bsc_status submit_timed(Queue& queue, const bsc_plugin_submission& submission, std::uint64_t* out_value,
                        bsc_plugin_error* error) {
  Instance& instance = queue.instance;
  BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &queue.device, Entry::queue_submit, error));
  if (instance.options.submit_delay.count() != 0) {
    sleep_until(now() + static_cast<Time>(instance.options.submit_delay.count()));
  }
  if (const bsc_status status = check_submission(queue.device, submission, Entry::queue_submit, error);
      status != BSC_OK) {
    if (has_fault(Fault::submit_refused_takes_value)) queue.submitted.fetch_add(1);
    return status;
  }
  return enter_timeline(queue, submission, submission.flags, Entry::queue_submit, out_value, error);
}

}  // namespace

bsc_status enter_timeline(Queue& queue, const bsc_plugin_submission& submission, std::uint64_t flags, Entry entry,
                          std::uint64_t* out_value, bsc_plugin_error* error) {
  const Time waits = end_of_waits(submission);
  const Time at = now();
  {
    const std::lock_guard lock(queue.mutex);
    BSC_PLUGIN_RETURN_IF_ERROR(refuse_after_failure(queue, at, entry, error));
    const std::uint64_t value = next_value(queue, submission.command_count == 0);
    place_on_timeline(queue, at, waits, flags, value);
    queue.submitted.store(value, std::memory_order_release);
    *out_value = has_fault(Fault::submit_values_start_at_zero) ? value - 1 : value;
  }
  if (queue.instance.options.fault != Fault::none) break_submit_rule(queue);
  return succeed(error);
}

bsc_status create_queue(bsc_plugin_device handle, const bsc_plugin_queue_description* given, bsc_plugin_queue* out_queue,
                        bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "queue.create", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) return refuse_handle(error, "queue.create", handle, BSC_OBJECT_DEVICE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::queue_create, error));
    const bsc_plugin_queue_description description = backend::read_struct(given);
    if (description.compute_unit_limit != 0 && !has_fault(Fault::queue_create_limit_ignored)) {
      return refuse(error, BSC_UNSUPPORTED, Entry::queue_create,
                    "a limit on compute units needs the capability queue_compute_unit_limit, which the null backend has "
                    "not");
    }
    if (description.priority != 0 && has_fault(Fault::queue_create_refuses_priority)) {
      return refuse(error, BSC_UNSUPPORTED, Entry::queue_create, "no priorities");
    }
    auto queue = std::make_unique<Queue>(*device);
    {
      const std::lock_guard lock(device->instance.mutex);
      device->instance.queues.insert(queue.get());
    }
    *out_queue = queue.release();
    return succeed(error);
  });
}

bsc_status release_queue(bsc_plugin_queue handle, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "queue.release", [&]() -> bsc_status {
    auto* const queue = object<Queue>(handle);
    if (queue == nullptr) return refuse_handle(error, "queue.release", handle, BSC_OBJECT_QUEUE);
    Instance& instance = queue->instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &queue->device, Entry::queue_release, error));
    if (!has_fault(Fault::queue_release_returns_before_work)) wait_until_empty(*queue);
    if (has_fault(Fault::queue_release_leaves_handle)) return BSC_OK;
    {
      const std::lock_guard lock(instance.mutex);
      instance.queues.erase(queue);
    }
    delete queue;
    return succeed(error);
  });
}

bsc_status submit(bsc_plugin_queue handle, const bsc_plugin_submission* given, std::uint64_t* out_value,
                  bsc_plugin_error* error) noexcept {
  auto* const queue = object<Queue>(handle);
  if (queue == nullptr) [[unlikely]] {
    return refuse_handle(error, "queue.submit", handle, BSC_OBJECT_QUEUE, Fault::submit_queue_handle_unchecked);
  }
  const bool plain = !queue->instance.instrumented && given->header.size >= sizeof *given && given->flags == 0;
  if (plain) [[likely]] {
    if (const bsc_status status = check_submission(queue->device, *given, Entry::queue_submit, error);
        status != BSC_OK) [[unlikely]] {
      return status;
    }
    // One thread at a time submits to a queue, so no atomic addition is needed.
    const std::uint64_t value = queue->submitted.load(std::memory_order_relaxed) + 1;
    queue->submitted.store(value, std::memory_order_release);
    *out_value = value;
    return BSC_OK;
  }
  return backend::guarded(error, "queue.submit", [&] {
    return submit_timed(*queue, backend::read_struct(given), out_value, error);
  });
}

}  // namespace bascule::null_backend
