// Launching PTX kernels: buffers become plain addresses, and the executor's workers run blocks until none is left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/ptx_launch.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/common/error.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/commands.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/module.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

// As many items as threads may take part: each runs blocks until none is left.
class PtxLaunch final : public Command {
 public:
  PtxLaunch(const Extent& extent, const bsc_simt_api& api, std::vector<bsc_simt_range> ranges)
      : Command(extent), ranges(std::move(ranges)), api_(api) {}
  ~PtxLaunch() override {
    if (job != nullptr) api_.finish(job);
  }

  bsc_status run(const Slice& slice, Failure& failure) override {
    bsc_plugin_error error = {};
    error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
    const bsc_status status = api_.run(job, slice.worker, &error);
    if (status == BSC_OK) return BSC_OK;
    failure.status = status;
    failure.message = error.message;
    return status;
  }

  bsc_simt_job* job = nullptr;
  const std::vector<bsc_simt_range> ranges;

 private:
  const bsc_simt_api& api_;
};

// Puts arguments, in order, where the kernel's parameters lie. The blob that the host made has its own layout: a split buffer
// takes one place there, and three in the kernel.
class ArgumentReader {
 public:
  ArgumentReader(const Device& device, const Function& function, const bsc_plugin_launch& launch)
      : device_(device), function_(function), launch_(launch), blob_(function.ptx_info.argument_bytes), shared_bytes_(launch.shared_bytes) {}

  bsc_status read(bsc_plugin_error* error) {
    const backend::StridedSpan<bsc_plugin_argument> arguments(launch_.arguments, launch_.argument_count, launch_.argument_stride);
    if (!arguments.valid()) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} arguments without an array or stride",
                        launch_.argument_count);
    }
    for (const bsc_plugin_argument& argument : arguments) {
      BSC_PLUGIN_RETURN_IF_ERROR(read(argument, error));
      ++number_;
    }
    if (next_ == function_.ptx_parameters.size()) return BSC_OK;
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} takes {} parameters; the launch has values for {}",
                      function_.name, function_.ptx_parameters.size(), next_);
  }

  [[nodiscard]] const std::vector<std::byte>& blob() const { return blob_; }
  [[nodiscard]] std::uint64_t shared_bytes() const { return shared_bytes_; }

 private:
  bsc_status read(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
    switch (argument.kind) {
      case BSC_ARGUMENT_VALUE: return read_value(argument.blob_offset, argument.bytes, error);
      case BSC_ARGUMENT_BUFFER: return read_buffer(argument, error);
      case BSC_ARGUMENT_LOCAL: return read_local(argument, error);
      default:
        return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "argument {} is of the unknown kind {}", number_,
                          argument.kind);
    }
  }

  bsc_status put(const void* value, std::uint64_t bytes, bsc_plugin_error* error) {
    if (next_ >= function_.ptx_parameters.size()) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} takes {} parameters; the launch has more",
                        function_.name, function_.ptx_parameters.size());
    }
    const bsc_simt_parameter& parameter = function_.ptx_parameters[next_];
    if (parameter.bytes != bytes) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                        "argument {} has {} bytes; the parameter {} ({}) of {} has {}", number_, bytes, next_, parameter.name,
                        function_.name, parameter.bytes);
    }
    std::memcpy(blob_.data() + parameter.offset, value, bytes);
    ++next_;
    return BSC_OK;
  }

  bsc_status read_value(std::uint64_t offset, std::uint64_t bytes, bsc_plugin_error* error) {
    if (offset > launch_.blob_bytes || bytes > launch_.blob_bytes - offset) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                        "argument {}: {} bytes at blob offset {} end beyond the blob's {} bytes", number_, bytes, offset,
                        launch_.blob_bytes);
    }
    return put(static_cast<const std::byte*>(launch_.blob) + offset, bytes, error);
  }

  bsc_status read_buffer(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
    std::byte* address = nullptr;
    if (argument.memory != nullptr || argument.bytes != 0) {
      BSC_PLUGIN_RETURN_IF_ERROR(resolve_range(device_, argument.memory, argument.offset, argument.bytes, address, error));
    }
    if ((argument.flags & BSC_ARGUMENT_SPLIT) == 0) return put(&address, sizeof address, error);
    std::byte* const base = address != nullptr ? address - argument.offset : nullptr;
    const std::uint64_t offset = base != nullptr ? argument.offset : 0;
    BSC_PLUGIN_RETURN_IF_ERROR(put(&base, sizeof base, error));
    BSC_PLUGIN_RETURN_IF_ERROR(put(&offset, sizeof offset, error));
    return read_value(argument.blob_offset, sizeof(std::uint64_t), error);
  }

  // An offset in the shared memory of the block, behind the kernel's own variables.
  bsc_status read_local(const bsc_plugin_argument& argument, bsc_plugin_error* error) {
    constexpr std::uint64_t kAlignment = 16;
    if (argument.bytes > kMaxSharedBytes || shared_bytes_ > kMaxSharedBytes) {
      return fill_error(error, BSC_LIMIT_EXCEEDED, "queue.submit",
                        "argument {}: {} bytes of shared memory; max_shared_bytes is {} on the cpu device", number_,
                        argument.bytes, kMaxSharedBytes);
    }
    const std::uint64_t fixed = function_.ptx_info.static_shared_bytes;
    const std::uint64_t at = (fixed + shared_bytes_ + kAlignment - 1) / kAlignment * kAlignment;
    shared_bytes_ = at - fixed + argument.bytes;
    const bool narrow = next_ < function_.ptx_parameters.size() && function_.ptx_parameters[next_].bytes == 4;
    return put(&at, narrow ? 4 : 8, error);
  }

  const Device& device_;
  const Function& function_;
  const bsc_plugin_launch& launch_;
  std::vector<std::byte> blob_;
  std::uint64_t shared_bytes_;
  std::uint64_t number_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

bsc_status read_ptx_launch(const Device& device, const Function& function, const bsc_plugin_launch& launch,
                           std::unique_ptr<Command>& out, bsc_plugin_error* error) {
  if (launch.blob_bytes > kMaxArgumentBytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "queue.submit", "max_argument_bytes is {} on the cpu device; the launch has {}",
                      kMaxArgumentBytes, launch.blob_bytes);
  }
  if (launch.blob_bytes != 0 && launch.blob == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "the argument blob of {} bytes is null", launch.blob_bytes);
  }
  ArgumentReader arguments(device, function, launch);
  BSC_PLUGIN_RETURN_IF_ERROR(arguments.read(error));

  bsc_simt_launch wanted = {};
  wanted.function = function.ptx_index;
  std::copy(launch.grid, launch.grid + 3, wanted.grid);
  std::copy(launch.block, launch.block + 3, wanted.block);
  std::copy(launch.cluster, launch.cluster + 3, wanted.cluster);
  wanted.shared_bytes = arguments.shared_bytes();
  wanted.flags = launch.flags;
  wanted.arguments = arguments.blob().data();
  wanted.argument_bytes = arguments.blob().size();
  std::vector<bsc_simt_range> ranges;
  if (function.module.device.instance.ptx_options.sanitize != 0) ranges = device.memory_ranges();

  Extent extent;
  const std::uint64_t units = device.instance.executor.compute_units();
  extent.items = 1;
  for (const std::uint64_t blocks : launch.grid) {
    if (__builtin_mul_overflow(extent.items, blocks, &extent.items)) extent.items = units;
    extent.items = std::min(extent.items, units);
  }
  auto command = std::make_unique<PtxLaunch>(extent, *function.module.ptx_api, std::move(ranges));
  wanted.ranges = command->ranges.data();
  wanted.range_count = command->ranges.size();
  BSC_PLUGIN_RETURN_IF_ERROR(function.module.ptx_api->prepare(function.module.ptx, &wanted, &command->job, error));
  out = std::move(command);
  return BSC_OK;
}

}  // namespace bascule::cpu
