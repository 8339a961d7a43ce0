// NVIDIA: names, result codes and remedies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/vendor.hpp"

#include <fmt/format.h>

#include "backends/common/gpu/load.hpp"
#include "backends/cuda/vendor_api.hpp"
#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu {
namespace {

constexpr const char* kLibraries[] = {"libcuda.so.1"};
constexpr const char* kVisibility[] = {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"};
constexpr const char* kDeviceFiles[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm"};
constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/cuda/compat",
                                           "/usr/local/nvidia/lib64"};

constexpr const char* kFault = "a kernel read or wrote where it must not; the device is lost for this process";
constexpr const char* kRestart = "the device is lost for this process; see the kernel log for the reason (Xid) and start again";

constexpr ResultCode kResults[] = {
    {0, "CUDA_SUCCESS", BSC_OK},
    {1, "CUDA_ERROR_INVALID_VALUE", BSC_INVALID_ARGUMENT},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", BSC_OUT_OF_MEMORY, "free device memory or use smaller buffers"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", BSC_FORKED, "the process was forked after the driver had been opened"},
    {4, "CUDA_ERROR_DEINITIALIZED", BSC_INVALID_STATE, "the program is ending and the driver is shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", BSC_STUB},
    {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", BSC_TOO_OLD, "update the NVIDIA driver"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", BSC_DEVICE_LOST, "another process uses it alone (compute mode), or it has fallen off"},
    {100, "CUDA_ERROR_NO_DEVICE", BSC_NO_DEVICE},
    {101, "CUDA_ERROR_INVALID_DEVICE", BSC_INVALID_ARGUMENT},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", BSC_NO_PERMISSION, "this virtual GPU needs a licence"},
    {200, "CUDA_ERROR_INVALID_IMAGE", BSC_INVALID_IMAGE},
    {201, "CUDA_ERROR_INVALID_CONTEXT", BSC_INVALID_STATE},
    {205, "CUDA_ERROR_MAP_FAILED", BSC_INTERNAL},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", BSC_INVALID_IMAGE, "the image is machine code of another architecture"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", BSC_DEVICE_LOST, kRestart, true},
    {218, "CUDA_ERROR_INVALID_PTX", BSC_BUILD_FAILED},
    {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", BSC_DEVICE_LOST, kRestart, true},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", BSC_UNSUPPORTED, "install the driver's compiler, libnvidia-ptxjitcompiler.so.1"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", BSC_TOO_OLD, "update the NVIDIA driver, or use an image of an older PTX version"},
    {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", BSC_UNSUPPORTED, "CUDA_DISABLE_PTX_JIT is set; unset it or use machine code"},
    {226, "CUDA_ERROR_CONTAINED", BSC_LAUNCH_FAILED, kRestart, true},
    {300, "CUDA_ERROR_INVALID_SOURCE", BSC_INVALID_IMAGE},
    {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", BSC_BUILD_FAILED},
    {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", BSC_BROKEN, "a library of the driver is missing; install the driver again"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", BSC_INTERNAL},
    {400, "CUDA_ERROR_INVALID_HANDLE", BSC_INTERNAL},
    {401, "CUDA_ERROR_ILLEGAL_STATE", BSC_INVALID_STATE},
    {500, "CUDA_ERROR_NOT_FOUND", BSC_NOT_FOUND},
    {600, "CUDA_ERROR_NOT_READY", BSC_TIMED_OUT},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", BSC_LAUNCH_FAILED, kFault, true},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", BSC_LIMIT_EXCEEDED, "the block needs more registers than there are; use smaller blocks"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", BSC_LAUNCH_FAILED, "the device also drives a display and stopped a kernel that ran too long", true},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", BSC_DEVICE_LOST, "other code in this process has reset the device", true},
    {710, "CUDA_ERROR_ASSERT", BSC_LAUNCH_FAILED, "an assertion in a kernel failed", true},
    {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", BSC_LAUNCH_FAILED, kFault, true},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", BSC_LAUNCH_FAILED, kFault, true},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", BSC_LAUNCH_FAILED, kFault, true},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", BSC_LAUNCH_FAILED, kFault, true},
    {718, "CUDA_ERROR_INVALID_PC", BSC_LAUNCH_FAILED, kFault, true},
    {719, "CUDA_ERROR_LAUNCH_FAILED", BSC_LAUNCH_FAILED, kFault, true},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", BSC_LIMIT_EXCEEDED, "all blocks of a cooperative launch must be resident at once"},
    {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", BSC_LAUNCH_FAILED, "a kernel ended without freeing its tensor memory", true},
    {800, "CUDA_ERROR_NOT_PERMITTED", BSC_NO_PERMISSION},
    {801, "CUDA_ERROR_NOT_SUPPORTED", BSC_UNSUPPORTED},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", BSC_UNSUPPORTED, "the command cannot be part of a graph"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", BSC_INTERNAL},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", BSC_UNSUPPORTED},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", BSC_LIMIT_EXCEEDED},
    {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", BSC_UNSUPPORTED},
    {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", BSC_LIMIT_EXCEEDED},
    {999, "CUDA_ERROR_UNKNOWN", BSC_INTERNAL},
};

// What cuInit and cuDeviceGetCount mean by the same numbers.
constexpr ResultCode kOpenResults[] = {
    {3, "CUDA_ERROR_NOT_INITIALIZED", BSC_FORKED,
     "The driver was initialised in this process's parent and does not survive a fork. Fork before the driver is used, or start a "
     "new program."},
    {34, "CUDA_ERROR_STUB_LIBRARY", BSC_STUB,
     "This is the stub that a CUDA toolkit brings for linking, not the driver: take its folder (.../stubs) out of LD_LIBRARY_PATH, "
     "or set backend.cuda.driver to the driver's libcuda.so.1."},
    {35, "CUDA_ERROR_INSUFFICIENT_DRIVER", BSC_TOO_OLD, "Update the NVIDIA driver."},
    {100, "CUDA_ERROR_NO_DEVICE", BSC_NO_DEVICE, "No NVIDIA GPU is visible to this process."},
    {101, "CUDA_ERROR_INVALID_DEVICE", BSC_NO_DEVICE, "No NVIDIA GPU is visible to this process."},
    {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", BSC_NO_PERMISSION, "This virtual GPU needs a licence."},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", BSC_BROKEN, "The driver cannot reach the kernel module; see the kernel log and restart."},
    {800, "CUDA_ERROR_NOT_PERMITTED", BSC_NO_PERMISSION, "This user may not use the GPU."},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", BSC_BROKEN, "A service that the GPUs need does not run (nvidia-fabricmanager on NVSwitch machines)."},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", BSC_BROKEN,
     "The library and the loaded kernel module are of different driver versions: restart after a driver update."},
    {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", BSC_TOO_OLD,
     "A compatibility library of a newer CUDA is in use, which works on data-centre GPUs only: update the NVIDIA driver, or take "
     "the library's folder out of LD_LIBRARY_PATH."},
    {999, "CUDA_ERROR_UNKNOWN", BSC_BROKEN,
     "The driver does not start: is the kernel module loaded (nvidia-smi), and was the machine restarted after a driver update?"},
};

std::string version_text(int version) { return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10); }

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
  v.backend = "cuda";
  v.vendor_name = "NVIDIA";
  v.driver_name = "NVIDIA driver";
  v.libraries = kLibraries;
  v.install_remedy = "Install the NVIDIA driver that matches the running kernel (Debian: nvidia-driver, libcuda1) and restart.";
  v.update_remedy = "Update the NVIDIA driver.";
  v.visibility = kVisibility;
  v.device_files = kDeviceFiles;
  v.permission_remedy = "Give the user access to /dev/nvidia* (usually the group video).";
  v.emulated_symbol = "bascule_emulated_driver";
  v.library_folders = kLibraryFolders;

  v.results = kResults;
  v.unknown_result = "CUDA_ERROR";
  v.open_results = kOpenResults;
  v.code_out_of_memory = codes::kOutOfMemory;
  v.code_not_ready = codes::kNotReady;
  v.code_shutting_down = codes::kShuttingDown;

  v.oldest_version = 11000;
  v.version_text = version_text;
  v.clock_resolution_ns = 500;
  v.free_memory_is_estimate = false;

  v.host_memory_flags = 0x1 | 0x2;   // CU_MEMHOSTALLOC_PORTABLE, DEVICEMAP
  v.stream_flags = 0x1;              // CU_STREAM_NON_BLOCKING
  v.event_flags = 0x2;               // CU_EVENT_DISABLE_TIMING
  v.timed_event_flags = 0;
  v.capture_mode = 2;                // CU_STREAM_CAPTURE_MODE_RELAXED
  v.attribute_pool_threshold = 4;    // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD

  v.function_max_threads = 0;        // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK and on
  v.function_shared = 1;
  v.function_private = 3;
  v.function_registers = 4;
  v.function_max_dynamic_shared = 8;

  v.option_error_log = 5;            // CU_JIT_ERROR_LOG_BUFFER and on
  v.option_error_log_bytes = 6;
  v.option_optimisation = 7;
  v.option_max_registers = 0;
  v.link_input_text = 1;             // CU_JIT_INPUT_PTX

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
