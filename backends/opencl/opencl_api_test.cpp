// Our OpenCL declarations against those of the Khronos headers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/opencl_api.hpp"

#include <doctest/doctest.h>

#if __has_include(<CL/cl.h>)
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <type_traits>

namespace {

namespace ours = bascule::opencl::cl;

// Two types that a call passes in the same way.
template <class A, class B>
constexpr bool same_shape() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
           std::is_signed_v<A> == std::is_signed_v<B>;
  }
}

template <class A, class B>
struct SameFunction : std::false_type {};
template <class ResultA, class... ArgumentsA, class ResultB, class... ArgumentsB>
  requires(sizeof...(ArgumentsA) == sizeof...(ArgumentsB))
struct SameFunction<ResultA (*)(ArgumentsA...), ResultB (*)(ArgumentsB...)>
    : std::bool_constant<same_shape<ResultA, ResultB>() && (same_shape<ArgumentsA, ArgumentsB>() && ...)> {};

}  // namespace

TEST_CASE("every function is declared with the parameters of CL/cl.h") {
#define COMPARE(result, name, parameters) \
  CHECK_MESSAGE((SameFunction<decltype(ours::Api::name), decltype(&::name)>::value), #name);
  BSC_OPENCL_FUNCTIONS(COMPARE, COMPARE)
#undef COMPARE
}

TEST_CASE("every constant has the number of CL/cl.h") {
  CHECK(ours::kSuccess == CL_SUCCESS);
  CHECK(ours::kDeviceNotFound == CL_DEVICE_NOT_FOUND);
  CHECK(ours::kDeviceNotAvailable == CL_DEVICE_NOT_AVAILABLE);
  CHECK(ours::kCompilerNotAvailable == CL_COMPILER_NOT_AVAILABLE);
  CHECK(ours::kMemObjectAllocationFailure == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(ours::kOutOfResources == CL_OUT_OF_RESOURCES);
  CHECK(ours::kOutOfHostMemory == CL_OUT_OF_HOST_MEMORY);
  CHECK(ours::kBuildProgramFailure == CL_BUILD_PROGRAM_FAILURE);
  CHECK(ours::kMisalignedSubBufferOffset == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  CHECK(ours::kExecStatusErrorForEventsInWaitList == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(ours::kInvalidValue == CL_INVALID_VALUE);
  CHECK(ours::kInvalidBinary == CL_INVALID_BINARY);
  CHECK(ours::kInvalidArgSize == CL_INVALID_ARG_SIZE);
  CHECK(ours::kInvalidWorkGroupSize == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(ours::kInvalidBufferSize == CL_INVALID_BUFFER_SIZE);
  CHECK(ours::kInvalidGlobalWorkSize == CL_INVALID_GLOBAL_WORK_SIZE);
  CHECK(ours::kPlatformNotFound == CL_PLATFORM_NOT_FOUND_KHR);
  CHECK(ours::kPlatformProfile == CL_PLATFORM_PROFILE);
  CHECK(ours::kPlatformVersion == CL_PLATFORM_VERSION);
  CHECK(ours::kPlatformName == CL_PLATFORM_NAME);
  CHECK(ours::kPlatformVendor == CL_PLATFORM_VENDOR);
  CHECK(ours::kDeviceTypeCpu == CL_DEVICE_TYPE_CPU);
  CHECK(ours::kDeviceTypeGpu == CL_DEVICE_TYPE_GPU);
  CHECK(ours::kDeviceTypeAccelerator == CL_DEVICE_TYPE_ACCELERATOR);
  CHECK(ours::kDeviceTypeAll == CL_DEVICE_TYPE_ALL);
  CHECK(ours::kDeviceType == CL_DEVICE_TYPE);
  CHECK(ours::kDeviceMaxComputeUnits == CL_DEVICE_MAX_COMPUTE_UNITS);
  CHECK(ours::kDeviceMaxWorkItemDimensions == CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  CHECK(ours::kDeviceMaxWorkGroupSize == CL_DEVICE_MAX_WORK_GROUP_SIZE);
  CHECK(ours::kDeviceMaxWorkItemSizes == CL_DEVICE_MAX_WORK_ITEM_SIZES);
  CHECK(ours::kDeviceAddressBits == CL_DEVICE_ADDRESS_BITS);
  CHECK(ours::kDeviceMaxMemAllocSize == CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  CHECK(ours::kDeviceMaxParameterSize == CL_DEVICE_MAX_PARAMETER_SIZE);
  CHECK(ours::kDeviceMemBaseAddrAlign == CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  CHECK(ours::kDeviceSingleFpConfig == CL_DEVICE_SINGLE_FP_CONFIG);
  CHECK(ours::kDeviceGlobalMemSize == CL_DEVICE_GLOBAL_MEM_SIZE);
  CHECK(ours::kDeviceLocalMemType == CL_DEVICE_LOCAL_MEM_TYPE);
  CHECK(ours::kDeviceLocalMemSize == CL_DEVICE_LOCAL_MEM_SIZE);
  CHECK(ours::kDeviceProfilingTimerResolution == CL_DEVICE_PROFILING_TIMER_RESOLUTION);
  CHECK(ours::kDeviceEndianLittle == CL_DEVICE_ENDIAN_LITTLE);
  CHECK(ours::kDeviceAvailable == CL_DEVICE_AVAILABLE);
  CHECK(ours::kDeviceCompilerAvailable == CL_DEVICE_COMPILER_AVAILABLE);
  CHECK(ours::kDeviceName == CL_DEVICE_NAME);
  CHECK(ours::kDeviceVendor == CL_DEVICE_VENDOR);
  CHECK(ours::kDriverVersion == CL_DRIVER_VERSION);
  CHECK(ours::kDeviceProfile == CL_DEVICE_PROFILE);
  CHECK(ours::kDeviceVersion == CL_DEVICE_VERSION);
  CHECK(ours::kDeviceExtensions == CL_DEVICE_EXTENSIONS);
  CHECK(ours::kDeviceDoubleFpConfig == CL_DEVICE_DOUBLE_FP_CONFIG);
  CHECK(ours::kDeviceHalfFpConfig == CL_DEVICE_HALF_FP_CONFIG);
  CHECK(ours::kDeviceHostUnifiedMemory == CL_DEVICE_HOST_UNIFIED_MEMORY);
  CHECK(ours::kDeviceSvmCapabilities == CL_DEVICE_SVM_CAPABILITIES);
  CHECK(ours::kDeviceUuid == CL_DEVICE_UUID_KHR);
  CHECK(ours::kDeviceSubGroupSizes == CL_DEVICE_SUB_GROUP_SIZES_INTEL);
  CHECK(ours::kDeviceWarpSize == CL_DEVICE_WARP_SIZE_NV);
  CHECK(ours::kDeviceWavefrontWidth == CL_DEVICE_WAVEFRONT_WIDTH_AMD);
  CHECK(ours::kDevicePciBusInfo == CL_DEVICE_PCI_BUS_INFO_KHR);
  CHECK(sizeof(ours::PciBusInfo) == sizeof(cl_device_pci_bus_info_khr));
  CHECK(ours::kFpDenorm == CL_FP_DENORM);
  CHECK(ours::kFpCorrectlyRoundedDivideSqrt == CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  CHECK(ours::kLocalMemoryDedicated == CL_LOCAL);
  CHECK(ours::kSvmFineGrainBuffer == CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
  CHECK(ours::kQueueProfilingEnable == CL_QUEUE_PROFILING_ENABLE);
  CHECK(ours::kMemReadWrite == CL_MEM_READ_WRITE);
  CHECK(ours::kMemUseHostPtr == CL_MEM_USE_HOST_PTR);
  CHECK(ours::kMemAllocHostPtr == CL_MEM_ALLOC_HOST_PTR);
  CHECK(ours::kMemSvmFineGrainBuffer == CL_MEM_SVM_FINE_GRAIN_BUFFER);
  CHECK(ours::kMapRead == CL_MAP_READ);
  CHECK(ours::kMapWrite == CL_MAP_WRITE);
  CHECK(ours::kBufferCreateTypeRegion == CL_BUFFER_CREATE_TYPE_REGION);
  CHECK(sizeof(ours::BufferRegion) == sizeof(cl_buffer_region));
  CHECK(ours::kProgramBinarySizes == CL_PROGRAM_BINARY_SIZES);
  CHECK(ours::kProgramBinaries == CL_PROGRAM_BINARIES);
  CHECK(ours::kProgramKernelNames == CL_PROGRAM_KERNEL_NAMES);
  CHECK(ours::kProgramBuildLog == CL_PROGRAM_BUILD_LOG);
  CHECK(ours::kKernelNumArgs == CL_KERNEL_NUM_ARGS);
  CHECK(ours::kKernelWorkGroupSize == CL_KERNEL_WORK_GROUP_SIZE);
  CHECK(ours::kKernelLocalMemSize == CL_KERNEL_LOCAL_MEM_SIZE);
  CHECK(ours::kKernelPreferredWorkGroupSizeMultiple == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  CHECK(ours::kKernelPrivateMemSize == CL_KERNEL_PRIVATE_MEM_SIZE);
  CHECK(ours::kEventCommandExecutionStatus == CL_EVENT_COMMAND_EXECUTION_STATUS);
  CHECK(ours::kComplete == CL_COMPLETE);
  CHECK(ours::kProfilingCommandQueued == CL_PROFILING_COMMAND_QUEUED);
  CHECK(ours::kProfilingCommandStart == CL_PROFILING_COMMAND_START);
  CHECK(ours::kProfilingCommandEnd == CL_PROFILING_COMMAND_END);
}
#endif
