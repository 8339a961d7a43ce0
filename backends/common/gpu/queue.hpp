// In-order queues. Each submission has a value; the event recorded behind it says when it has completed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "backends/common/object.hpp"
#include "backends/common/gpu/device.hpp"
#include "backends/common/gpu/host_copy.hpp"

namespace bascule::gpu {

struct Submission {
  Event first;  // only where times are wanted
  Event last;   // null: nothing was enqueued, it completes with the one before
  bool unmarked = false;  // ... or its work took the device with it before its end could be marked
  HostCopies copies;
  std::shared_ptr<void> graph;  // what a replay uses
};

struct QueueFailure {
  bsc_status status = BSC_OK;
  CallResult result;
  std::uint64_t value = 0;  // the first that failed
  std::uint64_t last = 0;   // it lies in a submission up to this one
};

struct RecordedTimes {
  std::uint64_t value;
  std::uint64_t started;
  std::uint64_t ended;
};

struct Queue : backend::Object<Queue, BSC_OBJECT_QUEUE> {
  explicit Queue(Device& owner);
  ~Queue();

  bsc_status create(const bsc_plugin_queue_description& description, bsc_plugin_error* error);
  bsc_status submit(const bsc_plugin_submission& submission, std::uint64_t* out_value, bsc_plugin_error* error);
  // `work` enqueues to a StreamTarget, with an error struct for what it says. `anything`: whether there is something to enqueue.
  template <class Work>
  bsc_status submit_work(bool times, bool anything, Submission entry, Work&& work, std::uint64_t* out_value,
                         bsc_plugin_error* error);
  bsc_status wait(std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error);
  std::uint64_t completed();
  bsc_status times(std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error);

  // INVALID_ARGUMENT for a value not submitted, the failure of one that failed.
  bsc_status check_value(std::uint64_t value, bsc_plugin_error* error);
  // An event that completes with `value`, or null when it has completed already.
  bsc_status event_of(std::uint64_t value, Event& event, bsc_plugin_error* error);
  // The failure that the queue has had, if any.
  bsc_status check_open(bsc_plugin_error* error);
  // Makes the device's context current for a call on this queue.
  bsc_status enter(class ContextScope& scope, std::string_view call, bsc_plugin_error* error);

  Device& device;
  Handle stream = nullptr;

 private:
  bsc_status create_stream(const bsc_plugin_queue_description& description, bsc_plugin_error* error);
  int driver_priority(int wanted) const;
  bsc_status begin_times(Submission& entry, bsc_plugin_error* error);
  bsc_status end(Submission& entry, bool times, bsc_plugin_error* error);

  Event pending_event(std::uint64_t value) const;                    // lock held
  void retire();                                                     // lock held
  void record_times(const Submission& submission, std::uint64_t value);  // lock held
  void record_failure(CallResult result, std::uint64_t value);           // lock held
  bsc_status report_failure(bsc_plugin_error* error) const;              // lock held

  LimitedStream limited_;  // where compute units are limited
  Staging staging_;
  Event epoch_;  // of times; recorded before the first that are wanted

  std::mutex mutex_;  // of what follows
  std::deque<Submission> pending_;
  std::uint64_t submitted_ = 0;
  std::uint64_t retired_ = 0;  // pending_[i] has the value retired_ + 1 + i
  QueueFailure failure_;
  std::deque<RecordedTimes> times_;
  std::deque<Submission> abandoned_;  // enqueued in part; the stream may still use what they own
};

template <class Work>
bsc_status Queue::submit_work(bool times, bool anything, Submission entry, Work&& work, std::uint64_t* out_value,
                              bsc_plugin_error* error) {
  bsc_plugin_error own = backend::own_error();
  bsc_status status = times ? begin_times(entry, &own) : BSC_OK;
  StreamTarget target = {device, stream, staging_, entry.copies, false};
  if (status == BSC_OK) status = work(target, &own);
  if (status == BSC_OK && (anything || times)) status = end(entry, times, &own);
  const std::lock_guard lock(mutex_);
  if (status != BSC_OK && target.started && device.is_lost()) {
    // The driver took the work, and then said that some work has failed: this call did not, a wait tells whose it was.
    entry.unmarked = true;
  } else if (status != BSC_OK) {
    // The driver has a part of it and nothing can call that back: what is in the queue's buffers is no longer known.
    if (target.started && failure_.status == BSC_OK) {
      failure_ = {status, {}, submitted_ + 1, submitted_ + 1};
      abandoned_.push_back(std::move(entry));
    }
    backend::copy_error(error, own);
    return status;
  }
  pending_.push_back(std::move(entry));
  *out_value = ++submitted_;
  return BSC_OK;
}

bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error);
bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error);
bsc_status queue_submit(bsc_plugin_queue handle, const bsc_plugin_submission* submission, std::uint64_t* out_value,
                        bsc_plugin_error* error);
bsc_status event_wait(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error);
bsc_status event_completed(bsc_plugin_queue handle, std::uint64_t* out_value, bsc_plugin_error* error);
bsc_status profile_times(bsc_plugin_queue handle, std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error);

}  // namespace bascule::gpu
