// Our declarations, numbers and layouts against those of the HIP headers, where they are installed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/hip/vendor_api.hpp"

#include <doctest/doctest.h>

#if __has_include(<hip/hip_runtime_api.h>)
#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__  // overloads have no address
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <hip/hip_runtime_api.h>
#pragma GCC diagnostic pop

#include "backends/common/gpu/api.hpp"
#include "backends/common/gpu/declaration_check.hpp"
#include "backends/common/gpu/vendor.hpp"
#include "backends/hip/properties_layout.hpp"

#if HIP_VERSION < 60000000
// Newer than these headers; declared by their documentation, so that the others can be compared.
extern "C" hipError_t hipGetDevicePropertiesR0600(void* properties, int device);
extern "C" hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                       unsigned block_x, unsigned block_y, unsigned block_z,
                                                       unsigned shared_bytes, hipStream_t stream, void** parameters);
#endif

// Overloaded whatever is defined; this form is the library's.
constexpr auto kPoolAllocate =
    static_cast<hipError_t (*)(void**, size_t, hipMemPool_t, hipStream_t)>(&hipMallocFromPoolAsync);
#define hipMallocFromPoolAsync (*kPoolAllocate)

TEST_CASE("every function is declared with the parameters of hip_runtime_api.h") {
#define COMPARE(member, name)                                                                                      \
  CHECK_MESSAGE((bascule::gpu::test::SameCall<decltype(bascule::gpu::Api::member)::Function, decltype(&name)>::value), #name);
  BSC_VENDOR_FUNCTIONS(COMPARE, COMPARE)
#undef COMPARE
}

TEST_CASE("every number has the meaning of hip_runtime_api.h") {
  const bascule::gpu::Vendor& v = bascule::gpu::vendor();
  CHECK(v.code_out_of_memory == hipErrorOutOfMemory);
  CHECK(v.code_not_ready == hipErrorNotReady);
  CHECK(v.code_shutting_down == hipErrorDeinitialized);
  CHECK(v.host_memory_flags == (hipHostMallocPortable | hipHostMallocMapped));
  CHECK(v.stream_flags == hipStreamNonBlocking);
  CHECK(v.event_flags == hipEventDisableTiming);
  CHECK(v.capture_mode == hipStreamCaptureModeRelaxed);
  CHECK(v.attribute_pool_threshold == hipMemPoolAttrReleaseThreshold);
  CHECK(v.function_max_threads == HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  CHECK(v.function_shared == HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  CHECK(v.function_private == HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  CHECK(v.function_registers == HIP_FUNC_ATTRIBUTE_NUM_REGS);
  CHECK(sizeof(hipMemPoolProps) == 88);
}

TEST_CASE("the property struct has the layout of hip_runtime_api.h") {
#if HIP_VERSION < 60000000
  using Ours = bascule::gpu::hip::PropertiesR0000;
  CHECK(offsetof(Ours, features) == offsetof(hipDeviceProp_t, arch));
  CHECK(offsetof(Ours, shared_per_unit) == offsetof(hipDeviceProp_t, maxSharedMemoryPerMultiProcessor));
#else
  using Ours = bascule::gpu::hip::PropertiesR0600;
  CHECK(offsetof(Ours, pools) == offsetof(hipDeviceProp_t, memoryPoolsSupported));
  CHECK(offsetof(Ours, amd_shared_per_unit) == offsetof(hipDeviceProp_t, maxSharedMemoryPerMultiProcessor));
#endif
  CHECK(offsetof(Ours, room) <= sizeof(hipDeviceProp_t));
  CHECK(sizeof(Ours) >= sizeof(hipDeviceProp_t));
  CHECK(offsetof(Ours, memory_bytes) == offsetof(hipDeviceProp_t, totalGlobalMem));
  CHECK(offsetof(Ours, max_block) == offsetof(hipDeviceProp_t, maxThreadsDim));
  CHECK(offsetof(Ours, clock_rate) == offsetof(hipDeviceProp_t, clockRate));
  CHECK(offsetof(Ours, memory_bus_width) == offsetof(hipDeviceProp_t, memoryBusWidth));
  CHECK(offsetof(Ours, compute_units) == offsetof(hipDeviceProp_t, multiProcessorCount));
  CHECK(offsetof(Ours, l2_cache) == offsetof(hipDeviceProp_t, l2CacheSize));
  CHECK(offsetof(Ours, maps_host_memory) == offsetof(hipDeviceProp_t, canMapHostMemory));
  CHECK(offsetof(Ours, architecture) == offsetof(hipDeviceProp_t, gcnArchName));
  CHECK(offsetof(Ours, integrated) == offsetof(hipDeviceProp_t, integrated));
  CHECK(offsetof(Ours, cooperative) == offsetof(hipDeviceProp_t, cooperativeLaunch));
}
#endif
