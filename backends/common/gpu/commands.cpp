// Checking and enqueueing commands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/commands.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/plugin.hpp"
#include "backends/common/gpu/queue.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::string_view kCall = "queue.submit";

template <class Value>
Value pattern_value(const std::uint8_t* pattern) {
  Value value;
  std::memcpy(&value, pattern, sizeof value);
  return value;
}

// The shortest pattern that repeats to the same bytes.
std::uint32_t shortest_period(const bsc_plugin_fill& fill) {
  std::uint32_t period = fill.pattern_bytes;
  while (period > 1 && std::memcmp(fill.pattern, fill.pattern + period / 2, period / 2) == 0) period /= 2;
  return period;
}

// 8 and 16 bytes: written once, then doubled by copies.
bsc_status enqueue_long_fill(StreamTarget& target, Address to, std::uint64_t bytes, const std::uint8_t* pattern,
                             std::uint32_t period, bsc_plugin_error* error) {
  const Api& api = target.device.api();
  for (std::uint32_t at = 0; at < period; at += sizeof(std::uint32_t)) {
    BSC_PLUGIN_RETURN_IF_ERROR(target.enqueue(error, "fill", api.fill_32, to + at, pattern_value<std::uint32_t>(pattern + at),
                                           std::size_t{1}, target.stream));
  }
  for (std::uint64_t done = period; done < bytes;) {
    const std::uint64_t part = std::min(done, bytes - done);
    BSC_PLUGIN_RETURN_IF_ERROR(target.enqueue(error, "fill", api.copy_on_device, to + done, to, part, target.stream));
    done += part;
  }
  return BSC_OK;
}

bsc_status enqueue_fill(StreamTarget& target, const CheckedCommand& command, bsc_plugin_error* error) {
  const bsc_plugin_fill& fill = command.fill;
  const Api& api = target.device.api();
  const Address to = command.destination->address + fill.offset;
  const std::uint32_t period = shortest_period(fill);
  const std::uint64_t count = fill.bytes / period;
  switch (period) {
    case 1: return target.enqueue(error, "fill", api.fill_8, to, fill.pattern[0], count, target.stream);
    case 2:
      return target.enqueue(error, "fill", api.fill_16, to, pattern_value<std::uint16_t>(fill.pattern), count, target.stream);
    case 4:
      return target.enqueue(error, "fill", api.fill_32, to, pattern_value<std::uint32_t>(fill.pattern), count, target.stream);
    default: return enqueue_long_fill(target, to, fill.bytes, fill.pattern, period, error);
  }
}

bsc_status enqueue_copy(StreamTarget& target, const CheckedCommand& command, bsc_plugin_error* error) {
  const Api& api = target.device.api();
  const Memory& from = *command.source;
  const Memory& to = *command.destination;
  const bsc_plugin_copy& copy = command.copy;
  const Address destination = to.address + copy.destination_offset;
  if (from.host != nullptr && to.host == nullptr) {
    return target.enqueue(error, "copy", api.copy_to_device, destination, static_cast<char*>(from.host) + copy.source_offset,
                       copy.bytes, target.stream);
  }
  const Address source = from.address + copy.source_offset;
  if (to.host != nullptr && from.host == nullptr) {
    return target.enqueue(error, "copy", api.copy_to_host, static_cast<char*>(to.host) + copy.destination_offset, source,
                       copy.bytes, target.stream);
  }
  return target.enqueue(error, "copy", api.copy_on_device, destination, source, copy.bytes, target.stream);
}

}  // namespace

bsc_status CommandList::check_copy(const bsc_plugin_copy& copy, CheckedCommand& checked, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(
      find_memory(device_, copy.source, copy.source_offset, copy.bytes, "copy source", checked.source, error));
  BSC_PLUGIN_RETURN_IF_ERROR(find_memory(device_, copy.destination, copy.destination_offset, copy.bytes, "copy destination",
                                         checked.destination, error));
  const std::uint64_t low = std::min(copy.source_offset, copy.destination_offset);
  const std::uint64_t high = std::max(copy.source_offset, copy.destination_offset);
  if (checked.source == checked.destination && copy.bytes > high - low) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "copy: {} bytes at {} and at {} of the same memory overlap", copy.bytes,
                      copy.source_offset, copy.destination_offset);
  }
  checked.copy = copy;
  checked.empty = copy.bytes == 0;
  return BSC_OK;
}

bsc_status CommandList::check_transfer(const bsc_plugin_transfer& transfer, CheckedCommand& checked,
                                       bsc_plugin_error* error) {
  const char* const what = checked.kind == BSC_COMMAND_READ ? "read" : "write";
  BSC_PLUGIN_RETURN_IF_ERROR(
      find_memory(device_, transfer.memory, transfer.offset, transfer.bytes, what, checked.source, error));
  if (transfer.host == nullptr && transfer.bytes != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: the host address is null", what);
  }
  checked.transfer = transfer;
  checked.empty = transfer.bytes == 0;
  return BSC_OK;
}

bsc_status CommandList::check_fill(const bsc_plugin_fill& fill, CheckedCommand& checked, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(find_memory(device_, fill.memory, fill.offset, fill.bytes, "fill", checked.destination, error));
  if (!std::has_single_bit(fill.pattern_bytes) || fill.pattern_bytes > sizeof fill.pattern) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "fill: a pattern has 1, 2, 4, 8 or 16 bytes, not {}",
                      fill.pattern_bytes);
  }
  if (fill.offset % fill.pattern_bytes != 0 || fill.bytes % fill.pattern_bytes != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "fill: offset {} and size {} must be multiples of the pattern's {} bytes",
                      fill.offset, fill.bytes, fill.pattern_bytes);
  }
  checked.fill = fill;
  checked.empty = fill.bytes == 0;
  return BSC_OK;
}

bsc_status CommandList::check_wait(const bsc_plugin_wait& wait, CheckedCommand& checked, bsc_plugin_error* error) {
  auto* const other = backend::object_cast<Queue>(wait.queue, plugin_api());
  if (other == nullptr) return backend::fill_handle_error(error, kCall, wait.queue, BSC_OBJECT_QUEUE);
  if (&other->device.instance != &device_.instance) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "wait: the other queue belongs to another instance");
  }
  checked.wait = wait;
  return other->check_value(wait.value, error);
}

bsc_status CommandList::check_command(const bsc_plugin_command& command, CheckedCommand& checked, bsc_plugin_error* error) {
  checked.kind = command.kind;
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH:
      BSC_PLUGIN_RETURN_IF_ERROR(checked.launch.prepare(device_, command.launch, error));
      checked.empty = checked.launch.empty();
      return BSC_OK;
    case BSC_COMMAND_COPY: return check_copy(command.copy, checked, error);
    case BSC_COMMAND_WRITE:
    case BSC_COMMAND_READ: return check_transfer(command.transfer, checked, error);
    case BSC_COMMAND_FILL: return check_fill(command.fill, checked, error);
    case BSC_COMMAND_WAIT: return check_wait(command.wait, checked, error);
    default: return fill_error(error, BSC_UNSUPPORTED, kCall, "command kind {} is unknown to this backend", command.kind);
  }
}

bsc_status CommandList::check(const bsc_plugin_submission& submission, bsc_plugin_error* error) {
  const backend::StridedSpan<bsc_plugin_command> commands(submission.commands, submission.command_count,
                                                          submission.command_stride);
  if (!commands.valid()) return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "the command array is null or has no stride");
  commands_.reserve(static_cast<std::size_t>(commands.size()));
  for (const bsc_plugin_command& command : commands) {
    CheckedCommand checked;
    BSC_PLUGIN_RETURN_IF_ERROR(check_command(command, checked, error));
    commands_.push_back(std::move(checked));
  }
  return BSC_OK;
}

bsc_status enqueue_wait(StreamTarget& target, const bsc_plugin_wait& wait, bsc_plugin_error* error) {
  auto* const other = backend::object_cast<Queue>(wait.queue, plugin_api());
  if (other == nullptr) return backend::fill_handle_error(error, kCall, wait.queue, BSC_OBJECT_QUEUE);
  if (other->stream == target.stream) return BSC_OK;  // a stream is in order with itself
  Event event;
  BSC_PLUGIN_RETURN_IF_ERROR(other->event_of(wait.value, event, error));
  if (event == nullptr) return BSC_OK;  // completed
  return target.enqueue(error, "wait", target.device.api().stream_wait_event, target.stream, event.get(), 0u);
}

bsc_status enqueue_command(StreamTarget& target, const CheckedCommand& command, bsc_plugin_error* error) {
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH:
      BSC_PLUGIN_RETURN_IF_ERROR(command.launch.enqueue(target.stream, error));
      target.started = true;
      return BSC_OK;
    case BSC_COMMAND_COPY: return enqueue_copy(target, command, error);
    case BSC_COMMAND_WRITE:
      return enqueue_write(target, command.source->address + command.transfer.offset, command.transfer.host,
                           static_cast<std::size_t>(command.transfer.bytes), error);
    case BSC_COMMAND_READ:
      return enqueue_read(target, command.transfer.host, command.source->address + command.transfer.offset,
                          static_cast<std::size_t>(command.transfer.bytes), error);
    case BSC_COMMAND_FILL: return enqueue_fill(target, command, error);
    default: return enqueue_wait(target, command.wait, error);  // check() let no other kind pass
  }
}

}  // namespace bascule::gpu
