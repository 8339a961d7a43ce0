// Launching host functions: shape and arguments checked, buffers resolved to addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/host_launch.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/common/error.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/commands.hpp"
#include "backends/cpu/module.hpp"
#include "backends/cpu/plugin.hpp"
#include "backends/cpu/ptx_launch.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

// The largest natural alignment of an argument.
constexpr std::size_t kBlobAlignment = 64;

// The argument blob: inside the command where it is small, as it mostly is.
class Blob {
 public:
  explicit Blob(std::uint64_t bytes) {
    if (bytes > sizeof inside_) outside_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kBlobAlignment})));
  }
  std::byte* data() noexcept { return outside_ ? outside_.get() : inside_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const noexcept { ::operator delete(bytes, std::align_val_t{kBlobAlignment}); }
  };
  alignas(kBlobAlignment) std::byte inside_[192];
  std::unique_ptr<std::byte, Free> outside_;
};

class HostLaunch final : public Command {
 public:
  HostLaunch(const Extent& extent, const Function& function, std::uint64_t blob_bytes)
      : Command(extent), function_(function), blob_(blob_bytes) {}

  std::byte* blob() noexcept { return blob_.data(); }

  bsc_status run(const Slice& slice, Failure& failure) override {
    const bsc_status status =
        function_.entry.function(blob_.data(), slice.begin, slice.end, slice.worker, slice.scratch, slice.team);
    if (status == BSC_OK) return BSC_OK;
    failure.status = BSC_LAUNCH_FAILED;
    failure.vendor_code = status;
    failure.message = fmt::format("the host kernel \"{}\" returned status {} for items {} to {}", function_.name, status,
                                  slice.begin, slice.end);
    return failure.status;
  }

 private:
  const Function& function_;  // outlives the launch: a module is not unloaded before its work has completed
  Blob blob_;
};

bsc_status over_limit(bsc_plugin_error* error, std::string_view name, std::uint64_t most, std::uint64_t asked) {
  return fill_error(error, BSC_LIMIT_EXCEEDED, "queue.submit", "{} is {} on the cpu device; the launch has {}", name, most,
                    asked);
}

bsc_status count_items(const bsc_plugin_launch& launch, std::uint64_t& items, bsc_plugin_error* error) {
  items = 0;
  if (std::any_of(launch.grid, launch.grid + 3, [](std::uint64_t n) { return n == 0; })) return BSC_OK;
  items = 1;
  for (int i = 0; i < 3; ++i) {
    if (launch.grid[i] > kMaxItems) return over_limit(error, fmt::format("max_grid[{}]", i), kMaxItems, launch.grid[i]);
    if (__builtin_mul_overflow(items, launch.grid[i], &items) || items > kMaxItems) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, "queue.submit",
                        "a grid of {} x {} x {} items; a host kernel takes {} in all", launch.grid[0], launch.grid[1],
                        launch.grid[2], kMaxItems);
    }
  }
  return BSC_OK;
}

bsc_status read_extent(const bsc_plugin_launch& launch, const Function& function, Extent& extent, bsc_plugin_error* error) {
  const bsc_host_entry& entry = function.entry;
  const bool team = (entry.flags & BSC_HOST_TEAM) != 0;
  BSC_PLUGIN_RETURN_IF_ERROR(count_items(launch, extent.items, error));
  if (extent.items != 0 && launch.block[0] == 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "block[0], the grain of a host kernel, is 0");
  }
  if (launch.shared_bytes > kMaxSharedBytes) return over_limit(error, "max_shared_bytes", kMaxSharedBytes, launch.shared_bytes);
  if (launch.cluster[0] > 1 || launch.cluster[1] > 1 || launch.cluster[2] > 1) {
    return fill_error(error, BSC_UNSUPPORTED, "queue.submit", "host kernels have no clusters");
  }
  if ((launch.flags & ~std::uint64_t{BSC_LAUNCH_COOPERATIVE | BSC_LAUNCH_STREAMING}) != 0) {
    return fill_error(error, BSC_UNSUPPORTED, "queue.submit", "unknown launch flags {:#x}", launch.flags);
  }
  if ((launch.flags & BSC_LAUNCH_COOPERATIVE) != 0 && !team) {
    return fill_error(error, BSC_UNSUPPORTED, "queue.submit",
                      "the host kernel \"{}\" is no team kernel (BSC_HOST_TEAM) and cannot be launched cooperatively",
                      function.name);
  }
  extent.kind = team ? Extent::Kind::team : Extent::Kind::range;
  extent.grain = std::max<std::uint64_t>(launch.block[0], 1);
  extent.scratch_bytes = entry.scratch_bytes;
  extent.shared_bytes = team ? std::max(entry.shared_bytes, launch.shared_bytes) : 0;
  extent.team_limit = entry.team_limit;
  return BSC_OK;
}

bsc_status check_blob_range(const bsc_plugin_launch& launch, std::uint64_t offset, std::uint64_t bytes, std::uint64_t number,
                            bsc_plugin_error* error) {
  if (offset <= launch.blob_bytes && bytes <= launch.blob_bytes - offset) return BSC_OK;
  return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                    "argument {}: {} bytes at blob offset {} end beyond the blob's {} bytes", number, bytes, offset,
                    launch.blob_bytes);
}

bsc_status read_buffer(const Device& device, const bsc_plugin_launch& launch, const bsc_plugin_argument& argument,
                       std::uint64_t number, std::byte* blob, bsc_plugin_error* error) {
  if ((argument.flags & BSC_ARGUMENT_SPLIT) != 0) {
    return fill_error(error, BSC_UNSUPPORTED, "queue.submit",
                      "argument {}: a host kernel takes a buffer as bsc_host_span, not split into three parameters", number);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(check_blob_range(launch, argument.blob_offset, sizeof(bsc_host_span), number, error));
  if (argument.blob_offset % alignof(bsc_host_span) != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "argument {}: the span at blob offset {} is not aligned to {} bytes", number, argument.blob_offset,
                      alignof(bsc_host_span));
  }
  std::byte* address = nullptr;
  if (argument.memory != nullptr || argument.bytes != 0) {
    BSC_PLUGIN_RETURN_IF_ERROR(resolve_range(device, argument.memory, argument.offset, argument.bytes, address, error));
  }
  const bsc_host_span span = {address, argument.bytes};
  std::memcpy(blob + argument.blob_offset, &span, sizeof span);
  return BSC_OK;
}

bsc_status read_arguments(const Device& device, const bsc_plugin_launch& launch, std::byte* blob, bsc_plugin_error* error) {
  const backend::StridedSpan<bsc_plugin_argument> arguments(launch.arguments, launch.argument_count, launch.argument_stride);
  if (!arguments.valid()) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} arguments without an array or stride",
                      launch.argument_count);
  }
  std::uint64_t number = 0;
  for (const bsc_plugin_argument& argument : arguments) {
    switch (argument.kind) {
      case BSC_ARGUMENT_VALUE:
        BSC_PLUGIN_RETURN_IF_ERROR(check_blob_range(launch, argument.blob_offset, argument.bytes, number, error));
        break;
      case BSC_ARGUMENT_BUFFER:
        BSC_PLUGIN_RETURN_IF_ERROR(read_buffer(device, launch, argument, number, blob, error));
        break;
      case BSC_ARGUMENT_LOCAL:
        if (argument.bytes > kMaxSharedBytes) return over_limit(error, "max_shared_bytes", kMaxSharedBytes, argument.bytes);
        return fill_error(error, BSC_UNSUPPORTED, "queue.submit",
                          "argument {} is local memory; a host kernel has scratch and team memory instead (host_kernel.h)",
                          number);
      default:
        return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "argument {} is of the unknown kind {}", number,
                          argument.kind);
    }
    ++number;
  }
  return BSC_OK;
}

// The struct that the function reads may end in padding that the blob does not have.
bool blob_fits(std::uint64_t blob_bytes, std::uint64_t expected) {
  for (std::uint64_t alignment = 1; alignment <= kBlobAlignment; alignment *= 2) {
    if ((blob_bytes + alignment - 1) / alignment * alignment == expected) return true;
  }
  return false;
}

}  // namespace

bsc_status read_host_launch(const Device& device, const bsc_plugin_launch& launch, std::unique_ptr<Command>& out,
                            bsc_plugin_error* error) {
  auto* const function = backend::object_cast<Function>(launch.function, plugin_api());
  if (function == nullptr) return backend::fill_handle_error(error, "queue.submit", launch.function, BSC_OBJECT_FUNCTION);
  if (&function->module.device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "the function \"{}\" belongs to another instance of the cpu backend", function->name);
  }
  if (function->module.ptx != nullptr) return read_ptx_launch(device, *function, launch, out, error);
  Extent extent;
  BSC_PLUGIN_RETURN_IF_ERROR(read_extent(launch, *function, extent, error));
  if (launch.blob_bytes > kMaxArgumentBytes) return over_limit(error, "max_argument_bytes", kMaxArgumentBytes, launch.blob_bytes);
  const std::uint64_t expected = function->entry.argument_bytes;
  if (expected != 0 && !blob_fits(launch.blob_bytes, expected)) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "the host kernel \"{}\" takes {} bytes of arguments; the launch has {}", function->name, expected,
                      launch.blob_bytes);
  }
  if (launch.blob_bytes != 0 && launch.blob == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "the argument blob of {} bytes is null", launch.blob_bytes);
  }
  const std::uint64_t blob_bytes = std::max(launch.blob_bytes, expected);
  auto command = std::make_unique<HostLaunch>(extent, *function, blob_bytes);
  if (launch.blob_bytes != 0) std::memcpy(command->blob(), launch.blob, launch.blob_bytes);
  if (blob_bytes > launch.blob_bytes) std::memset(command->blob() + launch.blob_bytes, 0, blob_bytes - launch.blob_bytes);
  BSC_PLUGIN_RETURN_IF_ERROR(read_arguments(device, launch, command->blob(), error));
  out = std::move(command);
  return BSC_OK;
}

}  // namespace bascule::cpu
