// The driver's compiler: a textual image to machine code that can be kept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

struct CompilerOptions {
  int optimisation = -1;   // 0 to 4; -1: the driver's default
  int max_registers = -1;  // per thread; -1: no limit
};

// "-O3 -maxrregcount=64", as the vendor's own compiler takes them. Anything else is INVALID_ARGUMENT.
bsc_status parse_compiler_options(std::string_view text, CompilerOptions& options, bsc_plugin_error* error);

// The device's context must be current. A failure carries the compiler's log.
bsc_status compile_text(Device& device, std::string_view text, const std::string& name, const CompilerOptions& options,
                        std::vector<std::byte>& binary, bsc_plugin_error* error);

}  // namespace bascule::gpu
