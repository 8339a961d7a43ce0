// What a device of AMD's can do, from its property struct in either layout.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <memory>
#include <string>

#include "backends/common/gpu/identity.hpp"
#include "backends/common/gpu/vendor_parts.hpp"
#include "backends/hip/properties_layout.hpp"

namespace bascule::gpu::parts {
namespace {

// What both layouts have.
template <class Properties>
void read_common(const Properties& from, DeviceProperties& p) {
  const auto number = [](int value) { return static_cast<std::uint64_t>(std::max(value, 0)); };
  p.target = from.architecture;
  p.compute_units = number(from.compute_units);
  p.max_block_threads = number(from.max_threads);
  for (int i = 0; i < 3; ++i) {
    p.max_block[i] = number(from.max_block[i]);
    p.max_grid[i] = number(from.max_grid[i]);
  }
  p.default_shared_bytes = from.shared_per_block;
  p.max_shared_bytes = from.shared_per_block;
  p.sub_group = number(from.warp_size);
  p.unified_memory = from.integrated != 0;
  p.maps_host_memory = from.maps_host_memory != 0;
  p.cooperative = from.cooperative != 0;
  p.capabilities.add("l2_cache", from.l2_cache, "bytes")
      .add("registers_per_unit", from.registers_per_block)
      .add("threads_per_unit", from.threads_per_unit)
      .add("clock_rate", from.clock_rate, "kHz")
      .add("memory_clock_rate", from.memory_clock_rate, "kHz")
      .add("memory_bus_width", from.memory_bus_width, "bits");
}

CallResult read_struct(const Api& api, DeviceProperties& p) {
  if (api.device_properties) {
    const auto read = std::make_unique<hip::PropertiesR0600>();
    const int code = api.device_properties(read.get(), p.ordinal);
    if (code != 0) return {code, api.device_properties.name};
    read_common(*read, p);
    p.pools = read->pools != 0;
    p.capabilities.add("local_memory_per_unit", static_cast<std::int64_t>(read->amd_shared_per_unit), "bytes");
    return {};
  }
  const auto read = std::make_unique<hip::PropertiesR0000>();
  const int code = api.device_properties_old(read.get(), p.ordinal);
  if (code != 0) return {code, api.device_properties_old.name};
  read_common(*read, p);
  p.capabilities.add("local_memory_per_unit", static_cast<std::int64_t>(read->shared_per_unit), "bytes");
  return {};
}

}  // namespace

CallResult read_properties(const Api& api, int ordinal, int, bool emulated, DeviceProperties& p) {
  const CallResult identity = read_identity(api, ordinal, p);
  if (identity.code != 0) return identity;
  const CallResult properties = read_struct(api, p);
  if (properties.code != 0) return properties;
  p.architecture = p.target.substr(0, p.target.find(':'));
  p.emulated = emulated;
  p.formats.push_back("hsaco");
  p.cooperative = p.cooperative && api.launch_cooperative;
  p.capabilities.add("device_address", 1)
      .add("fp64", 1)
      .add("fp16", 1)
      .add("fp32_denormals", 1)
      .add("int64_atomics", 1)
      .add("local_memory", static_cast<std::int64_t>(p.max_shared_bytes), "bytes")
      .add("dedicated_local_memory", 1)
      .add("kernels_reach_host_memory", p.maps_host_memory ? 1 : 0)
      .add("cooperative_launch", p.cooperative ? 1 : 0)
      .add("block_clusters", 0)
      .add("queue_compute_unit_limit", limits_compute_units(api) ? 1 : 0);
  return {};
}

}  // namespace bascule::gpu::parts
