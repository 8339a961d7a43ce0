// Limiting a queue to some compute units: Moore Threads' driver has no function for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {

bool limits_compute_units(const Api&) { return false; }

CallResult create_limited_stream(const Api&, const DeviceProperties&, std::uint64_t, int, LimitedStream&) {
  return {-1, "queue.create"};  // never asked: limits_compute_units says no
}

void destroy_limited_stream(const Api&, LimitedStream&) {}

}  // namespace bascule::gpu::parts
