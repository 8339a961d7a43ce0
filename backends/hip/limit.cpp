// Limiting a queue to some compute units: a stream with a mask.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {

bool limits_compute_units(const Api& api) { return static_cast<bool>(api.masked_stream); }

// Such a stream has no priority.
CallResult create_limited_stream(const Api& api, const DeviceProperties& device, std::uint64_t compute_units, int,
                                 LimitedStream& stream) {
  std::vector<std::uint32_t> mask((device.compute_units + 31) / 32, 0);
  for (std::uint64_t unit = 0; unit < compute_units; ++unit) mask[unit / 32] |= std::uint32_t{1} << (unit % 32);
  const int code = api.masked_stream(&stream.stream, static_cast<std::uint32_t>(mask.size()), mask.data());
  stream.compute_units = compute_units;
  return {code, api.masked_stream.name};
}

void destroy_limited_stream(const Api&, LimitedStream&) {}

}  // namespace bascule::gpu::parts
