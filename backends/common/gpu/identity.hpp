// What all vendors say of a device in the same way: name, memory, UUID, place on the bus.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu {

CallResult read_identity(const Api& api, int ordinal, DeviceProperties& properties);

}  // namespace bascule::gpu
