// What [backend.null] in a config file can set, and the failures it can order.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/null/fault.hpp"

namespace bascule::null_backend {

// Entries whose n-th call can be made to fail. `execute` is no entry: it is the n-th submission's work, which fails when
// its time has come, long after submit has returned.
#define BSC_NULL_ENTRIES(X)                     \
  X(instance_open, "instance.open")             \
  X(instance_enumerate, "instance.enumerate")   \
  X(device_info, "device.info")                 \
  X(device_memory_state, "device.memory_state") \
  X(memory_allocate, "memory.allocate")         \
  X(memory_release, "memory.release")           \
  X(memory_map, "memory.map")                   \
  X(memory_device_address, "memory.device_address") \
  X(queue_create, "queue.create")               \
  X(queue_release, "queue.release")             \
  X(queue_submit, "queue.submit")               \
  X(event_wait, "event.wait")                   \
  X(event_completed, "event.completed")         \
  X(module_load, "module.load")                 \
  X(module_unload, "module.unload")             \
  X(module_function, "module.function")         \
  X(module_function_info, "module.function_info") \
  X(module_function_name, "module.function_name") \
  X(graph_create, "graph.create")               \
  X(graph_release, "graph.release")             \
  X(graph_update, "graph.update")               \
  X(graph_replay, "graph.replay")               \
  X(profile_times, "profile.times")             \
  X(execute, "execute")

enum class Entry : std::uint32_t {
#define BSC_NULL_ENUMERATOR(name, text) name,
  BSC_NULL_ENTRIES(BSC_NULL_ENUMERATOR)
#undef BSC_NULL_ENUMERATOR
  count
};
inline constexpr std::size_t kEntryCount = static_cast<std::size_t>(Entry::count);
const char* entry_name(Entry entry);

// One item of the option `fail`: the `call`-th call (1 is the first) of `entry` in an instance answers `status`.
struct OrderedFailure {
  Entry entry = Entry::execute;
  std::uint64_t call = 0;
  bsc_status status = BSC_OK;
  std::string status_name;
};

struct Options {
  std::int64_t devices = 1;
  std::int64_t memory_bytes = std::int64_t{1} << 50;
  std::int64_t max_allocation_bytes = 0;  // 0: as memory_bytes
  std::string architecture = "x86-64-v4";
  std::chrono::nanoseconds submit_delay{0};
  std::chrono::nanoseconds execute_delay{0};
  std::vector<OrderedFailure> failures;
  Fault fault = Fault::none;
};

std::span<const bsc_plugin_option> declared_options();
bsc_status read_options(const bsc_plugin_open_info& open_info, Options& options, bsc_plugin_error* error);

}  // namespace bascule::null_backend
