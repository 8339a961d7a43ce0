// Taking and giving back events.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/event_pool.hpp"

#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

bsc_status EventPool::take(bool timed, Event& event, bsc_plugin_error* error) {
  Handle handle = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Handle>& idle = idle_[timed ? 1 : 0];
    if (!idle.empty()) {
      handle = idle.back();
      idle.pop_back();
    }
  }
  if (handle == nullptr) {
    const Vendor& v = vendor();
    BSC_PLUGIN_RETURN_IF_ERROR(device_.call(error, "no event for the end of the work", device_.api().event_create, &handle,
                                            timed ? v.timed_event_flags : v.event_flags));
  }
  event = Event(handle, [this, timed](Handle done) { give_back(done, timed); });
  return BSC_OK;
}

void EventPool::give_back(Handle event, bool timed) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    idle_[timed ? 1 : 0].push_back(event);
  } catch (...) {
    device_.release(device_.api().event_destroy, event);
  }
}

void EventPool::destroy_all() {
  const std::lock_guard lock(mutex_);
  for (std::vector<Handle>& idle : idle_) {
    for (const Handle event : idle) device_.release(device_.api().event_destroy, event);
    idle.clear();
  }
}

}  // namespace bascule::gpu
