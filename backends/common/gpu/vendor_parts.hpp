// The functions that a plugin's files implement for its Vendor; each plugin defines them once, in files of the same names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu::parts {

// properties.cpp
CallResult read_properties(const Api& api, int ordinal, int driver_version, bool emulated, DeviceProperties& properties);

// image.cpp
bsc_status inspect(const DeviceProperties& device, int driver_version, const Image& image, ImageShape& shape,
                   bsc_plugin_error* error);

// launch.cpp
CallResult launch(const Api& api, const LaunchRequest& request);
int update_graph(const Api& api, Handle executable, Handle graph);

// limit.cpp
bool limits_compute_units(const Api& api);
CallResult create_limited_stream(const Api& api, const DeviceProperties& device, std::uint64_t compute_units, int priority,
                                 LimitedStream& stream);
void destroy_limited_stream(const Api& api, LimitedStream& stream);

}  // namespace bascule::gpu::parts
