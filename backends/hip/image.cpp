// Checking AMD code objects before the driver sees them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include "backends/common/error.hpp"
#include "backends/common/gpu/vendor_parts.hpp"
#include "backends/hip/code_object.hpp"

namespace bascule::gpu::parts {
namespace {

using backend::fill_error;

}  // namespace

bsc_status inspect(const DeviceProperties& device, int, const Image& image, ImageShape& shape, bsc_plugin_error* error) {
  constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
  const std::string_view text(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
  if (text.starts_with(kBundle)) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load",
                      "{} is a bundle of code objects for several targets; take the one for {} out of it (clang-offload-bundler)",
                      image.name, device.target);
  }
  CodeObject object;
  if (!read_code_object(image.bytes, object)) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load",
                      "{} is no code object for AMD GPUs with readable metadata (version 3 or newer)", image.name);
  }
  std::string reason;
  if (!target_fits(object.target, device.target, reason)) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} does not run on {}: {}", image.name, device.name, reason);
  }
  shape.functions = std::move(object.kernels);
  return BSC_OK;
}

}  // namespace bascule::gpu::parts
