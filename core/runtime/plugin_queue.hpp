// A plugin's queue with its timeline: submitting, waiting, times. The public queue adds recording and staging; the
// device's own transfer queue is one of these as it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "bascule/bascule.h"
#include "core/base/error.hpp"
#include "core/runtime/timeline.hpp"

struct bsc_device;

namespace bascule::core {

struct QueueSettings {
  std::uint64_t compute_unit_limit = 0;
  std::int32_t priority = 0;
  bool profile = false;
};

class PluginQueue {
 public:
  static Result<std::shared_ptr<PluginQueue>> create(bsc_device& device, const QueueSettings& settings);
  PluginQueue(bsc_device& device, bsc_plugin_queue handle, bool profile);
  PluginQueue(const PluginQueue&) = delete;
  PluginQueue& operator=(const PluginQueue&) = delete;
  // Waits until the queue is empty (the plugin does).
  ~PluginQueue();

  // One submission; *out_value is its place on the timeline. `what` names it in errors. One thread at a time.
  Status submit(std::span<const bsc_plugin_command> commands, const char* what, std::uint64_t* out_value);
  // A replay of a native graph, else as submit.
  Status replay(bsc_plugin_graph graph, std::uint64_t* out_value);
  // Any thread. BSC_TIMED_OUT after timeout_ns; else BSC_OK or the failure of a submission up to `value`.
  Status wait(std::uint64_t value, std::uint64_t timeout_ns);
  // Of a completed submission of a queue that profiles.
  Status times(std::uint64_t value, bsc_times* out_times);

  const std::shared_ptr<Timeline>& timeline() const { return timeline_; }
  bsc_plugin_queue handle() const { return handle_; }
  bool profiles() const { return profile_; }

 private:
  // The host's own times, for plugins that keep none: a ring of the last submissions.
  struct HostTime {
    std::uint64_t value = 0;
    std::uint64_t submitted_ns = 0;
    std::uint64_t ended_ns = 0;  // when a wait first saw it completed; 0: not yet
  };
  static constexpr std::size_t kHostTimes = 1024;

  void submitted(std::uint64_t value, std::uint64_t started_ns);
  void saw_completed(std::uint64_t value);
  Status host_times(std::uint64_t value, bsc_times* out_times);

  bsc_device& device_;
  const Backend& backend_;
  bsc_plugin_queue handle_;
  std::shared_ptr<Timeline> timeline_;
  std::atomic<std::uint64_t> last_good_{0};  // highest value that a wait has reported as successful
  const bool profile_;
  std::mutex times_mutex_;
  std::vector<HostTime> host_times_;
};

}  // namespace bascule::core
