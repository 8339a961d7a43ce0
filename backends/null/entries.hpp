// The entries of the null plugin, one file per table: instance.cpp, device.cpp, memory.cpp, queue.cpp, event.cpp,
// module.cpp, graph.cpp. plugin.cpp puts them into the tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

namespace bascule::null_backend {

bsc_status open_instance(const bsc_plugin_open_info*, bsc_plugin_instance*, bsc_plugin_error*) noexcept;
bsc_status close_instance(bsc_plugin_instance, bsc_plugin_error*) noexcept;
bsc_status enumerate_devices(bsc_plugin_instance, uint64_t, bsc_plugin_device*, uint64_t*, bsc_plugin_error*) noexcept;

bsc_status device_info(bsc_plugin_device, bsc_plugin_device_info*, bsc_plugin_error*) noexcept;
bsc_status device_memory_state(bsc_plugin_device, bsc_plugin_memory_state*, bsc_plugin_error*) noexcept;

bsc_status allocate_memory(bsc_plugin_device, const bsc_plugin_memory_description*, bsc_plugin_memory*,
                           bsc_plugin_error*) noexcept;
bsc_status release_memory(bsc_plugin_memory, bsc_plugin_error*) noexcept;
bsc_status map_memory(bsc_plugin_memory, void**, bsc_plugin_error*) noexcept;
bsc_status memory_device_address(bsc_plugin_memory, uint64_t*, bsc_plugin_error*) noexcept;

bsc_status create_queue(bsc_plugin_device, const bsc_plugin_queue_description*, bsc_plugin_queue*,
                        bsc_plugin_error*) noexcept;
bsc_status release_queue(bsc_plugin_queue, bsc_plugin_error*) noexcept;
bsc_status submit(bsc_plugin_queue, const bsc_plugin_submission*, uint64_t*, bsc_plugin_error*) noexcept;

bsc_status wait_for_value(bsc_plugin_queue, uint64_t, uint64_t, bsc_plugin_error*) noexcept;
bsc_status completed_value(bsc_plugin_queue, uint64_t*, bsc_plugin_error*) noexcept;
bsc_status submission_times(bsc_plugin_queue, uint64_t, bsc_plugin_times*, bsc_plugin_error*) noexcept;

bsc_status load_module(bsc_plugin_device, const bsc_plugin_image*, bsc_plugin_module*, bsc_plugin_error*) noexcept;
bsc_status unload_module(bsc_plugin_module, bsc_plugin_error*) noexcept;
bsc_status module_function(bsc_plugin_module, const char*, bsc_plugin_function*, bsc_plugin_error*) noexcept;
bsc_status function_info(bsc_plugin_function, bsc_plugin_function_info*, bsc_plugin_error*) noexcept;
bsc_status function_name(bsc_plugin_module, uint64_t, const char**, bsc_plugin_error*) noexcept;

bsc_status create_graph(bsc_plugin_device, const bsc_plugin_submission*, bsc_plugin_graph*, bsc_plugin_error*) noexcept;
bsc_status release_graph(bsc_plugin_graph, bsc_plugin_error*) noexcept;
bsc_status update_graph(bsc_plugin_graph, uint64_t, const bsc_plugin_command*, bsc_plugin_error*) noexcept;
bsc_status replay_graph(bsc_plugin_graph, bsc_plugin_queue, uint64_t, uint64_t*, bsc_plugin_error*) noexcept;

}  // namespace bascule::null_backend
