// The functions of libmusa that the backend uses: our name, Moore Threads', and whether every supported driver must have it.
// Moore Threads' driver API has CUDA's functions with mu in the place of cu.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define BSC_VENDOR_FUNCTIONS(REQUIRED, OPTIONAL)                               \
  REQUIRED(initialise, muInit)                                                 \
  REQUIRED(driver_version, muDriverGetVersion)                                 \
  REQUIRED(device_count, muDeviceGetCount)                                     \
  REQUIRED(device_get, muDeviceGet)                                            \
  REQUIRED(device_name, muDeviceGetName)                                       \
  REQUIRED(device_total_memory, muDeviceTotalMem_v2)                           \
  REQUIRED(device_attribute, muDeviceGetAttribute)                             \
  OPTIONAL(device_uuid, muDeviceGetUuid)                                       \
  REQUIRED(device_pci, muDeviceGetPCIBusId)                                    \
  REQUIRED(context_retain, muDevicePrimaryCtxRetain)                           \
  REQUIRED(context_release, muDevicePrimaryCtxRelease_v2)                      \
  REQUIRED(context_push, muCtxPushCurrent_v2)                                  \
  REQUIRED(context_pop, muCtxPopCurrent_v2)                                    \
  REQUIRED(memory_info, muMemGetInfo_v2)                                       \
  REQUIRED(memory_allocate, muMemAlloc_v2)                                     \
  REQUIRED(memory_free, muMemFree_v2)                                          \
  REQUIRED(host_allocate, muMemHostAlloc)                                      \
  REQUIRED(host_free, muMemFreeHost)                                           \
  REQUIRED(host_address, muMemHostGetDevicePointer_v2)                         \
  OPTIONAL(pool_create, muMemPoolCreate)                                       \
  OPTIONAL(pool_destroy, muMemPoolDestroy)                                     \
  OPTIONAL(pool_set_attribute, muMemPoolSetAttribute)                          \
  OPTIONAL(pool_trim, muMemPoolTrimTo)                                         \
  OPTIONAL(pool_allocate, muMemAllocFromPoolAsync)                             \
  OPTIONAL(pool_free, muMemFreeAsync)                                          \
  REQUIRED(stream_create, muStreamCreateWithPriority)                          \
  REQUIRED(stream_destroy, muStreamDestroy_v2)                                 \
  REQUIRED(stream_synchronize, muStreamSynchronize)                            \
  REQUIRED(stream_wait_event, muStreamWaitEvent)                               \
  REQUIRED(stream_priorities, muCtxGetStreamPriorityRange)                     \
  REQUIRED(event_create, muEventCreate)                                        \
  REQUIRED(event_destroy, muEventDestroy_v2)                                   \
  REQUIRED(event_record, muEventRecord)                                        \
  REQUIRED(event_query, muEventQuery)                                          \
  REQUIRED(event_synchronize, muEventSynchronize)                              \
  REQUIRED(event_elapsed, muEventElapsedTime)                                  \
  REQUIRED(copy_to_device, muMemcpyHtoDAsync_v2)                               \
  REQUIRED(copy_to_host, muMemcpyDtoHAsync_v2)                                 \
  REQUIRED(copy_on_device, muMemcpyDtoDAsync_v2)                               \
  REQUIRED(fill_8, muMemsetD8Async)                                            \
  REQUIRED(fill_16, muMemsetD16Async)                                          \
  REQUIRED(fill_32, muMemsetD32Async)                                          \
  OPTIONAL(host_function, muLaunchHostFunc)                                    \
  REQUIRED(module_load, muModuleLoadDataEx)                                    \
  REQUIRED(module_unload, muModuleUnload)                                      \
  REQUIRED(module_function, muModuleGetFunction)                               \
  REQUIRED(function_attribute, muFuncGetAttribute)                             \
  REQUIRED(function_set_attribute, muFuncSetAttribute)                         \
  OPTIONAL(function_occupancy, muOccupancyMaxActiveBlocksPerMultiprocessor)    \
  REQUIRED(launch, muLaunchKernel)                                             \
  OPTIONAL(launch_cooperative, muLaunchCooperativeKernel)                      \
  OPTIONAL(capture_begin, muStreamBeginCapture_v2)                             \
  OPTIONAL(capture_end, muStreamEndCapture)                                    \
  OPTIONAL(graph_instantiate, muGraphInstantiateWithFlags)                     \
  OPTIONAL(graph_launch, muGraphLaunch)                                        \
  OPTIONAL(graph_destroy, muGraphDestroy)                                      \
  OPTIONAL(graph_executable_destroy, muGraphExecDestroy)

// Result codes with a meaning of their own.
namespace bascule::gpu::codes {
inline constexpr int kOutOfMemory = 2;
inline constexpr int kShuttingDown = 4;
inline constexpr int kNotReady = 600;
}  // namespace bascule::gpu::codes
