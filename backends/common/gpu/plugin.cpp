// The exported query and the tables it returns.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/plugin.hpp"

#include <iterator>

#include "backends/common/build_id.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/device.hpp"
#include "backends/common/gpu/graph.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/memory.hpp"
#include "backends/common/gpu/module.hpp"
#include "backends/common/gpu/queue.hpp"

namespace bascule::gpu {
namespace {

constexpr bsc_plugin_instance_table kInstanceTable = {sizeof kInstanceTable, instance_open, instance_close,
                                                      instance_enumerate};
constexpr bsc_plugin_device_table kDeviceTable = {sizeof kDeviceTable, device_info, device_memory_state};
constexpr bsc_plugin_memory_table kMemoryTable = {sizeof kMemoryTable, memory_allocate, memory_release, memory_map,
                                                  memory_device_address};
constexpr bsc_plugin_queue_table kQueueTable = {sizeof kQueueTable, queue_create, queue_release, queue_submit};
constexpr bsc_plugin_event_table kEventTable = {sizeof kEventTable, event_wait, event_completed};
constexpr bsc_plugin_module_table kModuleTable = {sizeof kModuleTable,  module_load,          module_unload,
                                                  module_function,      module_function_info, module_function_name};
constexpr bsc_plugin_graph_table kGraphTable = {sizeof kGraphTable, graph_create, graph_release, graph_update, graph_replay};
constexpr bsc_plugin_profile_table kProfileTable = {sizeof kProfileTable, profile_times};

constexpr bsc_plugin_api kApi = {
    {sizeof kApi, BSC_STRUCT_API, nullptr},
    &kInstanceTable,
    &kDeviceTable,
    &kMemoryTable,
    &kQueueTable,
    &kEventTable,
    &kModuleTable,
    &kGraphTable,
    &kProfileTable,
    nullptr,
};

constexpr bsc_plugin_option kOptions[] = {
    {"pool", "boolean", "true", "device memory comes from a pool of the driver's that keeps what was released"},
    {"pool_keep", "integer", "268435456", "bytes that the pool keeps for later allocations, 0 to 2^62"},
};

}  // namespace

const bsc_plugin_api* plugin_api() { return &kApi; }

}  // namespace bascule::gpu

extern "C" __attribute__((visibility("default"))) bsc_status bascule_plugin_query(const bsc_plugin_host_info* host,
                                                                                  bsc_plugin_info* out_info) {
  using namespace bascule::gpu;
  if (host == nullptr || out_info == nullptr) return BSC_INVALID_ARGUMENT;
  const bsc_plugin_host_info wanted = bascule::backend::read_struct(host);
  bsc_plugin_info info = {};
  info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  info.abi_minor = BSC_PLUGIN_ABI_MINOR;
  info.abi_minor_needed = BSC_PLUGIN_ABI_MINOR;
  info.name = vendor().backend;
  info.version = kPluginVersion;
  const bool matches = wanted.abi_major == BSC_PLUGIN_ABI_MAJOR && wanted.abi_minor == BSC_PLUGIN_ABI_MINOR;
  if (matches) {
    info.build = bascule::backend::build_id();
    info.option_count = std::size(kOptions);
    info.option_stride = sizeof kOptions[0];
    info.options = kOptions;
    info.api = plugin_api();
  }
  bascule::backend::write_struct(out_info, info);
  return matches ? BSC_OK : BSC_ABI_MISMATCH;
}
