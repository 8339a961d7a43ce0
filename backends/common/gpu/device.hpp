// A GPU: what was learnt of it, its context once it is used, and everything that lives on it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "backends/common/object.hpp"
#include "backends/common/gpu/driver.hpp"
#include "backends/common/gpu/event_pool.hpp"
#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu {

struct Graph;
struct Instance;
struct Memory;
struct Module;
struct Queue;

struct Device : backend::Object<Device, BSC_OBJECT_DEVICE> {
  Device(Instance& owner, DeviceProperties read);
  ~Device();

  const Api& api() const;
  bsc_status describe(bsc_plugin_device_info* out_info) const;

  // FORKED in a child of the process that opened the driver, DEVICE_LOST once the driver has said so.
  bsc_status check_usable(std::string_view call, bsc_plugin_error* error) const;
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  // Keeps the first code after which the device is of no use. `by_its_queue`: found when a queue's own work was asked about.
  void note(CallResult failed, bool by_its_queue = false);
  // The code with which the device was lost, if no queue has been found that did it: for the first that had work under way.
  CallResult claim_loss();

  // Calls the driver; a failure fills `error`.
  template <class Function, class... Arguments>
  bsc_status call(bsc_plugin_error* error, std::string_view doing, const Function& function, Arguments&&... arguments) {
    const int code = function(std::forward<Arguments>(arguments)...);
    return code == 0 ? BSC_OK : fail(error, doing, {code, function.name});
  }
  bsc_status fail(bsc_plugin_error* error, std::string_view doing, CallResult failed);
  // Frees something: nothing can be done about a failure, and a lost device's context is gone.
  template <class Function, class... Arguments>
  void release(const Function& function, Arguments... arguments) {
    if (is_lost() || !function) return;
    if (const int code = function(arguments...); code != 0) note_release({code, function.name});
  }

  // For ContextScope: the context and what the backend keeps in it are made when the device is first used.
  bsc_status retain_context(bsc_plugin_error* error);
  bsc_status make_ready(bsc_plugin_error* error);

  void adopt(Memory* memory);
  void adopt(Queue* queue);
  void adopt(Module* module);
  void adopt(Graph* graph);
  void disown(Memory* memory);
  void disown(Queue* queue);
  void disown(Module* module);
  void disown(Graph* graph);

  Instance& instance;
  const DeviceProperties properties;
  Handle context = nullptr;
  Handle memory_stream = nullptr;  // allocations and releases of the pool take place in its order
  Handle pool = nullptr;           // null: plain allocations
  EventPool events;

 private:
  void note_release(CallResult failed);
  void create_pool();

  std::mutex setup_mutex_;
  std::atomic<bool> retained_{false};
  std::atomic<bool> ready_{false};

  std::atomic<bool> lost_{false};
  mutable std::mutex lost_mutex_;
  std::string lost_reason_;
  CallResult unclaimed_loss_;

  std::mutex mutex_;  // of the sets below
  std::unordered_set<Memory*> memories_;
  std::unordered_set<Queue*> queues_;
  std::unordered_set<Module*> modules_;
  std::unordered_set<Graph*> graphs_;
};

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error);
bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error);

}  // namespace bascule::gpu
