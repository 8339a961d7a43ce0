// Launches of raw module functions: arguments as given, no contract.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "bascule/bascule.h"
#include "core/base/error.hpp"
#include "core/package/launch_plan.hpp"
#include "core/runtime/kernel.hpp"
#include "core/runtime/storage.hpp"

namespace bascule::core {

// Buffers, kinds and ranges have been checked. The blob is laid out like a C struct of the arguments: a value is
// aligned to the largest power of two that divides its size, 64 at most; a buffer takes a bsc_host_span in format
// "host" and a 64-bit address elsewhere.
Status prepare_raw_launch(const bsc_kernel& kernel, const LaunchShape& shape, std::span<const bsc_argument> arguments,
                          CommandStorage& storage, std::span<const bsc_plugin_command>& out_commands);

}  // namespace bascule::core
