// Driver events that are used again and again: creating one costs as much as a launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <memory>
#include <mutex>
#include <vector>

#include "backends/common/gpu/api.hpp"

namespace bascule::gpu {

struct Device;

// A driver event that returns to its pool with the last reference.
using Event = std::shared_ptr<void>;

class EventPool {
 public:
  explicit EventPool(Device& device) : device_(device) {}
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  // The device's context must be current. `timed`: times can be read from it.
  bsc_status take(bool timed, Event& event, bsc_plugin_error* error);
  void destroy_all();

 private:
  void give_back(Handle event, bool timed) noexcept;

  Device& device_;
  std::mutex mutex_;
  std::vector<Handle> idle_[2];
};

}  // namespace bascule::gpu
