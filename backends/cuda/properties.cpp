// What a device of NVIDIA's can do, from its attributes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>

#include "backends/common/gpu/identity.hpp"
#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {
namespace {

// CU_DEVICE_ATTRIBUTE_*
enum {
  kMaxThreads = 1,
  kMaxBlockX = 2,
  kMaxGridX = 5,
  kSharedPerBlock = 8,
  kWarpSize = 10,
  kClockRate = 13,
  kMultiprocessors = 16,
  kIntegrated = 18,
  kMapsHostMemory = 19,
  kMemoryClockRate = 36,
  kMemoryBusWidth = 37,
  kL2Cache = 38,
  kThreadsPerMultiprocessor = 39,
  kMajor = 75,
  kMinor = 76,
  kSharedPerMultiprocessor = 81,
  kRegistersPerMultiprocessor = 82,
  kCooperative = 95,
  kSharedOptIn = 97,
  kPools = 115,
  kClusters = 120,
  kTensorMaps = 127
};

// PTX versions are counted with CUDA's: 11.0 brought 7.0, and so on, with 12.5 and 12.6 sharing one.
int ptx_version_of(int driver_version) {
  const int major = driver_version / 1000;
  const int minor = driver_version % 1000 / 10;
  if (major == 11) return 70 + std::min(minor, 8);
  if (major == 12) return 80 + (minor <= 5 ? minor : minor - 1);
  return major >= 13 ? 90 + std::min(minor, 9) + 10 * (major - 13) : 0;
}

class Reader {
 public:
  Reader(const Api& api, int device) : api_(api), device_(device) {}

  std::uint64_t number(int attribute) {
    int value = 0;
    const int code = api_.device_attribute(&value, attribute, device_);
    if (code != 0 && result_.code == 0) result_ = {code, api_.device_attribute.name};
    return code == 0 ? static_cast<std::uint64_t>(std::max(value, 0)) : 0;
  }
  // An attribute that older drivers do not know.
  std::uint64_t newer(int attribute) {
    int value = 0;
    return api_.device_attribute(&value, attribute, device_) == 0 ? static_cast<std::uint64_t>(std::max(value, 0)) : 0;
  }
  CallResult result() const { return result_; }

 private:
  const Api& api_;
  int device_;
  CallResult result_;
};

void add_capabilities(Reader& read, DeviceProperties& p) {
  const auto signed_number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  p.capabilities.add("device_address", 1)
      .add("fp64", 1)
      .add("fp16", 1)
      .add("fp32_denormals", 1)
      .add("fp32_correctly_rounded_divide_sqrt", 1)
      .add("int64_atomics", 1)
      .add("local_memory", signed_number(p.max_shared_bytes), "bytes")
      .add("dedicated_local_memory", 1)
      .add("kernels_reach_host_memory", p.maps_host_memory ? 1 : 0)
      .add("cooperative_launch", p.cooperative ? 1 : 0)
      .add("block_clusters", p.clusters ? 1 : 0)
      .add("tensor_maps", signed_number(read.newer(kTensorMaps)))
      .add("ptx_version", p.image_version)
      .add("l2_cache", signed_number(read.number(kL2Cache)), "bytes")
      .add("local_memory_per_unit", signed_number(read.number(kSharedPerMultiprocessor)), "bytes")
      .add("registers_per_unit", signed_number(read.number(kRegistersPerMultiprocessor)))
      .add("threads_per_unit", signed_number(read.number(kThreadsPerMultiprocessor)))
      .add("clock_rate", signed_number(read.number(kClockRate)), "kHz")
      .add("memory_clock_rate", signed_number(read.number(kMemoryClockRate)), "kHz")
      .add("memory_bus_width", signed_number(read.number(kMemoryBusWidth)), "bits");
}

}  // namespace

CallResult read_properties(const Api& api, int ordinal, int driver_version, bool emulated, DeviceProperties& p) {
  const CallResult identity = read_identity(api, ordinal, p);
  if (identity.code != 0) return identity;
  Reader read(api, p.ordinal);
  const std::uint64_t major = read.number(kMajor);
  const std::uint64_t minor = read.number(kMinor);
  // From Hopper on each architecture has instructions of its own; what is for all is the plain target.
  // An emulated GPU has none of them.
  p.architecture = fmt::format("sm_{}{}{}", major, minor, major >= 9 && !emulated ? "a" : "");
  p.target = p.architecture;
  p.image_target = static_cast<int>(major * 10 + minor);
  p.image_version = ptx_version_of(driver_version);
  p.emulated = emulated;
  // An emulated driver executes PTX and no machine code.
  if (!emulated) p.formats.push_back("cubin");
  p.formats.push_back("ptx");

  p.compute_units = read.number(kMultiprocessors);
  p.max_block_threads = read.number(kMaxThreads);
  for (int i = 0; i < 3; ++i) {
    p.max_block[i] = read.number(kMaxBlockX + i);
    p.max_grid[i] = read.number(kMaxGridX + i);
  }
  p.default_shared_bytes = read.number(kSharedPerBlock);
  p.max_shared_bytes = std::max(p.default_shared_bytes, read.newer(kSharedOptIn));
  p.sub_group = read.number(kWarpSize);
  p.unified_memory = read.number(kIntegrated) != 0;
  p.maps_host_memory = read.number(kMapsHostMemory) != 0;
  p.cooperative = api.launch_extended && read.newer(kCooperative) != 0;
  p.clusters = api.launch_extended && read.newer(kClusters) != 0;
  p.pools = read.newer(kPools) != 0;
  constexpr int kLongArgumentsSince = 12010;
  p.max_argument_bytes = major >= 7 && driver_version >= kLongArgumentsSince ? 32764 : 4096;
  add_capabilities(read, p);
  p.capabilities.add("queue_compute_unit_limit", limits_compute_units(api) ? 1 : 0);
  return read.result();
}

}  // namespace bascule::gpu::parts
