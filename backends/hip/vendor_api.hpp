// The functions of libamdhip64 that the backend uses: our name, AMD's, and whether every supported driver must have it.
// Every function exists in the libraries of ROCm 5, 6 and 7; those that came after 5.2 are optional.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define BSC_VENDOR_FUNCTIONS(REQUIRED, OPTIONAL)                               \
  REQUIRED(initialise, hipInit)                                                \
  REQUIRED(driver_version, hipDriverGetVersion)                                \
  REQUIRED(device_count, hipGetDeviceCount)                                    \
  REQUIRED(device_get, hipDeviceGet)                                           \
  REQUIRED(device_name, hipDeviceGetName)                                      \
  REQUIRED(device_total_memory, hipDeviceTotalMem)                             \
  OPTIONAL(device_uuid, hipDeviceGetUuid)                                      \
  REQUIRED(device_pci, hipDeviceGetPCIBusId)                                   \
  OPTIONAL(device_properties, hipGetDevicePropertiesR0600)                     \
  REQUIRED(device_properties_old, hipGetDeviceProperties)                      \
  REQUIRED(current_device_set, hipSetDevice)                                   \
  REQUIRED(current_device_get, hipGetDevice)                                   \
  REQUIRED(memory_info, hipMemGetInfo)                                         \
  REQUIRED(memory_allocate, hipMalloc)                                         \
  REQUIRED(memory_free, hipFree)                                               \
  REQUIRED(host_allocate, hipHostMalloc)                                       \
  REQUIRED(host_free, hipHostFree)                                             \
  REQUIRED(host_address, hipHostGetDevicePointer)                              \
  OPTIONAL(pool_create, hipMemPoolCreate)                                      \
  OPTIONAL(pool_destroy, hipMemPoolDestroy)                                    \
  OPTIONAL(pool_set_attribute, hipMemPoolSetAttribute)                         \
  OPTIONAL(pool_trim, hipMemPoolTrimTo)                                        \
  OPTIONAL(pool_allocate, hipMallocFromPoolAsync)                              \
  OPTIONAL(pool_free, hipFreeAsync)                                            \
  REQUIRED(stream_create, hipStreamCreateWithPriority)                         \
  REQUIRED(stream_destroy, hipStreamDestroy)                                   \
  REQUIRED(stream_synchronize, hipStreamSynchronize)                           \
  REQUIRED(stream_wait_event, hipStreamWaitEvent)                              \
  REQUIRED(stream_priorities, hipDeviceGetStreamPriorityRange)                 \
  REQUIRED(event_create, hipEventCreateWithFlags)                              \
  REQUIRED(event_destroy, hipEventDestroy)                                     \
  REQUIRED(event_record, hipEventRecord)                                       \
  REQUIRED(event_query, hipEventQuery)                                         \
  REQUIRED(event_synchronize, hipEventSynchronize)                             \
  REQUIRED(event_elapsed, hipEventElapsedTime)                                 \
  REQUIRED(copy_to_device, hipMemcpyHtoDAsync)                                 \
  REQUIRED(copy_to_host, hipMemcpyDtoHAsync)                                   \
  REQUIRED(copy_on_device, hipMemcpyDtoDAsync)                                 \
  REQUIRED(fill_8, hipMemsetD8Async)                                           \
  REQUIRED(fill_16, hipMemsetD16Async)                                         \
  REQUIRED(fill_32, hipMemsetD32Async)                                         \
  OPTIONAL(host_function, hipLaunchHostFunc)                                   \
  REQUIRED(module_load, hipModuleLoadDataEx)                                   \
  REQUIRED(module_unload, hipModuleUnload)                                     \
  REQUIRED(module_function, hipModuleGetFunction)                              \
  REQUIRED(function_attribute, hipFuncGetAttribute)                            \
  OPTIONAL(function_occupancy, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor) \
  REQUIRED(launch, hipModuleLaunchKernel)                                      \
  OPTIONAL(launch_cooperative, hipModuleLaunchCooperativeKernel)               \
  OPTIONAL(capture_begin, hipStreamBeginCapture)                               \
  OPTIONAL(capture_end, hipStreamEndCapture)                                   \
  OPTIONAL(graph_instantiate, hipGraphInstantiateWithFlags)                    \
  OPTIONAL(graph_update_by_node, hipGraphExecUpdate)                           \
  OPTIONAL(graph_launch, hipGraphLaunch)                                       \
  OPTIONAL(graph_destroy, hipGraphDestroy)                                     \
  OPTIONAL(graph_executable_destroy, hipGraphExecDestroy)                      \
  OPTIONAL(masked_stream, hipExtStreamCreateWithCUMask)

// Result codes with a meaning of their own.
namespace bascule::gpu::codes {
inline constexpr int kOutOfMemory = 2;
inline constexpr int kShuttingDown = 4;
inline constexpr int kNotReady = 600;
}  // namespace bascule::gpu::codes
