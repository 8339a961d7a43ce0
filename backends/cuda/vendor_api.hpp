// The functions of libcuda.so.1 that the backend uses: our name, NVIDIA's, and whether every supported driver must have it.
// Names with _v2 are the ones that programs are linked with today; those without are for drivers before CUDA 3.2.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define BSC_VENDOR_FUNCTIONS(REQUIRED, OPTIONAL)                               \
  REQUIRED(initialise, cuInit)                                                 \
  REQUIRED(driver_version, cuDriverGetVersion)                                 \
  REQUIRED(device_count, cuDeviceGetCount)                                     \
  REQUIRED(device_get, cuDeviceGet)                                            \
  REQUIRED(device_name, cuDeviceGetName)                                       \
  REQUIRED(device_total_memory, cuDeviceTotalMem_v2)                           \
  REQUIRED(device_attribute, cuDeviceGetAttribute)                             \
  OPTIONAL(device_uuid, cuDeviceGetUuid)                                       \
  REQUIRED(device_pci, cuDeviceGetPCIBusId)                                    \
  REQUIRED(context_retain, cuDevicePrimaryCtxRetain)                           \
  REQUIRED(context_release, cuDevicePrimaryCtxRelease_v2)                      \
  REQUIRED(context_push, cuCtxPushCurrent_v2)                                  \
  REQUIRED(context_pop, cuCtxPopCurrent_v2)                                    \
  REQUIRED(memory_info, cuMemGetInfo_v2)                                       \
  REQUIRED(memory_allocate, cuMemAlloc_v2)                                     \
  REQUIRED(memory_free, cuMemFree_v2)                                          \
  REQUIRED(host_allocate, cuMemHostAlloc)                                      \
  REQUIRED(host_free, cuMemFreeHost)                                           \
  REQUIRED(host_address, cuMemHostGetDevicePointer_v2)                         \
  OPTIONAL(pool_create, cuMemPoolCreate)                                       \
  OPTIONAL(pool_destroy, cuMemPoolDestroy)                                     \
  OPTIONAL(pool_set_attribute, cuMemPoolSetAttribute)                          \
  OPTIONAL(pool_trim, cuMemPoolTrimTo)                                         \
  OPTIONAL(pool_allocate, cuMemAllocFromPoolAsync)                             \
  OPTIONAL(pool_free, cuMemFreeAsync)                                          \
  REQUIRED(stream_create, cuStreamCreateWithPriority)                          \
  REQUIRED(stream_destroy, cuStreamDestroy_v2)                                 \
  REQUIRED(stream_synchronize, cuStreamSynchronize)                            \
  REQUIRED(stream_wait_event, cuStreamWaitEvent)                               \
  REQUIRED(stream_priorities, cuCtxGetStreamPriorityRange)                     \
  REQUIRED(event_create, cuEventCreate)                                        \
  REQUIRED(event_destroy, cuEventDestroy_v2)                                   \
  REQUIRED(event_record, cuEventRecord)                                        \
  REQUIRED(event_query, cuEventQuery)                                          \
  REQUIRED(event_synchronize, cuEventSynchronize)                              \
  REQUIRED(event_elapsed, cuEventElapsedTime)                                  \
  REQUIRED(copy_to_device, cuMemcpyHtoDAsync_v2)                               \
  REQUIRED(copy_to_host, cuMemcpyDtoHAsync_v2)                                 \
  REQUIRED(copy_on_device, cuMemcpyDtoDAsync_v2)                               \
  REQUIRED(fill_8, cuMemsetD8Async)                                            \
  REQUIRED(fill_16, cuMemsetD16Async)                                          \
  REQUIRED(fill_32, cuMemsetD32Async)                                          \
  OPTIONAL(host_function, cuLaunchHostFunc)                                    \
  REQUIRED(module_load, cuModuleLoadDataEx)                                    \
  REQUIRED(module_unload, cuModuleUnload)                                      \
  REQUIRED(module_function, cuModuleGetFunction)                               \
  REQUIRED(function_attribute, cuFuncGetAttribute)                             \
  REQUIRED(function_set_attribute, cuFuncSetAttribute)                         \
  OPTIONAL(function_load, cuFuncLoad)                                          \
  OPTIONAL(function_parameter, cuFuncGetParamInfo)                             \
  OPTIONAL(function_occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor)    \
  REQUIRED(link_create, cuLinkCreate_v2)                                       \
  REQUIRED(link_add, cuLinkAddData_v2)                                         \
  REQUIRED(link_complete, cuLinkComplete)                                      \
  REQUIRED(link_destroy, cuLinkDestroy)                                        \
  REQUIRED(launch, cuLaunchKernel)                                             \
  OPTIONAL(launch_extended, cuLaunchKernelEx)                                  \
  OPTIONAL(launch_cooperative, cuLaunchCooperativeKernel)                      \
  OPTIONAL(capture_begin, cuStreamBeginCapture_v2)                             \
  OPTIONAL(capture_end, cuStreamEndCapture)                                    \
  OPTIONAL(graph_instantiate, cuGraphInstantiateWithFlags)                     \
  OPTIONAL(graph_update, cuGraphExecUpdate_v2)                                 \
  OPTIONAL(graph_launch, cuGraphLaunch)                                        \
  OPTIONAL(graph_destroy, cuGraphDestroy)                                      \
  OPTIONAL(graph_executable_destroy, cuGraphExecDestroy)                       \
  OPTIONAL(partition_resource, cuDeviceGetDevResource)                         \
  OPTIONAL(partition_split, cuDevSmResourceSplitByCount)                       \
  OPTIONAL(partition_describe, cuDevResourceGenerateDesc)                      \
  OPTIONAL(partition_create, cuGreenCtxCreate)                                 \
  OPTIONAL(partition_destroy, cuGreenCtxDestroy)                               \
  OPTIONAL(partition_stream, cuGreenCtxStreamCreate)

// Result codes with a meaning of their own.
namespace bascule::gpu::codes {
inline constexpr int kOutOfMemory = 2;
inline constexpr int kShuttingDown = 4;
inline constexpr int kNotReady = 600;
}  // namespace bascule::gpu::codes
