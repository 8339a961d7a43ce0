// Waiting for a queue's timeline, looking at it, and the times of submissions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <time.h>

#include "backends/common/struct_access.hpp"
#include "backends/cpu/failure.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/plugin.hpp"
#include "backends/cpu/queue.hpp"

namespace bascule::cpu {

using backend::fill_error;

static_assert(Executor::kForever == BSC_WAIT_FOREVER);

bsc_status event_wait(bsc_plugin_queue handle, uint64_t value, uint64_t timeout_ns, bsc_plugin_error* error) {
  return backend::guarded(error, "event.wait", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "event.wait", handle, BSC_OBJECT_QUEUE);
    return report(queue->device.instance.executor.wait(queue->work, value, timeout_ns), "event.wait", error);
  });
}

bsc_status event_completed(bsc_plugin_queue handle, uint64_t* out_value, bsc_plugin_error* error) {
  auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
  if (queue == nullptr) return backend::fill_handle_error(error, "event.completed", handle, BSC_OBJECT_QUEUE);
  if (out_value == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "event.completed", "out_value must not be null");
  *out_value = queue->work->completed();
  return BSC_OK;
}

bsc_status profile_times(bsc_plugin_queue handle, uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error) {
  return backend::guarded(error, "profile.times", [&]() -> bsc_status {
    auto* const queue = backend::object_cast<Queue>(handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "profile.times", handle, BSC_OBJECT_QUEUE);
    if (out_times == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "profile.times", "out_times must not be null");
    BSC_PLUGIN_RETURN_IF_ERROR(queue->device.check_usable("profile.times", error));
    SubmissionTimes kept;
    if (!queue->work->times(value, kept)) {
      return fill_error(error, BSC_NOT_FOUND, "profile.times",
                        "no times of submission {}: it has not completed, was submitted without BSC_SUBMIT_TIMES, or is not "
                        "among the last 1024 that had it",
                        value);
    }
    timespec resolution{};
    (void)::clock_getres(CLOCK_MONOTONIC, &resolution);
    bsc_plugin_times times = {};
    times.submitted = kept.submitted;
    times.started = kept.started;
    times.ended = kept.ended;
    times.resolution = static_cast<std::uint64_t>(resolution.tv_nsec);
    backend::write_struct(out_times, times);
    return BSC_OK;
  });
}

}  // namespace bascule::cpu
