// Checking PTX and cubins before the driver sees them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/error.hpp"
#include "backends/common/gpu/elf.hpp"
#include "backends/common/gpu/vendor_parts.hpp"
#include "backends/cuda/ptx_text.hpp"

namespace bascule::gpu::parts {
namespace {

using backend::fill_error;

constexpr std::uint16_t kMachine = 190;          // EM_CUDA
constexpr unsigned char kEntrySymbol = 0x10;     // STO_CUDA_ENTRY

bsc_status inspect_cubin(const Image& image, ImageShape& shape, bsc_plugin_error* error) {
  ElfFile elf;
  if (!elf.open(image.bytes) || elf.machine() != kMachine) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is no machine code for NVIDIA GPUs (a cubin)", image.name);
  }
  for (const ElfSymbol& symbol : elf.functions()) {
    if ((symbol.other & kEntrySymbol) != 0) shape.functions.push_back({symbol.name, false, {}, 0});
  }
  return BSC_OK;
}

bsc_status check_target(const DeviceProperties& device, const Image& image, const PtxText& ptx, bsc_plugin_error* error) {
  const bool fits = ptx.one_target ? ptx.target_number == device.image_target : ptx.target_number <= device.image_target;
  if (fits) return BSC_OK;
  return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is PTX for {}; {} is {}. Use an image for this architecture{}",
                    image.name, ptx.target, device.name, device.architecture, ptx.one_target ? "" : " or an older one");
}

bsc_status inspect_ptx(const DeviceProperties& device, int driver_version, const Image& image, ImageShape& shape,
                       bsc_plugin_error* error) {
  const std::string_view text(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos && text.find_first_not_of('\0', zero) != std::string_view::npos) {
    return fill_error(error, BSC_INVALID_IMAGE, "module.load", "{} is no PTX text: byte {} is zero", image.name, zero);
  }
  PtxText ptx = read_ptx(text.substr(0, zero));
  if (ptx.version == 0 || ptx.target.empty()) {
    return fill_error(error, BSC_BUILD_FAILED, "module.load", "{} is no PTX text: it has no .version or no .target", image.name);
  }
  if (device.image_version != 0 && ptx.version > device.image_version) {
    return fill_error(error, BSC_TOO_OLD, "module.load",
                      "{} is PTX {}.{}; the driver (CUDA {}.{}) takes PTX up to {}.{}. Update the NVIDIA driver, or use an image of "
                      "an older PTX version",
                      image.name, ptx.version / 10, ptx.version % 10, driver_version / 1000, driver_version % 1000 / 10,
                      device.image_version / 10, device.image_version % 10);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(check_target(device, image, ptx, error));
  shape.compiles = true;
  shape.functions = std::move(ptx.kernels);
  return BSC_OK;
}

}  // namespace

bsc_status inspect(const DeviceProperties& device, int driver_version, const Image& image, ImageShape& shape,
                   bsc_plugin_error* error) {
  return image.format == "ptx" ? inspect_ptx(device, driver_version, image, shape, error) : inspect_cubin(image, shape, error);
}

}  // namespace bascule::gpu::parts
