// Waiting for submissions, their failures and their times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/plugin.hpp"
#include "backends/common/gpu/queue.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::size_t kTimesKept = 4096;
constexpr std::chrono::nanoseconds kShortestPause = std::chrono::microseconds(1);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::milliseconds(1);

}  // namespace

// A queue of a device that was lost says how its own work ended, without the driver.
bsc_status Queue::enter(ContextScope& scope, std::string_view call, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(device.instance.check_process(call, error));
  if (device.is_lost()) return BSC_OK;
  const bsc_status status = scope.enter(device, error);
  return device.is_lost() ? BSC_OK : status;
}

Event Queue::pending_event(std::uint64_t value) const {
  for (std::uint64_t at = value; at > retired_; --at) {
    const Submission& submission = pending_[static_cast<std::size_t>(at - retired_ - 1)];
    if (submission.last) return submission.last;
  }
  return nullptr;
}

void Queue::record_failure(CallResult result, std::uint64_t value) {
  device.note(result, true);
  if (failure_.status != BSC_OK) return;
  const ResultCode& code = result_of(result.code);
  failure_ = {code.status == BSC_INTERNAL ? BSC_LAUNCH_FAILED : code.status, result, value, submitted_};
}

bsc_status Queue::report_failure(bsc_plugin_error* error) const {
  const std::uint64_t last = std::max(failure_.value, failure_.last);
  const int code = failure_.result.code;
  if (failure_.status == BSC_DEVICE_LOST && code == 0) {
    device.check_usable("queue.submit", error);
    backend::set_error_interval(error, failure_.value - 1, last);
    return BSC_DEVICE_LOST;
  }
  const std::string name = code == 0 ? "" : result_name(code);
  const std::string_view remedy = code == 0 ? "" : result_of(code).remedy;
  backend::fill_vendor_error(error, failure_.status, code == 0 ? "queue.submit" : failure_.result.call, {code, name},
                             "submission {}{} of this queue failed{}{}{}{}; the queue takes no more work, release it",
                             failure_.value, last > failure_.value ? fmt::format(" to {}", last) : "",
                             code == 0 ? "" : " with ", name, remedy.empty() ? "" : ": ", remedy);
  backend::set_error_interval(error, failure_.value - 1, last);
  return failure_.status;
}

void Queue::record_times(const Submission& submission, std::uint64_t value) {
  const Api& api = device.api();
  float since_epoch = 0;
  float duration = 0;
  if (api.event_elapsed(&since_epoch, epoch_.get(), submission.first.get()) != 0 ||
      api.event_elapsed(&duration, submission.first.get(), submission.last.get()) != 0) {
    return;
  }
  constexpr double kNanoseconds = 1e6;  // of a millisecond
  // A queue's clock starts at one, so that 0 can stand for "unknown".
  const auto started = 1 + static_cast<std::uint64_t>(std::llround(std::max(0.0, double{since_epoch} * kNanoseconds)));
  const auto ended = started + static_cast<std::uint64_t>(std::llround(std::max(0.0, double{duration} * kNanoseconds)));
  if (times_.size() == kTimesKept) times_.pop_front();
  times_.push_back({value, started, ended});
}

void Queue::retire() {
  const Api& api = device.api();
  while (!pending_.empty()) {
    const Submission& front = pending_.front();
    const std::uint64_t value = retired_ + 1;
    if ((front.last || front.unmarked) && failure_.status == BSC_OK && device.is_lost()) {
      const CallResult loss = device.claim_loss();
      if (loss.code != 0) {
        record_failure(loss, value);
      } else {
        failure_ = {BSC_DEVICE_LOST, {}, value, submitted_};
      }
    } else if (front.last && failure_.status == BSC_OK) {
      const int code = api.event_query(front.last.get());
      if (code == vendor().code_not_ready) return;
      if (code != 0) {
        record_failure({code, api.event_query.name}, value);
      } else if (front.first) {
        record_times(front, value);
      }
    }
    // After a failure that the device survives the stream may still use what later submissions own.
    if (failure_.status != BSC_OK) abandoned_.push_back(std::move(pending_.front()));
    pending_.pop_front();
    ++retired_;
  }
}

bsc_status Queue::check_value(std::uint64_t value, bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  if (value > submitted_) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "wait: value {} was not submitted; the queue's last is {}", value,
                      submitted_);
  }
  retire();
  return failure_.status != BSC_OK && failure_.value <= value ? report_failure(error) : BSC_OK;
}

bsc_status Queue::event_of(std::uint64_t value, Event& event, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(check_value(value, error));
  const std::lock_guard lock(mutex_);
  event = pending_event(value);
  return BSC_OK;
}

bsc_status Queue::wait(std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::chrono::nanoseconds pause = kShortestPause;
  std::unique_lock lock(mutex_);
  if (value > submitted_) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "event.wait", "value {} was not submitted; the queue's last is {}", value,
                      submitted_);
  }
  for (;;) {
    retire();
    if (failure_.status != BSC_OK && failure_.value <= value) return report_failure(error);
    const Event event = pending_event(value);
    if (retired_ >= value || event == nullptr) return BSC_OK;

    if (timeout_ns == BSC_WAIT_FOREVER) {
      lock.unlock();
      const int code = device.api().event_synchronize(event.get());
      lock.lock();
      if (code != 0) record_failure({code, device.api().event_synchronize.name}, retired_ + 1);
      continue;
    }

    const auto passed = static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start).count());
    if (passed >= timeout_ns) {
      return fill_error(error, BSC_TIMED_OUT, "event.wait", "value {} had not completed after {} ns (the last completed is {})",
                        value, timeout_ns, retired_);
    }
    const auto left = std::chrono::nanoseconds(std::min<std::uint64_t>(timeout_ns - passed, kLongestPause.count()));
    lock.unlock();
    std::this_thread::sleep_for(std::min(pause, left));
    pause = std::min(pause * 2, kLongestPause);
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
  times.started = found->started;
  times.ended = found->ended;
  times.resolution = vendor().clock_resolution_ns;
  backend::write_struct(out_times, times);
  return BSC_OK;
}

bsc_status event_wait(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error) {
  return backend::guarded(error, "event.wait", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "event.wait", handle, BSC_OBJECT_QUEUE);
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(queue->enter(scope, "event.wait", error));
    return queue->wait(value, timeout_ns, error);
  });
}

bsc_status event_completed(bsc_plugin_queue handle, std::uint64_t* out_value, bsc_plugin_error* error) {
  return backend::guarded(error, "event.completed", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "event.completed", handle, BSC_OBJECT_QUEUE);
    if (out_value == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "event.completed", "out_value must not be null");
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(queue->enter(scope, "event.completed", error));
    *out_value = queue->completed();
    return BSC_OK;
  });
}

bsc_status profile_times(bsc_plugin_queue handle, std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error) {
  return backend::guarded(error, "profile.times", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "profile.times", handle, BSC_OBJECT_QUEUE);
    if (out_times == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "profile.times", "out_times must not be null");
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(queue->enter(scope, "profile.times", error));
    return queue->times(value, out_times, error);
  });
}

}  // namespace bascule::gpu
