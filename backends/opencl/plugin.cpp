// The exported query and the tables it returns.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/plugin.hpp"

#include <iterator>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/device.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/module.hpp"
#include "backends/opencl/queue.hpp"

namespace bascule::opencl {
namespace {

constexpr bsc_plugin_instance_table kInstanceTable = {sizeof kInstanceTable, instance_open, instance_close,
                                                      instance_enumerate};
constexpr bsc_plugin_device_table kDeviceTable = {sizeof kDeviceTable, device_info, device_memory_state};
constexpr bsc_plugin_memory_table kMemoryTable = {sizeof kMemoryTable, memory_allocate, memory_release, memory_map,
                                                  nullptr};  // OpenCL 1.2 buffers have no address
constexpr bsc_plugin_queue_table kQueueTable = {sizeof kQueueTable, queue_create, queue_release, queue_submit};
constexpr bsc_plugin_event_table kEventTable = {sizeof kEventTable, event_wait, event_completed};
constexpr bsc_plugin_module_table kModuleTable = {sizeof kModuleTable,  module_load,          module_unload,
                                                  module_function,      module_function_info, module_function_name};
constexpr bsc_plugin_profile_table kProfileTable = {sizeof kProfileTable, profile_times};

constexpr bsc_plugin_api kApi = {
    {sizeof kApi, BSC_STRUCT_API, nullptr},
    &kInstanceTable,
    &kDeviceTable,
    &kMemoryTable,
    &kQueueTable,
    &kEventTable,
    &kModuleTable,
    nullptr,  // graphs: the host replays
    &kProfileTable,
    nullptr,
};

constexpr bsc_plugin_option kOptions[] = {
    {"platform", "string", "", "use only platforms whose name contains this text, e.g. \"NVIDIA\""},
    {"host_memory", "string", "automatic",
     "how pinned host memory is made: automatic, shared (fine-grained shared virtual memory where the device has it) or staged "
     "(a mapped buffer; kernels cannot reach it)"},
};

}  // namespace

const bsc_plugin_api* plugin_api() { return &kApi; }

}  // namespace bascule::opencl

extern "C" __attribute__((visibility("default"))) bsc_status bascule_plugin_query(const bsc_plugin_host_info* host,
                                                                                  bsc_plugin_info* out_info) {
  using namespace bascule::opencl;
  if (host == nullptr || out_info == nullptr) return BSC_INVALID_ARGUMENT;
  const bsc_plugin_host_info wanted = bascule::backend::read_struct(host);
  bsc_plugin_info info = {};
  info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  info.abi_minor = BSC_PLUGIN_ABI_MINOR;
  info.abi_minor_needed = BSC_PLUGIN_ABI_MINOR;
  info.name = "opencl";
  info.version = kPluginVersion;
  const bool matches = wanted.abi_major == BSC_PLUGIN_ABI_MAJOR && wanted.abi_minor == BSC_PLUGIN_ABI_MINOR;
  if (matches) {
    info.build = kPluginBuild;
    info.option_count = std::size(kOptions);
    info.option_stride = sizeof kOptions[0];
    info.options = kOptions;
    info.api = plugin_api();
  }
  bascule::backend::write_struct(out_info, info);
  return matches ? BSC_OK : BSC_ABI_MISMATCH;
}
