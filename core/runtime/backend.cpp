// Completing a plugin's tables, converting its errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/backend.hpp"

#include <algorithm>
#include <cstring>

namespace bascule::core {
namespace {

template <class T>
T copy_table(const T* table) {
  T result{};
  if (table) std::memcpy(&result, table, std::min<std::uint64_t>(table->size, sizeof result));
  return result;
}

// Puts a function that answers BSC_UNSUPPORTED where the plugin has none.
template <class... Arguments>
void complete(bsc_status (*&entry)(Arguments...)) {
  if (!entry) entry = [](Arguments...) -> bsc_status { return BSC_UNSUPPORTED; };
}

// Reads at most `capacity` bytes of a plugin's text: a missing terminator must not send us beyond it.
std::string bounded(const char* text, std::size_t capacity) { return std::string(text, strnlen(text, capacity)); }

}  // namespace

PluginTables::PluginTables(const bsc_plugin_api& source) {
  bsc_plugin_api api{};
  std::memcpy(&api, &source, std::min<std::uint64_t>(source.header.size, sizeof api));
  instance = copy_table(api.instance);
  device = copy_table(api.device);
  memory = copy_table(api.memory);
  queue = copy_table(api.queue);
  event = copy_table(api.event);
  module = copy_table(api.module);
  graph = copy_table(api.graph);
  profile = copy_table(api.profile);

  has_memory_state = device.memory_state != nullptr;
  has_completed = event.completed != nullptr;
  has_graph = graph.create && graph.release && graph.update && graph.replay;
  has_times = profile.times != nullptr;

  complete(device.memory_state);
  complete(memory.map);
  complete(memory.device_address);
  complete(event.completed);
  complete(module.function_info);
  complete(module.function_name);
  complete(graph.create);
  complete(graph.release);
  complete(graph.update);
  complete(graph.replay);
  complete(profile.times);
}

Error PluginError::take(bsc_status status, std::string_view backend, std::string_view what) const {
  Error error;
  error.status = status;
  error.backend = backend;
  error.message.append(backend).append(": ").append(what).append(" failed");
  const std::string message = bounded(raw_.message, sizeof raw_.message);
  if (!message.empty()) error.message.append(": ").append(message);
  error.call = bounded(raw_.call, sizeof raw_.call);
  error.vendor_name = bounded(raw_.vendor_name, sizeof raw_.vendor_name);
  error.vendor_code = raw_.vendor_code;
  error.retryable = raw_.retryable != 0;
  error.last_completed = raw_.last_completed;
  error.first_incomplete = raw_.first_incomplete;
  return error;
}

Backend::~Backend() {
  // Nobody is left to tell about a failure; what the plugin could not free ends with the process.
  PluginError error;
  (void)tables_.instance.close(instance_, error.raw());
}

}  // namespace bascule::core
