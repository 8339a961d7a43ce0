// Waiting for submissions, their failures and their times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/plugin.hpp"
#include "backends/opencl/queue.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

constexpr std::size_t kTimesKept = 4096;

// clWaitForEvents has no time limit: where one is asked for, the driver's callback wakes the waiter instead.
void on_complete(cl::Event, cl::Int, void* context) {
  const std::unique_ptr<std::shared_ptr<Completion>> holder(static_cast<std::shared_ptr<Completion>*>(context));
  Completion& completion = **holder;
  const std::lock_guard lock(completion.mutex);
  completion.done = true;
  completion.changed.notify_all();
}

void sleep_until_done(Completion& completion, std::uint64_t timeout_ns) {
  // Beyond a day the sum with the clock could overflow; the caller's loop comes back anyway.
  constexpr std::uint64_t kLongest = std::uint64_t{24} * 3600 * 1'000'000'000;
  std::unique_lock lock(completion.mutex);
  completion.changed.wait_for(lock, std::chrono::nanoseconds(std::min(timeout_ns, kLongest)),
                              [&] { return completion.done; });
}

}  // namespace

OwnedEvent Queue::retain(const OwnedEvent& event) const {
  device.api().clRetainEvent(event.get());
  return {device.api(), event.get()};
}

const OwnedEvent* Queue::pending_event(std::uint64_t value) const {
  for (std::uint64_t at = value; at > retired_; --at) {
    const Submission& submission = pending_[static_cast<std::size_t>(at - retired_ - 1)];
    if (submission.last) return &submission.last;
  }
  return nullptr;
}

void Queue::record_failure(bsc_status status, cl::Int code, std::uint64_t value, std::string call) {
  device.note(status);
  if (failure_.status == BSC_OK) failure_ = {status, code, value, std::move(call)};
}

bsc_status Queue::report_failure(bsc_plugin_error* error) const {
  const std::string_view remedy = remedy_of(failure_.code);
  backend::fill_vendor_error(error, failure_.status, failure_.call, {failure_.code, failure_.code == 0 ? "" : error_name(failure_.code)},
                             "submission {} of this queue failed{}{}{}{}; the queue takes no more work, release it",
                             failure_.value, failure_.code == 0 ? "" : " with ",
                             failure_.code == 0 ? "" : error_name(failure_.code), remedy.empty() ? "" : ": ", remedy);
  backend::set_error_interval(error, failure_.value - 1, failure_.value);
  return failure_.status;
}

void Queue::record_times(const Submission& submission, std::uint64_t value) {
  const cl::Api& api = device.api();
  RecordedTimes times = {value, 0, 0, 0};
  const auto read = [&](const OwnedEvent& event, cl::Uint what, std::uint64_t& time) {
    return event && api.clGetEventProfilingInfo(event.get(), what, sizeof time, &time, nullptr) == cl::kSuccess;
  };
  if (!read(submission.first, cl::kProfilingCommandStart, times.started) ||
      !read(submission.last, cl::kProfilingCommandEnd, times.ended)) {
    return;
  }
  read(submission.first, cl::kProfilingCommandQueued, times.submitted);
  if (times_.size() == kTimesKept) times_.pop_front();
  times_.push_back(times);
}

void Queue::retire() {
  const cl::Api& api = device.api();
  while (!pending_.empty()) {
    const Submission& front = pending_.front();
    const std::uint64_t value = retired_ + 1;
    if (front.last) {
      cl::Int status = cl::kComplete;
      const cl::Int code =
          api.clGetEventInfo(front.last.get(), cl::kEventCommandExecutionStatus, sizeof status, &status, nullptr);
      if (code != cl::kSuccess) {
        record_failure(status_of(code), code, value, "clGetEventInfo");
      } else if (status > cl::kComplete) {
        return;
      } else if (status < cl::kComplete) {
        record_failure(status_of_execution(status), status, value, "clEnqueueNDRangeKernel");
      } else if (front.times) {
        record_times(front, value);
      }
    }
    pending_.pop_front();
    ++retired_;
  }
}

bsc_status Queue::event_of(std::uint64_t value, OwnedEvent& event, bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  if (value > submitted_) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "wait: value {} was not submitted; the queue's last is {}", value,
                      submitted_);
  }
  retire();
  if (failure_.status != BSC_OK && failure_.value <= value) return report_failure(error);
  if (const OwnedEvent* const pending = pending_event(value)) event = retain(*pending);
  return BSC_OK;
}

bsc_status Queue::watch(std::uint64_t value, std::shared_ptr<Completion>& completion, bsc_plugin_error* error) {
  // The submission whose event is awaited; pending_event found it.
  const OwnedEvent* const event = pending_event(value);
  const auto owner = std::find_if(pending_.begin(), pending_.end(), [&](const Submission& s) { return &s.last == event; });
  if (owner->completion == nullptr) {
    auto fresh = std::make_shared<Completion>();
    auto holder = std::make_unique<std::shared_ptr<Completion>>(fresh);
    BSC_VENDOR_RETURN_IF_ERROR(Check(error), device.api(), clSetEventCallback, event->get(), cl::kComplete, on_complete,
                               holder.get());
    holder.release();
    owner->completion = std::move(fresh);
  }
  completion = owner->completion;
  return BSC_OK;
}

bsc_status Queue::wait(std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  if (value > submitted_) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "event.wait", "value {} was not submitted; the queue's last is {}", value,
                      submitted_);
  }
  for (;;) {
    retire();
    if (failure_.status != BSC_OK && failure_.value <= value) return report_failure(error);
    const OwnedEvent* const pending = pending_event(value);
    if (retired_ >= value || pending == nullptr) return BSC_OK;

    if (timeout_ns == BSC_WAIT_FOREVER) {
      const OwnedEvent event = retain(*pending);
      const cl::Event awaited = event.get();
      lock.unlock();
      const cl::Int code = device.api().clWaitForEvents(1, &awaited);
      lock.lock();
      // The latter code only says that the event has failed; retire() finds out how.
      if (code != cl::kSuccess && code != cl::kExecStatusErrorForEventsInWaitList) {
        record_failure(status_of(code), code, value, "clWaitForEvents");
      }
      continue;
    }

    const auto passed = static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
    if (passed >= timeout_ns) {
      return fill_error(error, BSC_TIMED_OUT, "event.wait", "value {} had not completed after {} ns (the last completed is {})",
                        value, timeout_ns, retired_);
    }
    std::shared_ptr<Completion> completion;
    BSC_PLUGIN_RETURN_IF_ERROR(watch(value, completion, error));
    lock.unlock();
    sleep_until_done(*completion, timeout_ns - passed);
    lock.lock();
  }
}

std::uint64_t Queue::completed() {
  const std::lock_guard lock(mutex_);
  retire();
  return retired_;
}

bsc_status Queue::times(std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  retire();
  const auto found = std::lower_bound(times_.begin(), times_.end(), value,
                                      [](const RecordedTimes& times, std::uint64_t wanted) { return times.value < wanted; });
  if (found == times_.end() || found->value != value) {
    return fill_error(error, BSC_NOT_FOUND, "profile.times",
                      "no times of value {}: it has not completed, was submitted without BSC_SUBMIT_TIMES, or is older than "
                      "the last {} that were",
                      value, kTimesKept);
  }
  bsc_plugin_times times = {};
  times.submitted = found->submitted;
  times.started = found->started;
  times.ended = found->ended;
  times.resolution = device.properties.timer_resolution_ns;
  backend::write_struct(out_times, times);
  return BSC_OK;
}

bsc_status event_wait(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error) {
  return backend::guarded(error, "event.wait", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "event.wait", handle, BSC_OBJECT_QUEUE);
    if (forked_since_open()) return queue->device.check_usable("event.wait", error);
    return queue->wait(value, timeout_ns, error);
  });
}

bsc_status event_completed(bsc_plugin_queue handle, std::uint64_t* out_value, bsc_plugin_error* error) {
  return backend::guarded(error, "event.completed", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "event.completed", handle, BSC_OBJECT_QUEUE);
    if (out_value == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "event.completed", "out_value must not be null");
    if (forked_since_open()) return queue->device.check_usable("event.completed", error);
    *out_value = queue->completed();
    return BSC_OK;
  });
}

bsc_status profile_times(bsc_plugin_queue handle, std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error) {
  return backend::guarded(error, "profile.times", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "profile.times", handle, BSC_OBJECT_QUEUE);
    if (out_times == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "profile.times", "out_times must not be null");
    return queue->times(value, out_times, error);
  });
}

}  // namespace bascule::opencl
