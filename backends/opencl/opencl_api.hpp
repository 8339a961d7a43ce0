// The part of OpenCL that the plugin uses, declared by itself so that it builds on a machine without OpenCL headers. Numbers
// and signatures are those of the Khronos specification; opencl_api_test.cpp compares them with CL/cl.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace bascule::opencl::cl {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Ulong = std::uint64_t;
using Bool = Uint;
using Bitfield = Ulong;

using PlatformId = struct PlatformTag*;
using DeviceId = struct DeviceTag*;
using Context = struct ContextTag*;
using CommandQueue = struct CommandQueueTag*;
using Mem = struct MemTag*;
using Program = struct ProgramTag*;
using Kernel = struct KernelTag*;
using Event = struct EventTag*;
using ContextProperties = std::intptr_t;

struct BufferRegion {
  std::size_t origin;
  std::size_t size;
};

struct PciBusInfo {  // cl_khr_pci_bus_info
  Uint domain;
  Uint bus;
  Uint device;
  Uint function;
};

inline constexpr Int kSuccess = 0;
inline constexpr Int kDeviceNotFound = -1;
inline constexpr Int kDeviceNotAvailable = -2;
inline constexpr Int kCompilerNotAvailable = -3;
inline constexpr Int kMemObjectAllocationFailure = -4;
inline constexpr Int kOutOfResources = -5;
inline constexpr Int kOutOfHostMemory = -6;
inline constexpr Int kBuildProgramFailure = -11;
inline constexpr Int kMisalignedSubBufferOffset = -13;
inline constexpr Int kExecStatusErrorForEventsInWaitList = -14;
inline constexpr Int kInvalidValue = -30;
inline constexpr Int kInvalidBinary = -42;
inline constexpr Int kInvalidArgSize = -51;
inline constexpr Int kInvalidWorkGroupSize = -54;
inline constexpr Int kInvalidBufferSize = -61;
inline constexpr Int kInvalidGlobalWorkSize = -63;
inline constexpr Int kPlatformNotFound = -1001;  // cl_khr_icd

inline constexpr Bool kFalse = 0;
inline constexpr Bool kTrue = 1;

inline constexpr Uint kPlatformProfile = 0x0900;
inline constexpr Uint kPlatformVersion = 0x0901;
inline constexpr Uint kPlatformName = 0x0902;
inline constexpr Uint kPlatformVendor = 0x0903;

inline constexpr Bitfield kDeviceTypeCpu = 1 << 1;
inline constexpr Bitfield kDeviceTypeGpu = 1 << 2;
inline constexpr Bitfield kDeviceTypeAccelerator = 1 << 3;
inline constexpr Bitfield kDeviceTypeAll = 0xFFFFFFFF;

inline constexpr Uint kDeviceType = 0x1000;
inline constexpr Uint kDeviceMaxComputeUnits = 0x1002;
inline constexpr Uint kDeviceMaxWorkItemDimensions = 0x1003;
inline constexpr Uint kDeviceMaxWorkGroupSize = 0x1004;
inline constexpr Uint kDeviceMaxWorkItemSizes = 0x1005;
inline constexpr Uint kDeviceAddressBits = 0x100D;
inline constexpr Uint kDeviceMaxMemAllocSize = 0x1010;
inline constexpr Uint kDeviceMaxParameterSize = 0x1017;
inline constexpr Uint kDeviceMemBaseAddrAlign = 0x1019;
inline constexpr Uint kDeviceSingleFpConfig = 0x101B;
inline constexpr Uint kDeviceGlobalMemSize = 0x101F;
inline constexpr Uint kDeviceLocalMemType = 0x1022;
inline constexpr Uint kDeviceLocalMemSize = 0x1023;
inline constexpr Uint kDeviceProfilingTimerResolution = 0x1025;
inline constexpr Uint kDeviceEndianLittle = 0x1026;
inline constexpr Uint kDeviceAvailable = 0x1027;
inline constexpr Uint kDeviceCompilerAvailable = 0x1028;
inline constexpr Uint kDeviceName = 0x102B;
inline constexpr Uint kDeviceVendor = 0x102C;
inline constexpr Uint kDriverVersion = 0x102D;
inline constexpr Uint kDeviceProfile = 0x102E;
inline constexpr Uint kDeviceVersion = 0x102F;
inline constexpr Uint kDeviceExtensions = 0x1030;
inline constexpr Uint kDeviceDoubleFpConfig = 0x1032;
inline constexpr Uint kDeviceHalfFpConfig = 0x1033;
inline constexpr Uint kDeviceHostUnifiedMemory = 0x1035;
inline constexpr Uint kDeviceSvmCapabilities = 0x1053;
inline constexpr Uint kDeviceUuid = 0x106A;           // cl_khr_device_uuid: 16 bytes
inline constexpr Uint kDeviceSubGroupSizes = 0x4108;  // cl_intel_required_subgroup_size: size_t[]
inline constexpr Uint kDeviceWarpSize = 0x4003;       // cl_nv_device_attribute_query
inline constexpr Uint kDeviceWavefrontWidth = 0x4043; // cl_amd_device_attribute_query
inline constexpr Uint kDevicePciBusInfo = 0x410F;     // cl_khr_pci_bus_info

inline constexpr Bitfield kFpDenorm = 1 << 0;
inline constexpr Bitfield kFpCorrectlyRoundedDivideSqrt = 1 << 7;
inline constexpr Uint kLocalMemoryDedicated = 1;
inline constexpr Bitfield kSvmFineGrainBuffer = 1 << 1;

inline constexpr Bitfield kQueueProfilingEnable = 1 << 1;

inline constexpr Bitfield kMemReadWrite = 1 << 0;
inline constexpr Bitfield kMemUseHostPtr = 1 << 3;
inline constexpr Bitfield kMemAllocHostPtr = 1 << 4;
inline constexpr Bitfield kMemSvmFineGrainBuffer = 1 << 10;
inline constexpr Bitfield kMapRead = 1 << 0;
inline constexpr Bitfield kMapWrite = 1 << 1;
inline constexpr Uint kBufferCreateTypeRegion = 0x1220;

inline constexpr Uint kProgramBinarySizes = 0x1165;
inline constexpr Uint kProgramBinaries = 0x1166;
inline constexpr Uint kProgramKernelNames = 0x1168;
inline constexpr Uint kProgramBuildLog = 0x1183;

inline constexpr Uint kKernelNumArgs = 0x1191;
inline constexpr Uint kKernelWorkGroupSize = 0x11B0;
inline constexpr Uint kKernelLocalMemSize = 0x11B2;
inline constexpr Uint kKernelPreferredWorkGroupSizeMultiple = 0x11B3;
inline constexpr Uint kKernelPrivateMemSize = 0x11B4;

inline constexpr Uint kEventCommandExecutionStatus = 0x11D3;
inline constexpr Int kComplete = 0;
inline constexpr Uint kProfilingCommandQueued = 0x1280;
inline constexpr Uint kProfilingCommandStart = 0x1282;
inline constexpr Uint kProfilingCommandEnd = 0x1283;

using ContextCallback = void (*)(const char*, const void*, std::size_t, void*);
using BuildCallback = void (*)(Program, void*);
using EventCallback = void (*)(Event, Int, void*);

// result, name, parameters. REQUIRED: OpenCL 1.2; a library without them is too old. OPTIONAL: 2.0 and later.
#define BSC_OPENCL_FUNCTIONS(REQUIRED, OPTIONAL)                                                                           \
  REQUIRED(Int, clGetPlatformIDs, (Uint, PlatformId*, Uint*))                                                              \
  REQUIRED(Int, clGetPlatformInfo, (PlatformId, Uint, std::size_t, void*, std::size_t*))                                   \
  REQUIRED(Int, clGetDeviceIDs, (PlatformId, Bitfield, Uint, DeviceId*, Uint*))                                            \
  REQUIRED(Int, clGetDeviceInfo, (DeviceId, Uint, std::size_t, void*, std::size_t*))                                       \
  REQUIRED(Context, clCreateContext, (const ContextProperties*, Uint, const DeviceId*, ContextCallback, void*, Int*))      \
  REQUIRED(Int, clReleaseContext, (Context))                                                                               \
  REQUIRED(CommandQueue, clCreateCommandQueue, (Context, DeviceId, Bitfield, Int*))                                        \
  REQUIRED(Int, clReleaseCommandQueue, (CommandQueue))                                                                     \
  REQUIRED(Int, clFlush, (CommandQueue))                                                                                   \
  REQUIRED(Int, clFinish, (CommandQueue))                                                                                  \
  REQUIRED(Mem, clCreateBuffer, (Context, Bitfield, std::size_t, void*, Int*))                                             \
  REQUIRED(Mem, clCreateSubBuffer, (Mem, Bitfield, Uint, const void*, Int*))                                               \
  REQUIRED(Int, clReleaseMemObject, (Mem))                                                                                 \
  REQUIRED(Program, clCreateProgramWithSource, (Context, Uint, const char**, const std::size_t*, Int*))                    \
  REQUIRED(Program, clCreateProgramWithBinary,                                                                             \
           (Context, Uint, const DeviceId*, const std::size_t*, const unsigned char**, Int*, Int*))                        \
  REQUIRED(Int, clReleaseProgram, (Program))                                                                               \
  REQUIRED(Int, clBuildProgram, (Program, Uint, const DeviceId*, const char*, BuildCallback, void*))                       \
  REQUIRED(Int, clGetProgramInfo, (Program, Uint, std::size_t, void*, std::size_t*))                                       \
  REQUIRED(Int, clGetProgramBuildInfo, (Program, DeviceId, Uint, std::size_t, void*, std::size_t*))                        \
  REQUIRED(Kernel, clCreateKernel, (Program, const char*, Int*))                                                           \
  REQUIRED(Int, clReleaseKernel, (Kernel))                                                                                 \
  REQUIRED(Int, clSetKernelArg, (Kernel, Uint, std::size_t, const void*))                                                  \
  REQUIRED(Int, clGetKernelInfo, (Kernel, Uint, std::size_t, void*, std::size_t*))                                         \
  REQUIRED(Int, clGetKernelWorkGroupInfo, (Kernel, DeviceId, Uint, std::size_t, void*, std::size_t*))                      \
  REQUIRED(Int, clWaitForEvents, (Uint, const Event*))                                                                     \
  REQUIRED(Int, clGetEventInfo, (Event, Uint, std::size_t, void*, std::size_t*))                                           \
  REQUIRED(Int, clGetEventProfilingInfo, (Event, Uint, std::size_t, void*, std::size_t*))                                  \
  REQUIRED(Int, clSetEventCallback, (Event, Int, EventCallback, void*))                                                    \
  REQUIRED(Event, clCreateUserEvent, (Context, Int*))                                                                      \
  REQUIRED(Int, clSetUserEventStatus, (Event, Int))                                                                        \
  REQUIRED(Int, clRetainEvent, (Event))                                                                                    \
  REQUIRED(Int, clReleaseEvent, (Event))                                                                                   \
  REQUIRED(Int, clEnqueueReadBuffer,                                                                                       \
           (CommandQueue, Mem, Bool, std::size_t, std::size_t, void*, Uint, const Event*, Event*))                         \
  REQUIRED(Int, clEnqueueWriteBuffer,                                                                                      \
           (CommandQueue, Mem, Bool, std::size_t, std::size_t, const void*, Uint, const Event*, Event*))                   \
  REQUIRED(Int, clEnqueueCopyBuffer,                                                                                       \
           (CommandQueue, Mem, Mem, std::size_t, std::size_t, std::size_t, Uint, const Event*, Event*))                    \
  REQUIRED(Int, clEnqueueFillBuffer,                                                                                       \
           (CommandQueue, Mem, const void*, std::size_t, std::size_t, std::size_t, Uint, const Event*, Event*))            \
  REQUIRED(void*, clEnqueueMapBuffer,                                                                                      \
           (CommandQueue, Mem, Bool, Bitfield, std::size_t, std::size_t, Uint, const Event*, Event*, Int*))                \
  REQUIRED(Int, clEnqueueUnmapMemObject, (CommandQueue, Mem, void*, Uint, const Event*, Event*))                           \
  REQUIRED(Int, clEnqueueNDRangeKernel,                                                                                    \
           (CommandQueue, Kernel, Uint, const std::size_t*, const std::size_t*, const std::size_t*, Uint, const Event*,    \
            Event*))                                                                                                       \
  REQUIRED(Int, clEnqueueMarkerWithWaitList, (CommandQueue, Uint, const Event*, Event*))                                   \
  OPTIONAL(void*, clSVMAlloc, (Context, Bitfield, std::size_t, Uint))                                                      \
  OPTIONAL(void, clSVMFree, (Context, void*))

struct Api {
#define BSC_OPENCL_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  BSC_OPENCL_FUNCTIONS(BSC_OPENCL_MEMBER, BSC_OPENCL_MEMBER)
#undef BSC_OPENCL_MEMBER
};

}  // namespace bascule::opencl::cl
