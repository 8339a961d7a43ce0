// What stands behind the null plugin's handles.
//
// The plugin has no threads and no clockwork: when a submission is accepted, the time at which it will have ended is known
// (its start plus `execute_delay`), and everything that asks later compares that time with the clock. Without delays,
// ordered failures or a planted fault, an accepted submission has ended, and a queue is one counter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "backends/common/capabilities.hpp"
#include "backends/common/host_services.hpp"
#include "backends/common/object.hpp"
#include "backends/null/options.hpp"

namespace bascule::null_backend {

extern const bsc_plugin_api kApi;

#define BSC_NULL_VERSION "0.1.0"

// Nanoseconds of a monotonic clock.
using Time = std::uint64_t;
inline constexpr Time kNever = UINT64_MAX;
Time now();
void sleep_until(Time time);

struct Device;
struct Memory;
struct Queue;
struct Module;
struct Graph;

struct Instance : backend::Object<Instance, BSC_OBJECT_INSTANCE> {
  Instance() : Object(&kApi) {}

  backend::HostServices services;
  Options options;
  bool instrumented = false;  // delays, ordered failures or a fault: submissions take the long way
  std::array<std::atomic<std::uint64_t>, kEntryCount> calls = {};
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<Device>> retired_devices;

  // What `close` has to free if its owner does not.
  std::mutex mutex;
  std::unordered_set<Memory*> memories;
  std::unordered_set<Queue*> queues;
  std::unordered_set<Module*> modules;
  std::unordered_set<Graph*> graphs;
};

struct Device : backend::Object<Device, BSC_OBJECT_DEVICE> {
  Device(Instance& owner, std::uint64_t number);

  Instance& instance;
  const std::uint64_t index;
  std::string name;
  std::string uuid;
  std::string changing_text;  // for the fault info_strings_change
  backend::CapabilityList capabilities;
  std::atomic<std::uint64_t> allocated_bytes{0};
  std::atomic<std::uint64_t> next_address{std::uint64_t{1} << 32};
  std::atomic<Time> lost_at{kNever};

  bool lost() const { return instance.instrumented && lost_at.load(std::memory_order_relaxed) <= now(); }
};

struct Memory : backend::Object<Memory, BSC_OBJECT_MEMORY> {
  explicit Memory(Device& owner) : Object(&kApi), device(owner) {}
  ~Memory();

  Device& device;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 0;
  std::uint32_t type = BSC_MEMORY_DEVICE;
  std::uint64_t address = 0;

  // Storage of host memory, made when it is first mapped.
  std::mutex mutex;
  void* storage = nullptr;
  std::uint64_t storage_bytes = 0;
  bool storage_is_mapping = false;  // else from the host's allocator
};

// Where a queue stands, for those that need more than a counter.
struct Timeline {
  struct Submission {
    std::uint64_t value;
    Time submitted;
    Time started;
    Time ended;
  };

  std::deque<Submission> pending;  // not yet ended when last looked at, oldest first
  std::deque<Submission> timed;    // the last kTimesKept that asked for their times, oldest first
  Time last_end = 0;

  std::uint64_t failed_value = 0;  // 0: none
  bsc_status failed_status = BSC_OK;
  Time failed_at = kNever;
};
inline constexpr std::size_t kTimesKept = 1024;

struct Queue : backend::Object<Queue, BSC_OBJECT_QUEUE> {
  explicit Queue(Device& owner) : Object(&kApi), device(owner), instance(owner.instance) {}

  Device& device;
  Instance& instance;
  std::atomic<std::uint64_t> submitted{0};  // value of the last submission
  std::atomic<std::uint32_t> waiting{0};    // for the fault wait_second_thread_hangs
  std::mutex mutex;
  Timeline timeline;  // under mutex
};

struct Function : backend::Object<Function, BSC_OBJECT_FUNCTION> {
  Function(Module& owner, std::string text) : Object(&kApi), module(owner), name(std::move(text)) {}

  Module& module;
  const std::string name;
  std::uint64_t argument_count = UINT64_MAX;
  std::uint64_t argument_bytes = 0;
};

struct Module : backend::Object<Module, BSC_OBJECT_MODULE> {
  explicit Module(Device& owner) : Object(&kApi), device(owner) {}

  Device& device;
  std::string format;
  bool host_format = false;     // block[0] is a grain, not a number of threads
  bool names_are_known = false;  // an image of format "null" that lists its functions
  const char* borrowed_text = nullptr;  // for the fault load_keeps_pointers
  std::uint64_t borrowed_bytes = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Function>> surplus;  // for the fault function_handle_changes
};

struct Graph : backend::Object<Graph, BSC_OBJECT_GRAPH> {
  explicit Graph(Device& owner) : Object(&kApi), device(owner) {}

  Device& device;
  std::mutex mutex;
  std::vector<std::uint32_t> kinds;             // of its commands
  std::vector<bsc_plugin_function> functions;   // of its launches, else nullptr
  std::vector<bsc_plugin_wait> waits;
};

// The object behind a handle, or nullptr.
template <class T>
T* object(bsc_plugin_object* handle) {
  return backend::object_cast<T>(handle, &kApi);
}

}  // namespace bascule::null_backend
