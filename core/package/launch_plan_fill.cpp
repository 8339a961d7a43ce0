// Filling a bound call's commands, arguments and blobs into the caller's storage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "bascule/host_kernel.h"
#include "core/package/launch_plan.hpp"
#include "core/package/concat.hpp"

namespace bascule::core {
namespace {

void write_fill(bsc_plugin_command& command, bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes) {
  command = {};
  command.header = {sizeof(bsc_plugin_command), BSC_STRUCT_COMMAND, nullptr};
  command.kind = BSC_COMMAND_FILL;
  command.fill.memory = memory;
  command.fill.offset = offset;
  command.fill.bytes = bytes;
  command.fill.pattern_bytes = 1;
}

std::uint64_t round_up_to_line(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// With the size known to the compiler in the usual cases: a call of memcpy costs as much as the rest of an argument.
inline void copy_value(std::byte* to, const void* from, unsigned bytes) {
  if (bytes == 8) std::memcpy(to, from, 8);
  else if (bytes == 4) std::memcpy(to, from, 4);
  else std::memcpy(to, from, bytes);
}

}  // namespace

Status LaunchPlan::fill(std::span<const BoundArgument> arguments, const LaunchShape& shape, const BoundCall& bound,
                        bsc_plugin_memory workspace, std::uint64_t workspace_offset, const Storage& storage) const {
  if (bound.command_count == 0) return {};
  bsc_plugin_command* command = storage.commands;
  bsc_plugin_argument* next_argument = storage.arguments;
  std::byte* blob = storage.blob;
  if (variant_->clear_workspace && bound.workspace_bytes != 0) {
    write_fill(*command++, workspace, workspace_offset, bound.workspace_bytes);
  }
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const CompiledLaunch& compiled = launches_[i];
    const BoundLaunch& launch = bound.launches[i];
    std::uint64_t block_offset = 0;
    for (std::uint64_t part = 0; part < launch.parts; ++part, ++command) {
      command->header = {sizeof(bsc_plugin_command), BSC_STRUCT_COMMAND, nullptr};
      command->kind = BSC_COMMAND_LAUNCH;
      bsc_plugin_launch& out = command->launch;
      out.function = compiled.function;
      for (std::size_t d = 0; d < 3; ++d) {
        out.grid[d] = launch.grid[d];
        out.block[d] = launch.block[d];
        out.cluster[d] = launch.cluster[d];
      }
      if (launch.parts > 1) out.grid[0] = std::min(device_->max_grid[0], launch.grid[0] - block_offset);
      out.shared_bytes = launch.shared_bytes;
      out.flags = compiled.flags | shape.flags;
      out.argument_count = compiled.arguments.size();
      out.argument_stride = sizeof(bsc_plugin_argument);
      out.arguments = next_argument;
      out.blob = blob;
      out.blob_bytes = compiled.blob_bytes;
      for (const Argument& argument : compiled.arguments) {
        bsc_plugin_argument& target = *next_argument++;
        target = argument.prepared;
        if (argument.source == ArgumentSource::parameter) [[likely]] {
          fill_parameter(argument, arguments[argument.parameter], blob + target.blob_offset, target);
        } else {
          BSC_RETURN_IF_ERROR(
              fill_derived(argument, bound, workspace, workspace_offset, block_offset, blob + target.blob_offset, target));
        }
      }
      blob += round_up_to_line(compiled.blob_bytes);
      block_offset += out.grid[0];
    }
  }
  return {};
}

void LaunchPlan::fill_parameter(const Argument& argument, const BoundArgument& given, std::byte* place,
                                bsc_plugin_argument& out) noexcept {
  if (!given.is_buffer) return copy_value(place, given.value, argument.value_bytes);
  out.memory = given.memory;
  out.offset = given.offset;
  out.bytes = given.bytes;
  write_buffer_place(argument, out, place);
}

// What a split buffer's length is read from; elsewhere room that is the plugin's to fill.
void LaunchPlan::write_buffer_place(const Argument& argument, const bsc_plugin_argument& out, std::byte* place) noexcept {
  const std::uint64_t length = (out.flags & BSC_ARGUMENT_SPLIT) != 0 ? out.bytes >> argument.shift : 0;
  std::memcpy(place, &length, sizeof length);
  if (argument.value_bytes == sizeof(bsc_host_span)) std::memset(place + sizeof length, 0, sizeof length);
}

Status LaunchPlan::fill_derived(const Argument& argument, const BoundCall& call, bsc_plugin_memory workspace,
                                std::uint64_t workspace_offset, std::uint64_t block_offset, std::byte* place,
                                bsc_plugin_argument& out) const {
  switch (argument.source) {
    case ArgumentSource::parameter:
      break;
    case ArgumentSource::value: {
      std::uint64_t value = 0;
      BSC_RETURN_IF_ERROR(evaluate(argument.planned->expression, call, value));
      if (value > integer_maximum(argument.planned->type)) {
        return wrong(concat("`", argument.planned->expression.text(), "` is ", value, ", which ",
                          element_type_name(argument.planned->type), " cannot hold"),
                     "pass smaller sizes");
      }
      std::memcpy(place, &value, argument.value_bytes);  // little-endian: the low bytes come first
      return {};
    }
    case ArgumentSource::workspace: {
      std::uint64_t offset = 0;
      std::uint64_t end = 0;
      BSC_RETURN_IF_ERROR(evaluate(argument.planned->expression, call, offset));
      BSC_RETURN_IF_ERROR(evaluate(argument.planned->bytes, call, out.bytes));
      if (__builtin_add_overflow(offset, out.bytes, &end) || end > call.workspace_bytes) {
        return named(Error{BSC_INVALID_PACKAGE, concat("its plan takes bytes ", offset, " + ", out.bytes, " of a workspace of ",
                                                     call.workspace_bytes, " bytes"),
                           "correct the workspace expressions of the plan"});
      }
      const ElementType type = argument.planned->type;
      if (offset % element_bytes(type) != 0) {
        return named(Error{BSC_INVALID_PACKAGE, concat("its plan takes byte ", offset, " of the workspace, which is no multiple of the ",
                                                       element_bytes(type), " bytes of ", element_type_name(type)),
                           "correct the workspace expressions of the plan"});
      }
      out.memory = workspace;
      out.offset = workspace_offset + offset;
      write_buffer_place(argument, out, place);
      break;
    }
    case ArgumentSource::local:
      return evaluate(argument.planned->expression, call, out.bytes);
    case ArgumentSource::block_offset:
      std::memcpy(place, &block_offset, sizeof block_offset);
      break;
  }
  return {};
}

}  // namespace bascule::core
