// Moore Threads: names, result codes and remedies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/vendor.hpp"

#include <fmt/format.h>

#include "backends/common/gpu/load.hpp"
#include "backends/common/gpu/vendor_parts.hpp"
#include "backends/musa/vendor_api.hpp"

namespace bascule::gpu {
namespace {

constexpr const char* kLibraries[] = {"libmusa.so.1", "libmusa.so"};
constexpr const char* kVisibility[] = {"MUSA_VISIBLE_DEVICES", "MTHREADS_VISIBLE_DEVICES"};
constexpr const char* kDeviceFiles[] = {"/dev/mtgpu.0", "/dev/dri/renderD128"};
constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/musa*/lib"};

constexpr const char* kFault = "a kernel read or wrote where it must not; the device is lost for this process";
constexpr const char* kRestart = "the device is lost for this process; see the kernel log for the reason and start again";

constexpr ResultCode kResults[] = {
    {0, "MUSA_SUCCESS", BSC_OK},
    {1, "MUSA_ERROR_INVALID_VALUE", BSC_INVALID_ARGUMENT},
    {2, "MUSA_ERROR_OUT_OF_MEMORY", BSC_OUT_OF_MEMORY, "free device memory or use smaller buffers"},
    {3, "MUSA_ERROR_NOT_INITIALIZED", BSC_FORKED, "the process was forked after the driver had been opened"},
    {4, "MUSA_ERROR_DEINITIALIZED", BSC_INVALID_STATE, "the program is ending and the driver is shutting down"},
    {34, "MUSA_ERROR_STUB_LIBRARY", BSC_STUB},
    {100, "MUSA_ERROR_NO_DEVICE", BSC_NO_DEVICE},
    {101, "MUSA_ERROR_INVALID_DEVICE", BSC_INVALID_ARGUMENT},
    {200, "MUSA_ERROR_INVALID_IMAGE", BSC_INVALID_IMAGE},
    {201, "MUSA_ERROR_INVALID_CONTEXT", BSC_INVALID_STATE},
    {209, "MUSA_ERROR_NO_BINARY_FOR_GPU", BSC_INVALID_IMAGE, "the image is machine code of another architecture"},
    {214, "MUSA_ERROR_ECC_UNCORRECTABLE", BSC_DEVICE_LOST, kRestart, true},
    {303, "MUSA_ERROR_SHARED_OBJECT_INIT_FAILED", BSC_BROKEN, "a library of the driver is missing; install the driver again"},
    {304, "MUSA_ERROR_OPERATING_SYSTEM", BSC_INTERNAL},
    {400, "MUSA_ERROR_INVALID_HANDLE", BSC_INTERNAL},
    {500, "MUSA_ERROR_NOT_FOUND", BSC_NOT_FOUND},
    {600, "MUSA_ERROR_NOT_READY", BSC_TIMED_OUT},
    {700, "MUSA_ERROR_ILLEGAL_ADDRESS", BSC_LAUNCH_FAILED, kFault, true},
    {701, "MUSA_ERROR_LAUNCH_OUT_OF_RESOURCES", BSC_LIMIT_EXCEEDED, "the block needs more registers than there are; use smaller blocks"},
    {702, "MUSA_ERROR_LAUNCH_TIMEOUT", BSC_LAUNCH_FAILED, "the device stopped a kernel that ran too long", true},
    {709, "MUSA_ERROR_CONTEXT_IS_DESTROYED", BSC_DEVICE_LOST, "other code in this process has reset the device", true},
    {716, "MUSA_ERROR_MISALIGNED_ADDRESS", BSC_LAUNCH_FAILED, kFault, true},
    {719, "MUSA_ERROR_LAUNCH_FAILED", BSC_LAUNCH_FAILED, kFault, true},
    {720, "MUSA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", BSC_LIMIT_EXCEEDED, "all blocks of a cooperative launch must be resident at once"},
    {800, "MUSA_ERROR_NOT_PERMITTED", BSC_NO_PERMISSION},
    {801, "MUSA_ERROR_NOT_SUPPORTED", BSC_UNSUPPORTED},
    {900, "MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED", BSC_UNSUPPORTED, "the command cannot be part of a graph"},
    {999, "MUSA_ERROR_UNKNOWN", BSC_INTERNAL},
};

// What muInit and muDeviceGetCount mean by the same numbers.
constexpr ResultCode kOpenResults[] = {
    {3, "MUSA_ERROR_NOT_INITIALIZED", BSC_FORKED,
     "The driver was initialised in this process's parent and does not survive a fork. Fork before the driver is used, or start a "
     "new program."},
    {34, "MUSA_ERROR_STUB_LIBRARY", BSC_STUB,
     "This is the stub that a toolkit brings for linking, not the driver: take its folder (.../stubs) out of LD_LIBRARY_PATH, or "
     "set backend.musa.driver to the driver's library."},
    {35, "MUSA_ERROR_INSUFFICIENT_DRIVER", BSC_TOO_OLD, "Update the driver of Moore Threads."},
    {100, "MUSA_ERROR_NO_DEVICE", BSC_NO_DEVICE, "No Moore Threads GPU is visible to this process."},
    {101, "MUSA_ERROR_INVALID_DEVICE", BSC_NO_DEVICE, "No Moore Threads GPU is visible to this process."},
    {304, "MUSA_ERROR_OPERATING_SYSTEM", BSC_BROKEN, "The kernel driver does not answer; see the kernel log and restart."},
    {999, "MUSA_ERROR_UNKNOWN", BSC_BROKEN, "The driver does not start; see the kernel log for the reason."},
};

std::string version_text(int version) { return fmt::format("MUSA {}.{}", version / 10000, version % 10000 / 100); }

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
  v.backend = "musa";
  v.vendor_name = "Moore Threads";
  v.driver_name = "Moore Threads driver";
  v.libraries = kLibraries;
  v.install_remedy = "Install the driver of Moore Threads for your device.";
  v.update_remedy = "Update the driver of Moore Threads.";
  v.visibility = kVisibility;
  v.device_files = kDeviceFiles;
  v.permission_remedy = "Add the user to the groups render and video.";
  v.emulated_symbol = "bascule_emulated_driver";
  v.library_folders = kLibraryFolders;

  v.results = kResults;
  v.unknown_result = "MUSA_ERROR";
  v.open_results = kOpenResults;
  v.code_out_of_memory = codes::kOutOfMemory;
  v.code_not_ready = codes::kNotReady;
  v.code_shutting_down = codes::kShuttingDown;

  v.oldest_version = 10000;
  v.version_text = version_text;
  v.clock_resolution_ns = 1000;
  v.free_memory_is_estimate = false;

  v.host_memory_flags = 0x1 | 0x2;   // MU_MEMHOSTALLOC_PORTABLE, DEVICEMAP
  v.stream_flags = 0x1;              // MU_STREAM_NON_BLOCKING
  v.event_flags = 0x2;               // MU_EVENT_DISABLE_TIMING
  v.timed_event_flags = 0;
  v.capture_mode = 2;                // MU_STREAM_CAPTURE_MODE_RELAXED
  v.attribute_pool_threshold = 4;    // MU_MEMPOOL_ATTR_RELEASE_THRESHOLD

  v.function_max_threads = 0;        // MU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK and on
  v.function_shared = 1;
  v.function_private = 3;
  v.function_registers = 4;
  v.function_max_dynamic_shared = 8;

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
