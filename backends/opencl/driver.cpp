// Opening libOpenCL and reading its error codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bascule::opencl {
namespace {

struct NamedCode {
  cl::Int code;
  std::string_view name;
};

constexpr NamedCode kCodes[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-41, "CL_INVALID_SAMPLER"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-60, "CL_INVALID_GL_OBJECT"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-62, "CL_INVALID_MIP_LEVEL"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

bsc_status Driver::open(std::string_view configured_path, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(
      library.open("OpenCL", {"libOpenCL.so.1"}, configured_path,
                   "Install an OpenCL loader (Debian: ocl-icd-libopencl1) and your device's OpenCL driver, or set "
                   "backend.opencl.driver to the library's path.",
                   error));
  backend::SymbolReader reader(library);
#define BSC_REQUIRED(result, name, parameters) reader.required(#name, api.name);
#define BSC_OPTIONAL(result, name, parameters) reader.optional(#name, api.name);
  BSC_OPENCL_FUNCTIONS(BSC_REQUIRED, BSC_OPTIONAL)
#undef BSC_REQUIRED
#undef BSC_OPTIONAL
  if (!reader.missing().empty()) {
    return backend::fill_error(error, BSC_TOO_OLD, "dlsym",
                               "{} lacks functions of OpenCL 1.2, the oldest version that is supported: {}. Update the OpenCL "
                               "loader.",
                               library.path(), fmt::join(reader.missing(), ", "));
  }
  return BSC_OK;
}

std::string_view error_name(cl::Int code) {
  for (const NamedCode& known : kCodes) {
    if (known.code == code) return known.name;
  }
  return "CL_UNKNOWN_ERROR";
}

bsc_status status_of(cl::Int code) {
  switch (code) {
    case cl::kSuccess: return BSC_OK;
    case cl::kDeviceNotAvailable: return BSC_DEVICE_LOST;
    case cl::kMemObjectAllocationFailure:
    case cl::kOutOfResources:
    case cl::kOutOfHostMemory: return BSC_OUT_OF_MEMORY;
    case cl::kBuildProgramFailure: return BSC_BUILD_FAILED;
    case cl::kInvalidBinary: return BSC_INVALID_IMAGE;
    case cl::kCompilerNotAvailable: return BSC_UNSUPPORTED;
    case cl::kInvalidArgSize: return BSC_INVALID_ARGUMENT;
    case cl::kInvalidWorkGroupSize:
    case cl::kInvalidGlobalWorkSize:
    case cl::kInvalidBufferSize: return BSC_LIMIT_EXCEEDED;
    default: return BSC_INTERNAL;
  }
}

bsc_status status_of_execution(cl::Int code) {
  switch (code) {
    case cl::kDeviceNotAvailable: return BSC_DEVICE_LOST;
    case cl::kMemObjectAllocationFailure:
    case cl::kOutOfHostMemory: return BSC_OUT_OF_MEMORY;
    default: return code < 0 ? BSC_LAUNCH_FAILED : BSC_OK;
  }
}

std::string_view remedy_of(cl::Int code) {
  switch (code) {
    case cl::kDeviceNotAvailable:
      return "the device is gone for this process; see the kernel log for the reason and start again";
    case cl::kOutOfResources:
      return "the device ran out of registers, local memory or buffers, or a kernel accessed memory out of bounds";
    case cl::kMemObjectAllocationFailure: return "free device memory or use smaller buffers";
    case cl::kOutOfHostMemory: return "free host memory";
    default: return "";
  }
}

bsc_status Check::operator()(cl::Int code, std::string_view call) const {
  if (code == cl::kSuccess) return BSC_OK;
  const std::string_view remedy = remedy_of(code);
  return backend::fill_vendor_error(error_, status_of(code), call, {code, error_name(code)}, "{}{}{} failed with {}{}{}",
                                    doing_, doing_.empty() ? "" : ": ", call, error_name(code),
                                    remedy.empty() ? "" : ": ", remedy);
}

}  // namespace bascule::opencl
