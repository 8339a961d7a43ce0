// The null backend: accepts everything that the plugin ABI allows, computes nothing. What the ABI forbids, it refuses like
// any other plugin. It measures what Bascule itself costs, takes delays and failures by order, and with the option `fault`
// breaks one rule of the ABI to show that the conformance suite sees it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "backends/common/build_id.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/fault.hpp"
#include "backends/null/objects.hpp"
#include "backends/null/options.hpp"

namespace bascule::null_backend {
namespace {

constexpr bsc_plugin_instance_table kInstanceTable = {sizeof kInstanceTable, open_instance, close_instance,
                                                      enumerate_devices};
constexpr bsc_plugin_device_table kDeviceTable = {sizeof kDeviceTable, device_info, device_memory_state};
constexpr bsc_plugin_memory_table kMemoryTable = {sizeof kMemoryTable, allocate_memory, release_memory, map_memory,
                                                  memory_device_address};
constexpr bsc_plugin_queue_table kQueueTable = {sizeof kQueueTable, create_queue, release_queue, submit};
constexpr bsc_plugin_event_table kEventTable = {sizeof kEventTable, wait_for_value, completed_value};
constexpr bsc_plugin_module_table kModuleTable = {sizeof kModuleTable, load_module,   unload_module,
                                                  module_function,     function_info, function_name};
constexpr bsc_plugin_graph_table kGraphTable = {sizeof kGraphTable, create_graph, release_graph, update_graph,
                                                replay_graph};
constexpr bsc_plugin_profile_table kProfileTable = {sizeof kProfileTable, submission_times};

const void* get_extension(const char*, std::uint32_t) {
  return has_fault(Fault::extension_unknown_answered) ? &kApi : nullptr;
}

}  // namespace

constexpr bsc_plugin_api kApi = {{sizeof kApi, BSC_STRUCT_API, nullptr},
                                 &kInstanceTable,
                                 &kDeviceTable,
                                 &kMemoryTable,
                                 &kQueueTable,
                                 &kEventTable,
                                 &kModuleTable,
                                 &kGraphTable,
                                 &kProfileTable,
                                 get_extension};

namespace {

constexpr bsc_plugin_queue_table kQueueTableWithoutSubmit = {sizeof kQueueTable, create_queue, release_queue, nullptr};
constexpr bsc_plugin_queue_table kQueueTableWithoutSize = {0, create_queue, release_queue, submit};

constexpr bsc_plugin_api api_with(const bsc_plugin_queue_table* queue) {
  bsc_plugin_api api = kApi;
  api.queue = queue;
  return api;
}
constexpr bsc_plugin_api kApiWithoutSubmit = api_with(&kQueueTableWithoutSubmit);
constexpr bsc_plugin_api kApiWithoutSize = api_with(&kQueueTableWithoutSize);

// Breaks one rule of query. Called after `info` has been written.
void break_query_rule(bsc_plugin_info* out_info) {
  static constexpr bsc_plugin_option kOptionOfUnknownType = {"devices", "number", "1", "number of devices"};
  static std::atomic<unsigned> calls{0};
  switch (active_fault.load()) {
    case Fault::query_build_changes: out_info->build = ++calls % 2 == 0 ? "even" : "odd"; break;
    case Fault::query_drops_required_entry: out_info->api = &kApiWithoutSubmit; break;
    case Fault::query_table_size_missing: out_info->api = &kApiWithoutSize; break;
    case Fault::query_option_type_unknown:
      out_info->options = &kOptionOfUnknownType;
      out_info->option_count = 1;
      break;
    case Fault::query_prints:
      std::puts("null plugin");
      std::fflush(stdout);
      break;
    case Fault::query_starts_thread: std::thread([] { pause(); }).detach(); break;
    case Fault::query_writes_beyond_size: out_info->api = &kApi; break;
    case Fault::query_writes_environment: setenv("BASCULE_NULL_WAS_HERE", "1", 1); break;
    default: break;
  }
}

bsc_status query(const bsc_plugin_host_info* host, bsc_plugin_info* out_info) {
  const bsc_plugin_host_info known = backend::read_struct(host);
  bsc_plugin_info info = {};
  info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  info.abi_minor = BSC_PLUGIN_ABI_MINOR;
  info.abi_minor_needed = BSC_PLUGIN_ABI_MINOR;
  info.name = "null";
  info.version = BSC_NULL_VERSION;
  info.build = backend::build_id();
  const bool matches = known.abi_major == BSC_PLUGIN_ABI_MAJOR && known.abi_minor == BSC_PLUGIN_ABI_MINOR;
  if (matches || has_fault(Fault::query_accepts_any_abi)) {
    info.option_count = declared_options().size();
    info.option_stride = sizeof(bsc_plugin_option);
    info.options = declared_options().data();
    info.api = &kApi;
  }
  backend::write_struct(out_info, info);
  if (active_fault.load() != Fault::none) break_query_rule(out_info);
  return info.api != nullptr ? BSC_OK : BSC_ABI_MISMATCH;
}

}  // namespace
}  // namespace bascule::null_backend

extern "C" __attribute__((visibility("default"))) bsc_status bascule_plugin_query(const bsc_plugin_host_info* host,
                                                                                  bsc_plugin_info* out_info) {
  return bascule::null_backend::query(host, out_info);
}
