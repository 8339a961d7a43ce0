// AMD: names, result codes and remedies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/vendor.hpp"

#include <fmt/format.h>

#include "backends/common/gpu/load.hpp"
#include "backends/common/gpu/vendor_parts.hpp"
#include "backends/hip/vendor_api.hpp"

namespace bascule::gpu {
namespace {

constexpr const char* kLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
constexpr const char* kVisibility[] = {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "CUDA_VISIBLE_DEVICES"};
constexpr const char* kDeviceFiles[] = {"/dev/kfd", "/dev/dri/renderD128"};
constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/opt/rocm*/lib", "/opt/rocm*/lib64"};

constexpr const char* kFault = "a kernel read or wrote where it must not; the device is lost for this process";
constexpr const char* kRestart = "the device is lost for this process; see the kernel log for the reason and start again";

constexpr ResultCode kResults[] = {
    {0, "hipSuccess", BSC_OK},
    {1, "hipErrorInvalidValue", BSC_INVALID_ARGUMENT},
    {2, "hipErrorOutOfMemory", BSC_OUT_OF_MEMORY, "free device memory or use smaller buffers"},
    {3, "hipErrorNotInitialized", BSC_FORKED, "the process was forked after the driver had been opened"},
    {4, "hipErrorDeinitialized", BSC_INVALID_STATE, "the program is ending and the driver is shutting down"},
    {9, "hipErrorInvalidConfiguration", BSC_LIMIT_EXCEEDED},
    {35, "hipErrorInsufficientDriver", BSC_TOO_OLD, "update the amdgpu kernel driver and ROCm"},
    {98, "hipErrorInvalidDeviceFunction", BSC_INVALID_IMAGE, "the image has no code for this device"},
    {100, "hipErrorNoDevice", BSC_NO_DEVICE},
    {101, "hipErrorInvalidDevice", BSC_INVALID_ARGUMENT},
    {200, "hipErrorInvalidImage", BSC_INVALID_IMAGE},
    {201, "hipErrorInvalidContext", BSC_INVALID_STATE},
    {209, "hipErrorNoBinaryForGpu", BSC_INVALID_IMAGE, "the image is machine code of another architecture"},
    {214, "hipErrorECCNotCorrectable", BSC_DEVICE_LOST, kRestart, true},
    {301, "hipErrorFileNotFound", BSC_NOT_FOUND},
    {302, "hipErrorSharedObjectSymbolNotFound", BSC_INVALID_IMAGE},
    {303, "hipErrorSharedObjectInitFailed", BSC_BROKEN, "a library of ROCm is missing; install ROCm again"},
    {304, "hipErrorOperatingSystem", BSC_INTERNAL},
    {400, "hipErrorInvalidHandle", BSC_INTERNAL},
    {500, "hipErrorNotFound", BSC_NOT_FOUND},
    {600, "hipErrorNotReady", BSC_TIMED_OUT},
    {700, "hipErrorIllegalAddress", BSC_LAUNCH_FAILED, kFault, true},
    {701, "hipErrorLaunchOutOfResources", BSC_LIMIT_EXCEEDED, "the block needs more registers than there are; use smaller blocks"},
    {702, "hipErrorLaunchTimeOut", BSC_LAUNCH_FAILED, "the device stopped a kernel that ran too long", true},
    {709, "hipErrorContextIsDestroyed", BSC_DEVICE_LOST, "other code in this process has reset the device", true},
    {710, "hipErrorAssert", BSC_LAUNCH_FAILED, "an assertion in a kernel failed", true},
    {719, "hipErrorLaunchFailure", BSC_LAUNCH_FAILED, kFault, true},
    {720, "hipErrorCooperativeLaunchTooLarge", BSC_LIMIT_EXCEEDED, "all blocks of a cooperative launch must be resident at once"},
    {801, "hipErrorNotSupported", BSC_UNSUPPORTED},
    {900, "hipErrorStreamCaptureUnsupported", BSC_UNSUPPORTED, "the command cannot be part of a graph"},
    {901, "hipErrorStreamCaptureInvalidated", BSC_INTERNAL},
    {910, "hipErrorGraphExecUpdateFailure", BSC_UNSUPPORTED},
    {999, "hipErrorUnknown", BSC_INTERNAL},
    {1052, "hipErrorRuntimeMemory", BSC_OUT_OF_MEMORY, "the run time could not allocate memory of its own"},
    {1053, "hipErrorRuntimeOther", BSC_INTERNAL},
};

// What hipInit and hipGetDeviceCount mean by the same numbers.
constexpr ResultCode kOpenResults[] = {
    {3, "hipErrorNotInitialized", BSC_BROKEN,
     "ROCm does not start: is the amdgpu kernel driver loaded, and is there /dev/kfd?"},
    {35, "hipErrorInsufficientDriver", BSC_TOO_OLD, "Update the amdgpu kernel driver and ROCm."},
    {100, "hipErrorNoDevice", BSC_NO_DEVICE, "No AMD GPU that ROCm supports is visible to this process."},
    {101, "hipErrorInvalidDevice", BSC_NO_DEVICE, "No AMD GPU that ROCm supports is visible to this process."},
    {303, "hipErrorSharedObjectInitFailed", BSC_BROKEN, "A library of ROCm is missing; install ROCm again."},
    {304, "hipErrorOperatingSystem", BSC_BROKEN, "The amdgpu kernel driver does not answer; see the kernel log and restart."},
    {999, "hipErrorUnknown", BSC_BROKEN, "ROCm does not start; see the kernel log (amdgpu) for the reason."},
};

// HIP counts major * 10000000 + minor * 100000 + build.
std::string version_text(int version) { return fmt::format("HIP {}.{}", version / 10000000, version % 10000000 / 100000); }

void load(const backend::VendorLibrary& library, Api& api, std::vector<std::string>& missing) {
  const SymbolLoader loader(library, missing);
#define BSC_REQUIRED(member, name) loader.required(#name, api.member);
#define BSC_OPTIONAL(member, name) loader.optional(#name, api.member);
  BSC_VENDOR_FUNCTIONS(BSC_REQUIRED, BSC_OPTIONAL)
#undef BSC_REQUIRED
#undef BSC_OPTIONAL
}

constexpr Vendor make_vendor() {
  Vendor v = {};
  v.backend = "hip";
  v.vendor_name = "AMD";
  v.driver_name = "ROCm run time";
  v.libraries = kLibraries;
  v.install_remedy = "Install AMD's ROCm run time (Debian: libamdhip64-5 or newer, with the amdgpu kernel driver).";
  v.update_remedy = "Update ROCm.";
  v.visibility = kVisibility;
  v.device_files = kDeviceFiles;
  v.permission_remedy = "Add the user to the groups render and video.";
  v.emulated_symbol = "bascule_emulated_driver";
  v.library_folders = kLibraryFolders;

  v.results = kResults;
  v.unknown_result = "hipError";
  v.open_results = kOpenResults;
  v.code_out_of_memory = codes::kOutOfMemory;
  v.code_not_ready = codes::kNotReady;
  v.code_shutting_down = codes::kShuttingDown;

  v.oldest_version = 50000000;
  v.version_text = version_text;
  v.clock_resolution_ns = 1000;
  v.free_memory_is_estimate = true;

  v.host_memory_flags = 0x1 | 0x2;   // hipHostMallocPortable, Mapped
  v.stream_flags = 0x1;              // hipStreamNonBlocking
  v.event_flags = 0x2;               // hipEventDisableTiming
  v.timed_event_flags = 0;
  v.capture_mode = 2;                // hipStreamCaptureModeRelaxed
  v.attribute_pool_threshold = 4;    // hipMemPoolAttrReleaseThreshold

  v.function_max_threads = 0;        // HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK and on
  v.function_shared = 1;
  v.function_private = 3;
  v.function_registers = 4;
  v.function_max_dynamic_shared = -1;  // all of it may be asked for at once

  v.load = load;
  v.read_properties = parts::read_properties;
  v.inspect = parts::inspect;
  v.launch = parts::launch;
  v.update_graph = parts::update_graph;
  v.limits_compute_units = parts::limits_compute_units;
  v.create_limited_stream = parts::create_limited_stream;
  v.destroy_limited_stream = parts::destroy_limited_stream;
  return v;
}

}  // namespace

const Vendor& vendor() {
  static constexpr Vendor kVendor = make_vendor();
  return kVendor;
}

}  // namespace bascule::gpu
