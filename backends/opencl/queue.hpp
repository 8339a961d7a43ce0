// In-order queues. Each submission has a value; its last command's event says when it has completed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "backends/common/object.hpp"
#include "backends/opencl/device.hpp"

namespace bascule::opencl {

// A sleeping waiter; the driver's callback wakes it.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

struct Submission {
  OwnedEvent first;  // only where times are wanted
  OwnedEvent last;   // null: nothing was enqueued, it completes with the one before
  bool times = false;
  std::shared_ptr<Completion> completion;  // once somebody waits with a time limit
};

struct QueueFailure {
  bsc_status status = BSC_OK;
  cl::Int code = cl::kSuccess;
  std::uint64_t value = 0;  // of the submission that failed; one past the last where a submission failed half-way
  std::string call;
};

struct RecordedTimes {
  std::uint64_t value;
  std::uint64_t submitted;
  std::uint64_t started;
  std::uint64_t ended;
};

struct Queue : backend::Object<Queue, BSC_OBJECT_QUEUE> {
  explicit Queue(Device& owner);
  ~Queue();

  bsc_status create(bsc_plugin_error* error);
  bsc_status submit(const bsc_plugin_submission& submission, std::uint64_t* out_value, bsc_plugin_error* error);
  bsc_status wait(std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error);
  std::uint64_t completed();
  bsc_status times(std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error);

  // An event that completes with `value`, or a null one when it has completed already. INVALID_ARGUMENT for a value not
  // submitted.
  bsc_status event_of(std::uint64_t value, OwnedEvent& event, bsc_plugin_error* error);
  // Where bytes between two host ranges pass through, in the queue's order; see memory.hpp.
  bsc_status scratch(cl::Mem& buffer, bsc_plugin_error* error);

  Device& device;
  OwnedQueue queue;

 private:
  const OwnedEvent* pending_event(std::uint64_t value) const;  // lock held
  void retire();                                               // lock held
  void record_times(const Submission& submission, std::uint64_t value);
  void record_failure(bsc_status status, cl::Int code, std::uint64_t value, std::string call);  // lock held
  bsc_status report_failure(bsc_plugin_error* error) const;                                     // lock held
  bsc_status watch(std::uint64_t value, std::shared_ptr<Completion>& completion, bsc_plugin_error* error);  // lock held
  OwnedEvent retain(const OwnedEvent& event) const;

  std::mutex mutex_;  // of what follows; submit alone writes scratch_
  std::deque<Submission> pending_;
  std::uint64_t submitted_ = 0;
  std::uint64_t retired_ = 0;  // pending_[i] has the value retired_ + 1 + i
  QueueFailure failure_;
  std::deque<RecordedTimes> times_;
  OwnedMem scratch_;
};

bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error);
bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error);
bsc_status queue_submit(bsc_plugin_queue handle, const bsc_plugin_submission* submission, std::uint64_t* out_value,
                        bsc_plugin_error* error);
bsc_status event_wait(bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout_ns, bsc_plugin_error* error);
bsc_status event_completed(bsc_plugin_queue handle, std::uint64_t* out_value, bsc_plugin_error* error);
bsc_status profile_times(bsc_plugin_queue handle, std::uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error);

}  // namespace bascule::opencl
