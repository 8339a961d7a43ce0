// Fills: by the plugin, or written from a repeated pattern where it has none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/runtime/error_handle.hpp"
#include "core/runtime/graph.hpp"
#include "core/runtime/launch.hpp"
#include "core/runtime/queue.hpp"

using namespace bascule::core;

namespace {

// How much of the pattern is laid out in host memory: later parts of a long fill are written from the same place.
constexpr std::uint64_t kPatternBytes = 256 * 1024;

bsc_plugin_command fill_command(const bsc_plugin_fill& fill) {
  bsc_plugin_command command{};
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = BSC_COMMAND_FILL;
  command.fill = fill;
  return command;
}

void repeat(const bsc_plugin_fill& fill, std::byte* out, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += fill.pattern_bytes)
    std::memcpy(out + at, fill.pattern, fill.pattern_bytes);
}

std::vector<bsc_plugin_command> writes_of(const bsc_plugin_fill& fill, std::byte* host, std::uint64_t host_bytes) {
  std::vector<bsc_plugin_command> commands;
  for (std::uint64_t at = 0; at < fill.bytes; at += host_bytes) {
    bsc_plugin_command command{};
    command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
    command.kind = BSC_COMMAND_WRITE;
    command.transfer = {fill.memory, host, fill.offset + at, std::min(host_bytes, fill.bytes - at)};
    commands.push_back(command);
  }
  return commands;
}

}  // namespace

void bascule::core::emulate_fills(GraphNode& node) {
  std::vector<bsc_plugin_command> commands;
  for (const bsc_plugin_command& command : node.commands) {
    if (command.kind != BSC_COMMAND_FILL) {
      commands.push_back(command);
      continue;
    }
    // One fill at most: a recorded fill, or the clearing of a launch's workspace.
    const std::uint64_t bytes = std::min(kPatternBytes, command.fill.bytes);
    node.host_data = std::make_unique<HostData>(bytes);
    repeat(command.fill, node.host_data->data(), bytes);
    const auto writes = writes_of(command.fill, node.host_data->data(), bytes);
    commands.insert(commands.end(), writes.begin(), writes.end());
  }
  node.commands = std::move(commands);
}

namespace {

Status check_pattern(std::uint64_t offset, std::uint64_t bytes, const void* pattern, std::uint64_t pattern_bytes) {
  if (!pattern) return invalid_argument("fill: pattern is NULL");
  const bool known =
      pattern_bytes == 1 || pattern_bytes == 2 || pattern_bytes == 4 || pattern_bytes == 8 || pattern_bytes == 16;
  if (!known) {
    return invalid_argument("fill: a pattern of " + std::to_string(pattern_bytes) + " bytes is not possible",
                            "use 1, 2, 4, 8 or 16 bytes");
  }
  if (offset % pattern_bytes != 0 || bytes % pattern_bytes != 0) {
    return invalid_argument("fill: offset " + std::to_string(offset) + " and size " + std::to_string(bytes) +
                            " must be multiples of the pattern's " + std::to_string(pattern_bytes) + " bytes");
  }
  return {};
}

}  // namespace

// While recording: an empty fill tells whether the plugin has fills, without doing anything.
Status bsc_queue::learn_fill() {
  auto memory = device_.allocate(0, BSC_BUFFER_DEVICE);
  if (!memory.ok()) return memory.take_error();
  bsc_plugin_fill nothing{};
  nothing.memory = (*memory)->handle();
  nothing.pattern_bytes = 1;
  const bsc_plugin_command command = fill_command(nothing);
  std::uint64_t value = 0;
  Status status = queue_->submit({&command, 1}, "filling", &value);
  if (!status.ok() && status.error().status != BSC_UNSUPPORTED) return status;
  if (status.ok()) (*memory)->uses.mark(queue_->timeline(), value);
  device_.fill = status.ok() ? bsc_device::Fill::kNative : bsc_device::Fill::kEmulated;
  device_.graveyard().bury(std::move(memory).value());
  return {};
}

Status bsc_queue::fill(bsc_buffer& buffer, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                       std::uint64_t pattern_bytes, bsc_event** out_event) {
  BSC_RETURN_IF_ERROR(check_pattern(offset, bytes, pattern, pattern_bytes));
  if (&buffer.device() != &device_) {
    return invalid_argument(std::string("fill: the buffer is on ") + buffer.device().info().id + ", the queue on " +
                            device_.info().id);
  }
  BSC_RETURN_IF_ERROR(buffer.check_range(offset, bytes, "fill"));
  using Fill = bsc_device::Fill;
  if (recorder_ && device_.fill == Fill::kUnknown) BSC_RETURN_IF_ERROR(learn_fill());
  bsc_plugin_fill fill{};
  fill.memory = buffer.memory().handle();
  fill.offset = offset;
  fill.bytes = bytes;
  fill.pattern_bytes = static_cast<std::uint32_t>(pattern_bytes);
  std::memcpy(fill.pattern, pattern, pattern_bytes);
  if (recorder_ && device_.fill == Fill::kEmulated) {
    GraphNode node;
    node.commands.push_back(fill_command(fill));
    node.buffers.push_back(Ref<bsc_buffer>::share(&buffer));
    emulate_fills(node);
    recorder_->add(std::move(node));
    if (out_event) *out_event = nullptr;
    return {};
  }
  if (device_.fill != Fill::kEmulated) {
    bsc_buffer* const buffers[] = {&buffer};
    Status status = run(fill_command(fill), "filling", buffers, out_event);
    if (status.ok() || status.error().status != BSC_UNSUPPORTED || device_.fill != Fill::kUnknown) return status;
    device_.fill = Fill::kEmulated;
  }
  std::uint64_t value = 0;
  BSC_RETURN_IF_ERROR(fill_by_writing(fill, buffer.uses(), &value));
  return finish(value, "filling", out_event);
}

Status bsc_queue::fill_by_writing(const bsc_plugin_fill& fill, Uses& uses, std::uint64_t* out_value) {
  const std::uint64_t bytes = std::min(kPatternBytes, fill.bytes);
  std::unique_ptr<std::byte[]> host(new std::byte[bytes]);
  repeat(fill, host.get(), bytes);
  BSC_RETURN_IF_ERROR(queue_->submit(writes_of(fill, host.get(), bytes), "filling", out_value));
  uses.mark(queue_->timeline(), *out_value);
  keep_until(*out_value, std::move(host));
  return {};
}

Status bsc_queue::clear_workspace(PreparedLaunch& prepared) {
  if (prepared.commands.empty() || prepared.commands.front().kind != BSC_COMMAND_FILL) return {};
  if (device_.fill == bsc_device::Fill::kUnknown) BSC_RETURN_IF_ERROR(learn_fill());
  if (device_.fill == bsc_device::Fill::kNative) return {};
  std::uint64_t value = 0;
  BSC_RETURN_IF_ERROR(fill_by_writing(prepared.commands.front().fill, prepared.workspace->uses, &value));
  prepared.commands = prepared.commands.subspan(1);
  return {};
}
