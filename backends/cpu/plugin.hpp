// The plugin's own dispatch table, which every handle carries, and its version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

namespace bascule::cpu {

inline constexpr const char* kPluginVersion = "0.1.0";

const bsc_plugin_api* plugin_api();

// instance.cpp
bsc_status instance_open(const bsc_plugin_open_info* info, bsc_plugin_instance* out_instance, bsc_plugin_error* error);
bsc_status instance_close(bsc_plugin_instance handle, bsc_plugin_error* error);
bsc_status instance_enumerate(bsc_plugin_instance handle, uint64_t capacity, bsc_plugin_device* out_devices,
                              uint64_t* out_count, bsc_plugin_error* error);
// device.cpp
bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error);
bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error);
// memory.cpp
bsc_status memory_allocate(bsc_plugin_device handle, const bsc_plugin_memory_description* description,
                           bsc_plugin_memory* out_memory, bsc_plugin_error* error);
bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error);
bsc_status memory_map(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error);
bsc_status memory_device_address(bsc_plugin_memory handle, uint64_t* out_address, bsc_plugin_error* error);
// queue.cpp
bsc_status queue_create(bsc_plugin_device handle, const bsc_plugin_queue_description* description,
                        bsc_plugin_queue* out_queue, bsc_plugin_error* error);
bsc_status queue_release(bsc_plugin_queue handle, bsc_plugin_error* error);
bsc_status queue_submit(bsc_plugin_queue handle, const bsc_plugin_submission* submission, uint64_t* out_value,
                        bsc_plugin_error* error);
// event.cpp
bsc_status event_wait(bsc_plugin_queue handle, uint64_t value, uint64_t timeout_ns, bsc_plugin_error* error);
bsc_status event_completed(bsc_plugin_queue handle, uint64_t* out_value, bsc_plugin_error* error);
bsc_status profile_times(bsc_plugin_queue handle, uint64_t value, bsc_plugin_times* out_times, bsc_plugin_error* error);
// module.cpp
bsc_status module_load(bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out_module,
                       bsc_plugin_error* error);
bsc_status module_unload(bsc_plugin_module handle, bsc_plugin_error* error);
bsc_status module_function(bsc_plugin_module handle, const char* name, bsc_plugin_function* out_function,
                           bsc_plugin_error* error);
bsc_status module_function_info(bsc_plugin_function handle, bsc_plugin_function_info* out_info, bsc_plugin_error* error);
bsc_status module_function_name(bsc_plugin_module handle, uint64_t index, const char** out_name, bsc_plugin_error* error);

}  // namespace bascule::cpu
