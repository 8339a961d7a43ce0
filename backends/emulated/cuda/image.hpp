// What cuModuleLoadData and others are given: PTX text, a container with PTX in it, or something that cannot run here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "backends/emulated/cuda/gpu.hpp"

namespace bascule::emulated {

struct PtxHeader {
  int version = 0;           // 80 for ".version 8.0"
  int target = 0;            // 80 for sm_80; 0: none found
  bool specific = false;     // sm_90a, sm_100f: for this architecture alone
};

/// What .version and .target say; zero where they are missing (the engine will say what is wrong).
PtxHeader read_ptx_header(std::string_view text);

/// The PTX text of an image. `bytes` is 0 where the caller does not say: text then ends with a zero byte. Throws Refusal:
/// NO_BINARY_FOR_GPU for machine code, UNSUPPORTED_PTX_VERSION, INVALID_PTX for a target that the GPU is not, INVALID_IMAGE.
std::string ptx_of_image(const void* image, std::size_t bytes, const Gpu& gpu);

/// What cuLinkComplete hands out: PTX in a container of ours.
std::string make_linked_image(std::string_view text);

}  // namespace bascule::emulated
