// Checking Moore Threads' machine code before the driver sees it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/error.hpp"
#include "backends/common/gpu/elf.hpp"
#include "backends/common/gpu/vendor_parts.hpp"

namespace bascule::gpu::parts {
namespace {

using backend::fill_error;

}  // namespace

bsc_status inspect(const DeviceProperties&, int, const Image& image, ImageShape& shape, bsc_plugin_error* error) {
  ElfFile elf;
  if (!elf.open(image.bytes)) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is no machine code for Moore Threads GPUs (an ELF file)",
                      image.name);
  }
  for (const ElfSymbol& symbol : elf.functions()) shape.functions.push_back({symbol.name, false, {}, 0});
  return BSC_OK;
}

}  // namespace bascule::gpu::parts
