// Layout and limits of raw launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/raw_launch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "core/runtime/buffer.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/launch.hpp"

namespace bascule::core {
namespace {

constexpr std::uint64_t kLargestAlignment = 64;

struct Place {
  std::uint64_t alignment;
  std::uint64_t bytes;
};

Place place_of(const bsc_argument& argument, bool host_format) {
  switch (argument.kind) {
    case BSC_ARG_VALUE:
      return {std::min(argument.bytes & (~argument.bytes + 1), kLargestAlignment), argument.bytes};
    case BSC_ARG_BUFFER:
      return host_format ? Place{alignof(bsc_host_span), sizeof(bsc_host_span)} : Place{8, 8};
    default:
      return {1, 0};
  }
}

std::uint64_t align(std::uint64_t value, std::uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

Error limit_error(const bsc_kernel& kernel, const std::string& what, std::uint64_t asked, const char* limit_name,
                  std::uint64_t limit) {
  return Error{.status = BSC_LIMIT_EXCEEDED,
               .message = launch_name(kernel) + ": " + what + " is " + std::to_string(asked) + ", " +
                          kernel.device().info().id + " allows " + limit_name + " = " + std::to_string(limit),
               .remedy = "launch with less, or use a device with a higher limit",
               .backend = kernel.device().backend().name()};
}

Status check_block(const bsc_kernel& kernel, const bsc_plugin_launch& launch) {
  const bsc_device_info& info = kernel.device().info();
  const std::uint64_t own = kernel.function_info().max_block_threads;
  const std::uint64_t limit = own ? std::min(own, info.max_block_threads) : info.max_block_threads;
  std::uint64_t threads = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch.block[d] > info.max_block[d]) {
      return limit_error(kernel, "block[" + std::to_string(d) + "]", launch.block[d], "max_block", info.max_block[d]);
    }
    if (__builtin_mul_overflow(threads, launch.block[d], &threads) || threads > limit) {
      return limit_error(kernel, "the number of threads per block, up to dimension " + std::to_string(d) + ",",
                         threads > limit ? threads : launch.block[d], "max_block_threads", limit);
    }
  }
  return {};
}

Status check_limits(const bsc_kernel& kernel, const bsc_plugin_launch& launch) {
  const bsc_device_info& info = kernel.device().info();
  if (!kernel.is_host_format()) BSC_RETURN_IF_ERROR(check_block(kernel, launch));
  for (int d = 0; d < 3; ++d) {
    if (launch.grid[d] > info.max_grid[d]) {
      return limit_error(kernel, "grid[" + std::to_string(d) + "]", launch.grid[d], "max_grid", info.max_grid[d]);
    }
  }
  const std::uint64_t shared = launch.shared_bytes;
  if (info.max_shared_bytes != 0 && shared > info.max_shared_bytes) {
    return limit_error(kernel, "shared memory", shared, "max_shared_bytes", info.max_shared_bytes);
  }
  if (launch.blob_bytes > info.max_argument_bytes) {
    return limit_error(kernel, "the size of all arguments", launch.blob_bytes, "max_argument_bytes",
                       info.max_argument_bytes);
  }
  return {};
}

// work_items without a plan: one thread per item (format host: one item per unit of the grid).
void set_shape(const bsc_kernel& kernel, const LaunchShape& shape, bsc_plugin_launch& launch) {
  constexpr std::uint64_t kUsualBlock = 256;
  for (int d = 0; d < 3; ++d) {
    launch.block[d] = std::max<std::uint64_t>(shape.block[d], 1);
    launch.cluster[d] = shape.cluster[d];
    launch.grid[d] = shape.grid[d];
  }
  if (!shape.has_work_items) return;
  launch.grid[1] = launch.grid[2] = 1;
  if (kernel.is_host_format()) {
    launch.grid[0] = shape.work_items;
    return;
  }
  if (shape.block[0] == 0) {
    const std::uint64_t own = kernel.function_info().max_block_threads;
    launch.block[0] = std::min({kUsualBlock, own ? own : kUsualBlock, kernel.device().info().max_block_threads});
  }
  launch.grid[0] = shape.work_items / launch.block[0] + (shape.work_items % launch.block[0] != 0);
}

}  // namespace

Status prepare_raw_launch(const bsc_kernel& kernel, const LaunchShape& shape, std::span<const bsc_argument> arguments,
                          CommandStorage& storage, std::span<const bsc_plugin_command>& out_commands) {
  if (!shape.has_grid && !shape.has_work_items) {
    return invalid_argument(launch_name(kernel) + " is a raw function: its launch needs a grid",
                            "set grid and block, or work_items, in bsc_launch_options");
  }
  const bool host = kernel.is_host_format();
  std::uint64_t blob_bytes = 0;
  std::uint64_t alignment = 1;
  for (const bsc_argument& argument : arguments) {
    const Place place = place_of(argument, host);
    // A single argument beyond any device's limit must not overflow the sum.
    if (place.bytes > kernel.device().info().max_argument_bytes || place.bytes > (std::uint64_t{1} << 30)) {
      return limit_error(kernel, "the size of an argument", place.bytes, "max_argument_bytes",
                         kernel.device().info().max_argument_bytes);
    }
    blob_bytes = align(blob_bytes, place.alignment) + place.bytes;
    alignment = std::max(alignment, place.alignment);
  }
  blob_bytes = align(blob_bytes, alignment);

  const LaunchPlan::Storage space =
      storage.reserve({.commands = 1, .arguments = arguments.size(), .blob_bytes = blob_bytes});
  if (blob_bytes != 0) std::memset(space.blob, 0, blob_bytes);
  std::uint64_t cursor = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bsc_argument& argument = arguments[i];
    const Place place = place_of(argument, host);
    cursor = align(cursor, place.alignment);
    bsc_plugin_argument& out = space.arguments[i];
    out = {};
    out.blob_offset = cursor;
    out.bytes = argument.bytes;
    if (argument.kind == BSC_ARG_VALUE) {
      out.kind = BSC_ARGUMENT_VALUE;
      std::memcpy(space.blob + cursor, argument.value, argument.bytes);
    } else if (argument.kind == BSC_ARG_BUFFER) {
      out.kind = BSC_ARGUMENT_BUFFER;
      const std::uint64_t element = argument.element_bytes ? argument.element_bytes : 1;
      const bool power_of_two = (element & (element - 1)) == 0;  // nearly always: no division then
      if (power_of_two ? (argument.offset & (element - 1)) != 0 : argument.offset % element != 0) {
        return invalid_argument(launch_name(kernel) + ", argument " + std::to_string(i) + ": offset " +
                                    std::to_string(argument.offset) + " is no multiple of the element size, " +
                                    std::to_string(element) + " bytes",
                                "buffer offsets are in bytes and must fall on an element");
      }
      out.offset = argument.offset;
      out.memory = argument.buffer ? argument.buffer->memory().handle() : nullptr;
    } else {
      out.kind = BSC_ARGUMENT_LOCAL;
    }
    cursor += place.bytes;
  }

  bsc_plugin_command& command = space.commands[0];
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = BSC_COMMAND_LAUNCH;
  bsc_plugin_launch& launch = command.launch;
  launch = {};
  launch.function = kernel.function();
  set_shape(kernel, shape, launch);
  launch.shared_bytes = shape.shared_bytes;
  launch.flags = shape.flags;
  launch.argument_count = arguments.size();
  launch.argument_stride = sizeof(bsc_plugin_argument);
  launch.arguments = space.arguments;
  launch.blob = space.blob;
  launch.blob_bytes = blob_bytes;
  BSC_RETURN_IF_ERROR(check_limits(kernel, launch));
  const bool empty = launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
  if (!empty) out_commands = {&command, 1};
  return {};
}

}  // namespace bascule::core
