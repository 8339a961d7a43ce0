// The launch of a function as a command of the executor; a PTX kernel's is in ptx_launch.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <memory>

#include "backends/cpu/device.hpp"
#include "backends/cpu/executor/command.hpp"

namespace bascule::cpu {

/// Checks a launch completely and makes the command.
bsc_status read_host_launch(const Device& device, const bsc_plugin_launch& launch, std::unique_ptr<Command>& out,
                            bsc_plugin_error* error);

}  // namespace bascule::cpu
