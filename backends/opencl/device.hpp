// An OpenCL device as Bascule sees it: what was asked of the driver once, and the context that everything on it lives in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "backends/common/capabilities.hpp"
#include "backends/common/object.hpp"
#include "backends/opencl/driver.hpp"

namespace bascule::opencl {

struct Instance;
struct Memory;
struct Queue;
struct Module;

inline constexpr std::uint64_t kMaxGridDimension = (std::uint64_t{1} << 31) - 1;
inline constexpr std::uint64_t kMaxBlocks = (std::uint64_t{1} << 32) - 1;

// What the driver said about the device; read once.
struct DeviceProperties {
  std::string platform;  // "Portable Computing Language"
  std::string name;
  std::string vendor;
  std::string driver;          // "Portable Computing Language 3.1+debian (OpenCL 3.0 PoCL ...)"
  std::string driver_version;  // what a compiled program depends on
  std::string extensions;      // with a space at both ends
  std::string uuid;
  std::string pci;
  cl::Bitfield type = 0;
  std::uint32_t version = 0;  // 102, 120, 200, 300
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_allocation_bytes = 0;
  std::uint64_t local_bytes = 0;
  std::uint64_t max_argument_bytes = 0;
  std::uint64_t base_alignment = 0;  // bytes; of sub-buffers
  std::uint64_t max_block_threads = 0;
  std::uint64_t max_block[3] = {1, 1, 1};
  std::uint32_t compute_units = 0;
  std::uint64_t min_sub_group = 1;
  std::uint64_t max_sub_group = 1;
  std::uint64_t timer_resolution_ns = 0;
  bool unified_memory = false;
  bool dedicated_local_memory = false;
  bool correctly_rounded_divide_sqrt = false;
  bool float_denormals = false;
  bool fp64 = false;
  bool fp16 = false;
  bool fine_grained_svm = false;

  bool has_extension(std::string_view extension) const;
};

// Reads them; `unusable` says why the device cannot be used at all, "" if it can.
bsc_status read_properties(const cl::Api& api, cl::PlatformId platform, cl::DeviceId id, DeviceProperties& properties,
                           std::string& unusable, bsc_plugin_error* error);

// A device's or platform's text without the padding some drivers leave; "" where it cannot be read.
std::string read_text(const cl::Api& api, cl::DeviceId device, cl::Uint what);
std::string read_text(const cl::Api& api, cl::PlatformId platform, cl::Uint what);

struct Device : backend::Object<Device, BSC_OBJECT_DEVICE> {
  Device(Instance& instance, cl::DeviceId id, DeviceProperties properties);
  ~Device();

  const cl::Api& api() const;
  bsc_status create_context(bsc_plugin_error* error);
  // DEVICE_LOST once the driver has said so, BSC_FORKED in a forked child.
  bsc_status check_usable(std::string_view call, bsc_plugin_error* error) const;
  // Keeps a DEVICE_LOST for later calls; passes the status on.
  bsc_status note(bsc_status status);
  bsc_status describe(bsc_plugin_device_info* out_info) const;

  void adopt(Memory* memory);
  void adopt(Queue* queue);
  void adopt(Module* module);
  bool disown(Memory* memory);
  bool disown(Queue* queue);
  bool disown(Module* module);

  Instance& instance;
  const cl::DeviceId id;
  const DeviceProperties properties;
  backend::CapabilityList capabilities;
  OwnedContext context;
  std::atomic<std::uint64_t> allocated_bytes{0};
  std::atomic<bool> lost{false};

 private:
  std::mutex mutex_;  // of the sets below
  std::unordered_set<Memory*> memories_;
  std::unordered_set<Queue*> queues_;
  std::unordered_set<Module*> modules_;
};

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error);
bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error);

}  // namespace bascule::opencl
