// What an AMD code object says of itself in its metadata note: the target, and its kernels with their explicit arguments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu {

struct CodeObject {
  std::string target;  // "gfx90a:sramecc+:xnack-"
  std::vector<FunctionShape> kernels;
};

// False where it is no code object for AMD GPUs, or one without metadata that can be read (before version 3).
bool read_code_object(std::span<const std::byte> bytes, CodeObject& object);

// Whether a device runs code for `image`, both as targets with features. `reason` says why not.
bool target_fits(const std::string& image, const std::string& device, std::string& reason);

}  // namespace bascule::gpu
