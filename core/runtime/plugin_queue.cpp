// Submitting to a plugin's queue and waiting for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/plugin_queue.hpp"

#include <chrono>
#include <string>

#include "core/runtime/device.hpp"

namespace bascule::core {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

}  // namespace

Result<std::shared_ptr<PluginQueue>> PluginQueue::create(bsc_device& device, const QueueSettings& settings) {
  bsc_plugin_queue_description description{};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  description.compute_unit_limit = settings.compute_unit_limit;
  description.priority = settings.priority;
  PluginError error;
  bsc_plugin_queue handle = nullptr;
  const bsc_status status = device.backend().tables().queue.create(device.handle(), &description, &handle, error.raw());
  if (status != BSC_OK) return error.take(status, device.backend().name(), "creating a queue");
  return std::make_shared<PluginQueue>(device, handle, settings.profile);
}

PluginQueue::PluginQueue(bsc_device& device, bsc_plugin_queue handle, bool profile)
    : device_(device),
      backend_(device.backend()),
      handle_(handle),
      timeline_(std::make_shared<Timeline>(device.backend(), handle)),
      profile_(profile) {
  if (profile && !backend_.tables().has_times) host_times_.resize(kHostTimes);
}

PluginQueue::~PluginQueue() {
  timeline_->detach();
  PluginError error;
  // A failure here was reported to whoever waited for the work; nobody is left to tell.
  (void)backend_.tables().queue.release(handle_, error.raw());
  timeline_->close();
}

Status PluginQueue::submit(std::span<const bsc_plugin_command> commands, const char* what, std::uint64_t* out_value) {
  bsc_plugin_submission submission;
  submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
  submission.flags = profile_ ? BSC_SUBMIT_TIMES : 0;
  submission.command_count = commands.size();
  submission.command_stride = sizeof(bsc_plugin_command);
  submission.commands = commands.data();
  const std::uint64_t started = host_times_.empty() ? 0 : now_ns();
  PluginError error;
  const bsc_status status = backend_.tables().queue.submit(handle_, &submission, out_value, error.raw());
  if (status != BSC_OK) [[unlikely]]
    return error.take(status, backend_.name(), what);
  submitted(*out_value, started);
  return {};
}

Status PluginQueue::replay(bsc_plugin_graph graph, std::uint64_t* out_value) {
  const std::uint64_t started = host_times_.empty() ? 0 : now_ns();
  PluginError error;
  const bsc_status status =
      backend_.tables().graph.replay(graph, handle_, profile_ ? BSC_SUBMIT_TIMES : 0, out_value, error.raw());
  if (status != BSC_OK) return error.take(status, backend_.name(), "replaying a graph");
  submitted(*out_value, started);
  return {};
}

void PluginQueue::submitted(std::uint64_t value, std::uint64_t started_ns) {
  timeline_->set_submitted(value);
  if (host_times_.empty()) return;
  const std::lock_guard lock(times_mutex_);
  host_times_[value % kHostTimes] = {value, started_ns, 0};
}

Status PluginQueue::wait(std::uint64_t value, std::uint64_t timeout_ns) {
  if (value == 0) return {};
  PluginError error;
  const bsc_status status = backend_.tables().event.wait(handle_, value, timeout_ns, error.raw());
  if (status == BSC_TIMED_OUT) {
    return Error{.status = status,
                 .message = backend_.name() + ": submission " + std::to_string(value) + " has not completed after " +
                            std::to_string(timeout_ns) + " ns (completed so far: " + std::to_string(timeline_->poll()) +
                            "); the work goes on",
                 .remedy = "wait again, or with a larger limit",
                 .backend = backend_.name(),
                 .retryable = true};
  }
  timeline_->advance(value);
  if (status == BSC_OK) {
    std::uint64_t good = last_good_.load(std::memory_order_relaxed);
    while (good < value && !last_good_.compare_exchange_weak(good, value, std::memory_order_relaxed)) {
    }
  }
  saw_completed(value);
  device_.graveyard().collect();
  if (status == BSC_OK) return {};
  Error result = error.take(status, backend_.name(), "work on the queue");
  if (result.first_incomplete == 0) {  // the plugin does not say: the host knows the last good wait
    result.last_completed = last_good_.load(std::memory_order_relaxed);
    result.first_incomplete = value;
  }
  result.message += " (in a submission after " + std::to_string(result.last_completed) + ", up to " +
                    std::to_string(result.first_incomplete) + ")";
  if (result.remedy.empty()) {
    result.remedy = "create the queue with debug_sync = 1 to learn which launch it is; this queue takes no more work";
  }
  return result;
}

void PluginQueue::saw_completed(std::uint64_t value) {
  if (host_times_.empty()) return;
  const std::uint64_t now = now_ns();
  const std::lock_guard lock(times_mutex_);
  for (std::uint64_t older = value; older != 0 && older + kHostTimes > value; --older) {
    HostTime& time = host_times_[older % kHostTimes];
    if (time.value != older || time.ended_ns != 0) break;
    time.ended_ns = now;
  }
}

Status PluginQueue::host_times(std::uint64_t value, bsc_times* out_times) {
  const std::lock_guard lock(times_mutex_);
  const HostTime& time = host_times_[value % kHostTimes];
  if (time.value != value || time.ended_ns == 0) {
    return Error{.status = BSC_NOT_FOUND,
                 .message = "the times of submission " + std::to_string(value) + " are no longer kept",
                 .remedy = "ask within the next " + std::to_string(kHostTimes) + " submissions"};
  }
  out_times->submitted_ns = time.submitted_ns;
  out_times->started_ns = time.submitted_ns;
  out_times->ended_ns = time.ended_ns;
  out_times->resolution_ns = 1;
  out_times->host_clock = 1;
  return {};
}

Status PluginQueue::times(std::uint64_t value, bsc_times* out_times) {
  if (!host_times_.empty()) return host_times(value, out_times);
  bsc_plugin_times times{};
  times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
  PluginError error;
  const bsc_status status = backend_.tables().profile.times(handle_, value, &times, error.raw());
  if (status != BSC_OK) return error.take(status, backend_.name(), "reading a submission's times");
  out_times->submitted_ns = times.submitted;
  out_times->started_ns = times.started;
  out_times->ended_ns = times.ended;
  out_times->resolution_ns = times.resolution;
  out_times->host_clock = 0;
  return {};
}

}  // namespace bascule::core
