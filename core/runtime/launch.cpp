// Launches: reading the options, checking arguments, filling the commands of a plan.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/launch.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>

#include "core/runtime/buffer.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/raw_launch.hpp"
#include "core/runtime/sized.hpp"

namespace bascule::core {
namespace {

[[gnu::cold]] Error argument_error(const bsc_kernel& kernel, std::size_t index, std::string message,
                                   std::string remedy) {
  return invalid_argument(launch_name(kernel) + ", argument " + std::to_string(index) + ": " + std::move(message),
                          std::move(remedy));
}

// The common case, decided without making anything. What is not fine gets its message from argument_fault().
inline bool is_fine(const bsc_kernel& kernel, const bsc_device& device, const bsc_argument& argument) {
  switch (argument.kind) {
    case BSC_ARG_BUFFER: {
      const bsc_buffer* buffer = argument.buffer;
      if (!buffer) return argument.bytes == 0 && argument.offset == 0;
      return buffer->is(ObjectKind::kBuffer) && &buffer->device() == &device && argument.offset <= buffer->bytes() &&
             argument.bytes <= buffer->bytes() - argument.offset;
    }
    case BSC_ARG_VALUE:
      return argument.value && argument.bytes != 0;
    case BSC_ARG_LOCAL:
      return !kernel.plan();
    default:
      return false;
  }
}

[[gnu::cold]] Error buffer_fault(const bsc_kernel& kernel, const bsc_device& device, std::size_t index,
                                 const bsc_argument& argument) {
  if (!argument.buffer) {
    return argument_error(kernel, index,
                          "the buffer is NULL, but " + std::to_string(argument.bytes) + " bytes of it are named",
                          "give a buffer, or 0 bytes");
  }
  if (!argument.buffer->is(ObjectKind::kBuffer)) return handle_error(argument.buffer, "an argument's buffer");
  if (&argument.buffer->device() != &device) {
    return argument_error(
        kernel, index,
        std::string("the buffer is on ") + argument.buffer->device().info().id + ", the queue on " + device.info().id,
        "copy it with bsc_queue_copy first");
  }
  const Status range = argument.buffer->check_range(argument.offset, argument.bytes, "launch");
  return argument_error(kernel, index, range.error().message, range.error().remedy);
}

[[gnu::cold]] Error argument_fault(const bsc_kernel& kernel, const bsc_device& device, std::size_t index,
                                   const bsc_argument& argument) {
  switch (argument.kind) {
    case BSC_ARG_VALUE:
      return argument_error(kernel, index, "a value needs an address and at least one byte", "set .value and .bytes");
    case BSC_ARG_BUFFER:
      return buffer_fault(kernel, device, index, argument);
    case BSC_ARG_LOCAL:
      return argument_error(kernel, index, "local memory is given by the plan of a contract, not by the caller",
                            "leave it out");
    default:
      return argument_error(kernel, index, "kind " + std::to_string(argument.kind) + " is unknown",
                            "use BSC_ARG_VALUE, BSC_ARG_BUFFER or BSC_ARG_LOCAL");
  }
}

// Grid dimensions that were left at 0 count as 1, unless the caller says that the grid counts as it is.
inline LaunchShape shape_of(const bsc_launch_options& options) {
  const std::uint64_t least = options.has_grid ? 0 : 1;
  const auto at_least = [least](std::uint64_t size) { return std::max(size, least); };
  return LaunchShape{.has_work_items = options.has_work_items || options.work_items,
                     .work_items = options.work_items,
                     .has_grid = options.has_grid || options.grid[0] || options.grid[1] || options.grid[2],
                     .grid = {at_least(options.grid[0]), at_least(options.grid[1]), at_least(options.grid[2])},
                     .block = {options.block[0], options.block[1], options.block[2]},
                     .cluster = {options.cluster[0], options.cluster[1], options.cluster[2]},
                     .shared_bytes = options.shared_bytes,
                     .flags = (options.cooperative ? std::uint64_t{BSC_LAUNCH_COOPERATIVE} : 0) |
                              (options.streaming ? std::uint64_t{BSC_LAUNCH_STREAMING} : 0)};
}

Status prepare_plan(const LaunchPlan& plan, bsc_device& device, const LaunchShape& shape,
                    std::span<const BoundArgument> arguments, const Timeline* timeline, CommandStorage& storage,
                    PreparedLaunch& out) {
  BoundCall call;
  BSC_RETURN_IF_ERROR(plan.bind(arguments, shape, call));
  if (call.command_count == 0) return {};
  bsc_plugin_memory workspace = nullptr;
  if (call.workspace_bytes != 0) {
    auto memory = device.allocate_pooled(call.workspace_bytes, timeline);
    if (!memory.ok()) return memory.take_error();
    out.workspace = std::move(memory).value();
    workspace = out.workspace->handle();
  }
  const LaunchPlan::Storage space = storage.reserve(plan.storage_for(call));
  BSC_RETURN_IF_ERROR(plan.fill(arguments, shape, call, workspace, 0, space));
  out.commands = {space.commands, call.command_count};
  return {};
}

}  // namespace

std::string launch_name(const bsc_kernel& kernel) {
  std::string name = "kernel " + kernel.name();
  if (!kernel.variant().empty()) name += ", variant " + kernel.variant();
  return name;
}

Status prepare_launch(bsc_kernel& kernel, bsc_device& device, const bsc_launch_options* options,
                      std::span<const bsc_argument> arguments, const Timeline* timeline, CommandStorage& storage,
                      PreparedLaunch& out) {
  if (&kernel.device() != &device) {
    return invalid_argument(
        launch_name(kernel) + " was loaded for " + kernel.device().info().id + ", the queue is on " + device.info().id,
        "create the kernel on the queue's device");
  }
  bsc_launch_options older;  // as read from a caller with another size of the struct, or NULL
  if (!options || options->size != sizeof older) [[unlikely]] {
    auto read = read_sized(options, "bsc_launch_options");
    if (!read.ok()) return read.take_error();
    older = *read;
    options = &older;
  }
  const LaunchShape shape = shape_of(*options);
  if (shape.has_grid && shape.has_work_items) [[unlikely]] {
    return invalid_argument("both work_items and grid were given", "give one: with work_items the plan picks the grid");
  }
  if (arguments.size() > kMaxParameters) {
    return invalid_argument(launch_name(kernel) + ": " + std::to_string(arguments.size()) +
                            " arguments given, at most " + std::to_string(kMaxParameters) + " are possible");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_fine(kernel, device, arguments[i])) [[unlikely]]
      return argument_fault(kernel, device, i, arguments[i]);
  }
  const LaunchPlan* plan = kernel.plan();
  if (!plan) return prepare_raw_launch(kernel, shape, arguments, storage, out.commands);

  // Storage for the largest call; only what is used is initialised.
  alignas(BoundArgument) std::byte space[kMaxParameters * sizeof(BoundArgument)];
  auto* const bound = reinterpret_cast<BoundArgument*>(space);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bsc_argument& argument = arguments[i];
    const bool is_buffer = argument.kind == BSC_ARG_BUFFER;
    new (bound + i) BoundArgument{.is_buffer = is_buffer,
                                  .value = argument.value,
                                  .bytes = argument.bytes,
                                  .memory = is_buffer && argument.buffer ? argument.buffer->memory().handle() : nullptr,
                                  .offset = argument.offset};
  }
  return prepare_plan(*plan, device, shape, {bound, arguments.size()}, timeline, storage, out);
}

}  // namespace bascule::core
