// The cpu plugin: the exported query and the tables it returns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/plugin.hpp"

#include <iterator>

#include "backends/common/build_id.hpp"
#include "backends/common/struct_access.hpp"

namespace bascule::cpu {
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
constexpr bsc_plugin_profile_table kProfileTable = {sizeof kProfileTable, profile_times};

constexpr bsc_plugin_api kApi = {
    {sizeof kApi, BSC_STRUCT_API, nullptr},
    &kInstanceTable,
    &kDeviceTable,
    &kMemoryTable,
    &kQueueTable,
    &kEventTable,
    &kModuleTable,
    nullptr,  // graphs: the host submits the commands again, which costs nothing more here
    &kProfileTable,
    nullptr,
};

constexpr bsc_plugin_option kOptions[] = {
    {"threads", "integer", "0",
     "compute units, which is threads that run kernels at once: 1 to 1024; 0: the processors this process may use (affinity "
     "mask and control group)"},
    {"spin_us", "integer", "25",
     "microseconds that an idle worker or a waiting thread looks for work before it sleeps: 0 to 10000. More makes a steady "
     "stream of small launches quicker, less leaves the processors to others"},
    {"sanitize", "boolean", "false", "PTX: check every access and synchronisation; some tens of times slower"},
    {"seed", "integer", "0", "PTX with sanitize: order in which warps run; 0: in turn"},
    {"trace", "boolean", "false", "PTX: log each operation with its values, at level trace"},
    {"statistics", "boolean", "false", "PTX: count executed instructions and lanes"},
    {"watchdog", "duration", "0", "PTX: end a launch that runs longer than this; 0: never"},
    {"resident_blocks", "integer", "0",
     "PTX: blocks of a launch that are resident at once, at most; 0: as an sm_90 with as many multiprocessors as there are "
     "compute units would hold"},
    {"stack_bytes", "integer", "0",
     "PTX: local memory of each thread for recursion, calls through pointers and alloca, up to 8388608; 0: 8192"},
    {"heap_bytes", "integer", "0", "PTX: memory for malloc in kernels; 0: 8 MiB"},
    {"keep_signals", "boolean", "false", "PTX: do not turn SIGSEGV and SIGBUS in a kernel into an error of its launch"},
};

}  // namespace

const bsc_plugin_api* plugin_api() { return &kApi; }

}  // namespace bascule::cpu

extern "C" __attribute__((visibility("default"))) bsc_status bascule_plugin_query(const bsc_plugin_host_info* host,
                                                                                  bsc_plugin_info* out_info) {
  using namespace bascule;
  if (host == nullptr || out_info == nullptr) return BSC_INVALID_ARGUMENT;
  const bsc_plugin_host_info wanted = backend::read_struct(host);
  bsc_plugin_info info = {};
  info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  info.abi_minor = BSC_PLUGIN_ABI_MINOR;
  info.abi_minor_needed = BSC_PLUGIN_ABI_MINOR;
  info.name = "cpu";
  info.version = cpu::kPluginVersion;
  const bool matches = wanted.abi_major == BSC_PLUGIN_ABI_MAJOR && wanted.abi_minor == BSC_PLUGIN_ABI_MINOR;
  if (matches) {
    info.build = backend::build_id();
    info.option_count = std::size(cpu::kOptions);
    info.option_stride = sizeof cpu::kOptions[0];
    info.options = cpu::kOptions;
    info.api = cpu::plugin_api();
  }
  backend::write_struct(out_info, info);
  return matches ? BSC_OK : BSC_ABI_MISMATCH;
}
