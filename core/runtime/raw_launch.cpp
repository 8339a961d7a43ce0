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

[[gnu::cold]] Error limit_error(const bsc_kernel& kernel, const std::string& what, std::uint64_t asked,
                                const char* limit_name, std::uint64_t limit) {
  return Error{.status = BSC_LIMIT_EXCEEDED,
               .message = launch_name(kernel) + ": " + what + " is " + std::to_string(asked) + ", " +
                          kernel.device().info().id + " allows " + limit_name + " = " + std::to_string(limit),
               .remedy = "launch with less, or use a device with a higher limit",
               .backend = kernel.device().backend().name()};
}

std::uint64_t block_limit(const bsc_kernel& kernel) {
  const std::uint64_t own = kernel.function_info().max_block_threads;
  const std::uint64_t device = kernel.device().info().max_block_threads;
  return own ? std::min(own, device) : device;
}

// False where the product does not fit into 64 bits.
bool block_threads(const bsc_plugin_launch& launch, std::uint64_t& out) {
  return !__builtin_mul_overflow(launch.block[0], launch.block[1], &out) &&
         !__builtin_mul_overflow(out, launch.block[2], &out);
}

bool is_within_limits(const bsc_kernel& kernel, const bsc_plugin_launch& launch) {
  const bsc_device_info& info = kernel.device().info();
  bool good = launch.blob_bytes <= info.max_argument_bytes &&
              (info.max_shared_bytes == 0 || launch.shared_bytes <= info.max_shared_bytes);
  for (int d = 0; d < 3; ++d) good = good && launch.grid[d] <= info.max_grid[d];
  if (kernel.is_host_format()) return good;  // there a block is a grain of work, not threads
  for (int d = 0; d < 3; ++d) good = good && launch.block[d] <= info.max_block[d];
  std::uint64_t threads = 0;
  return good && block_threads(launch, threads) && threads <= block_limit(kernel);
}

// Which limit it is that is_within_limits() found exceeded.
[[gnu::cold]] Error limit_fault(const bsc_kernel& kernel, const bsc_plugin_launch& launch) {
  const bsc_device_info& info = kernel.device().info();
  if (launch.blob_bytes > info.max_argument_bytes) {
    return limit_error(kernel, "the size of all arguments", launch.blob_bytes, "max_argument_bytes",
                       info.max_argument_bytes);
  }
  for (int d = 0; d < 3; ++d) {
    const std::string index = std::string("[").append(std::to_string(d)).append("]");
    if (launch.grid[d] > info.max_grid[d]) {
      return limit_error(kernel, "grid" + index, launch.grid[d], "max_grid", info.max_grid[d]);
    }
    if (!kernel.is_host_format() && launch.block[d] > info.max_block[d]) {
      return limit_error(kernel, "block" + index, launch.block[d], "max_block", info.max_block[d]);
    }
  }
  if (info.max_shared_bytes != 0 && launch.shared_bytes > info.max_shared_bytes) {
    return limit_error(kernel, "shared memory", launch.shared_bytes, "max_shared_bytes", info.max_shared_bytes);
  }
  std::uint64_t threads = 0;
  if (!block_threads(launch, threads)) threads = UINT64_MAX;
  return limit_error(kernel, "the number of threads per block", threads, "max_block_threads", block_limit(kernel));
}

struct Layout {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
};

Status measure(const bsc_kernel& kernel, std::span<const bsc_argument> arguments, Layout& out) {
  // Far above any device's limit, and far below what could overflow the sum.
  constexpr std::uint64_t kLargestArgument = std::uint64_t{1} << 30;
  for (const bsc_argument& argument : arguments) {
    const Place place = place_of(argument, kernel.is_host_format());
    if (place.bytes > kLargestArgument) [[unlikely]] {
      return limit_error(kernel, "the size of an argument", place.bytes, "max_argument_bytes",
                         std::min(kLargestArgument, kernel.device().info().max_argument_bytes));
    }
    out.bytes = align(out.bytes, place.alignment) + place.bytes;
    out.alignment = std::max(out.alignment, place.alignment);
  }
  out.bytes = align(out.bytes, out.alignment);
  return {};
}

void write_value(std::byte* place, const bsc_argument& argument) {
  // Constant sizes become single stores.
  if (argument.bytes == 4) {
    std::memcpy(place, argument.value, 4);
  } else if (argument.bytes == 8) {
    std::memcpy(place, argument.value, 8);
  } else {
    std::memcpy(place, argument.value, argument.bytes);
  }
}

bool is_on_element(const bsc_argument& argument) {
  const std::uint64_t element = argument.element_bytes ? argument.element_bytes : 1;
  const bool power_of_two = (element & (element - 1)) == 0;  // nearly always: no division then
  return power_of_two ? (argument.offset & (element - 1)) == 0 : argument.offset % element == 0;
}

[[gnu::cold]] Error offset_fault(const bsc_kernel& kernel, std::size_t index, const bsc_argument& argument) {
  return invalid_argument(launch_name(kernel) + ", argument " + std::to_string(index) + ": offset " +
                              std::to_string(argument.offset) + " is no multiple of the element size, " +
                              std::to_string(argument.element_bytes) + " bytes",
                          "buffer offsets are in bytes and must fall on an element");
}

enum class Fit { kYes, kTooLarge, kOffElement };

// Fills arguments and blob as far as `capacity` bytes of blob go. `out_index`: the argument that is off its element.
Fit lay_out(const bsc_kernel& kernel, std::span<const bsc_argument> arguments, const LaunchPlan::Storage& space,
            std::uint64_t capacity, Layout& out, std::size_t& out_index) {
  const bool host = kernel.is_host_format();
  std::uint64_t cursor = 0;
  std::uint64_t alignment = 1;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bsc_argument& argument = arguments[i];
    const Place place = place_of(argument, host);
    cursor = align(cursor, place.alignment);
    alignment = std::max(alignment, place.alignment);
    if (place.bytes > capacity || cursor > capacity - place.bytes) [[unlikely]]
      return Fit::kTooLarge;
    bsc_plugin_argument& target = space.arguments[i];
    target = {.kind = BSC_ARGUMENT_VALUE,
              .flags = 0,
              .blob_offset = cursor,
              .bytes = argument.bytes,
              .offset = 0,
              .memory = nullptr};
    if (argument.kind == BSC_ARG_VALUE) {
      write_value(space.blob + cursor, argument);
    } else if (argument.kind == BSC_ARG_BUFFER) {
      if (!is_on_element(argument)) [[unlikely]] {
        out_index = i;
        return Fit::kOffElement;
      }
      target.kind = BSC_ARGUMENT_BUFFER;
      target.offset = argument.offset;
      target.memory = argument.buffer ? argument.buffer->memory().handle() : nullptr;
    } else {
      target.kind = BSC_ARGUMENT_LOCAL;
    }
    cursor += place.bytes;
  }
  out = {align(cursor, alignment), alignment};
  return out.bytes <= capacity ? Fit::kYes : Fit::kTooLarge;
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
  if (shape.block[0] == 0) launch.block[0] = std::min(kUsualBlock, block_limit(kernel));
  launch.grid[0] = shape.work_items / launch.block[0] + (shape.work_items % launch.block[0] != 0);
}

}  // namespace

Status prepare_raw_launch(const bsc_kernel& kernel, const LaunchShape& shape, std::span<const bsc_argument> arguments,
                          CommandStorage& storage, std::span<const bsc_plugin_command>& out_commands) {
  if (!shape.has_grid && !shape.has_work_items) {
    return invalid_argument(launch_name(kernel) + " is a raw function: its launch needs a grid",
                            "set grid and block, or work_items, in bsc_launch_options");
  }
  Layout layout;
  std::size_t index = 0;
  LaunchPlan::Storage space = storage.reserve({.commands = 1, .arguments = arguments.size(), .blob_bytes = 0});
  Fit fit = lay_out(kernel, arguments, space, storage.blob_capacity(), layout, index);
  if (fit == Fit::kTooLarge) [[unlikely]] {
    layout = {};
    BSC_RETURN_IF_ERROR(measure(kernel, arguments, layout));
    space = storage.reserve({.commands = 1, .arguments = arguments.size(), .blob_bytes = layout.bytes});
    fit = lay_out(kernel, arguments, space, storage.blob_capacity(), layout, index);
  }
  if (fit == Fit::kOffElement) [[unlikely]]
    return offset_fault(kernel, index, arguments[index]);

  bsc_plugin_command& command = space.commands[0];
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = BSC_COMMAND_LAUNCH;
  bsc_plugin_launch& launch = command.launch;
  launch.function = kernel.function();
  set_shape(kernel, shape, launch);
  launch.shared_bytes = shape.shared_bytes;
  launch.flags = shape.flags;
  launch.argument_count = arguments.size();
  launch.argument_stride = sizeof(bsc_plugin_argument);
  launch.arguments = space.arguments;
  launch.blob = space.blob;
  launch.blob_bytes = layout.bytes;
  if (!is_within_limits(kernel, launch)) [[unlikely]]
    return limit_fault(kernel, launch);
  const bool empty = launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
  if (!empty) out_commands = {&command, 1};
  return {};
}

}  // namespace bascule::core
