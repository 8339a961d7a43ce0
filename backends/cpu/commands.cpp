// The commands of a submission: handles resolved, ranges checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/commands.hpp"

#include <memory>

#include "backends/common/error.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/executor/work_queue.hpp"
#include "backends/cpu/host_launch.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/memory.hpp"
#include "backends/cpu/plugin.hpp"
#include "backends/cpu/queue.hpp"
#include "backends/cpu/transfers.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

bsc_status read_copy(const Device& device, const bsc_plugin_copy& copy, std::unique_ptr<Command>& out,
                     bsc_plugin_error* error) {
  std::byte *source = nullptr, *destination = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(resolve_range(device, copy.source, copy.source_offset, copy.bytes, source, error));
  BSC_PLUGIN_RETURN_IF_ERROR(
      resolve_range(device, copy.destination, copy.destination_offset, copy.bytes, destination, error));
  const std::uint64_t distance = copy.source_offset > copy.destination_offset
                                     ? copy.source_offset - copy.destination_offset
                                     : copy.destination_offset - copy.source_offset;
  if (copy.source == copy.destination && distance < copy.bytes) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "a copy of {} bytes within one memory from offset {} to {} overlaps itself; copy through another buffer",
                      copy.bytes, copy.source_offset, copy.destination_offset);
  }
  out = std::make_unique<CopyCommand>(destination, source, copy.bytes);
  return BSC_OK;
}

bsc_status read_transfer(const Device& device, const bsc_plugin_transfer& transfer, bool to_device,
                         std::unique_ptr<Command>& out, bsc_plugin_error* error) {
  std::byte* address = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(resolve_range(device, transfer.memory, transfer.offset, transfer.bytes, address, error));
  if (transfer.host == nullptr && transfer.bytes != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "the host range of a transfer of {} bytes is null",
                      transfer.bytes);
  }
  auto* const host = static_cast<std::byte*>(transfer.host);
  out = to_device ? std::make_unique<CopyCommand>(address, host, transfer.bytes)
                  : std::make_unique<CopyCommand>(host, address, transfer.bytes);
  return BSC_OK;
}

bsc_status read_fill(const Device& device, const bsc_plugin_fill& fill, std::unique_ptr<Command>& out,
                     bsc_plugin_error* error) {
  std::byte* address = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(resolve_range(device, fill.memory, fill.offset, fill.bytes, address, error));
  const std::uint64_t size = fill.pattern_bytes;
  if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "a fill pattern of {} bytes; 1, 2, 4, 8 and 16 are allowed", size);
  }
  if (fill.offset % size != 0 || fill.bytes % size != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "a fill of {} bytes at offset {}: both must be multiples of the pattern's {} bytes", fill.bytes,
                      fill.offset, size);
  }
  out = std::make_unique<FillCommand>(address, fill.bytes, fill.pattern, fill.pattern_bytes);
  return BSC_OK;
}

bsc_status read_wait(const Device& device, const bsc_plugin_wait& wait, std::unique_ptr<Command>& out,
                     bsc_plugin_error* error) {
  auto* const queue = backend::object_cast<Queue>(wait.queue, plugin_api());
  if (queue == nullptr) return backend::fill_handle_error(error, "queue.submit", wait.queue, BSC_OBJECT_QUEUE);
  if (&queue->device.instance != &device.instance) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "a wait for a queue of another instance of the cpu backend; the host must wait for it");
  }
  if (wait.value > queue->work->submitted()) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit",
                      "a wait for value {} of a queue whose last submission has value {}; only submitted points can be "
                      "waited for",
                      wait.value, queue->work->submitted());
  }
  out = std::make_unique<WaitCommand>(queue->work, wait.value);
  return BSC_OK;
}

bsc_status read_command(const Device& device, const bsc_plugin_command& command, std::unique_ptr<Command>& out,
                        bsc_plugin_error* error) {
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH: return read_host_launch(device, command.launch, out, error);
    case BSC_COMMAND_COPY: return read_copy(device, command.copy, out, error);
    case BSC_COMMAND_WRITE: return read_transfer(device, command.transfer, true, out, error);
    case BSC_COMMAND_READ: return read_transfer(device, command.transfer, false, out, error);
    case BSC_COMMAND_FILL: return read_fill(device, command.fill, out, error);
    case BSC_COMMAND_WAIT: return read_wait(device, command.wait, out, error);
    default:
      return fill_error(error, BSC_UNSUPPORTED, "queue.submit", "the command kind {} is unknown to the cpu backend",
                        command.kind);
  }
}

}  // namespace

bsc_status resolve_range(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                         std::byte*& out_address, bsc_plugin_error* error) {
  auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, "queue.submit", handle, BSC_OBJECT_MEMORY);
  if (&memory->device != &device) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "the memory belongs to another instance of the cpu backend");
  }
  if (offset > memory->bytes || bytes > memory->bytes - offset) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} bytes at offset {} end beyond the memory's {} bytes",
                      bytes, offset, memory->bytes);
  }
  out_address = memory->data != nullptr ? memory->data + offset : nullptr;
  return BSC_OK;
}

bsc_status read_commands(const Device& device, const bsc_plugin_submission& submission, CommandList& commands,
                         bsc_plugin_error* error) {
  const backend::StridedSpan<bsc_plugin_command> given(submission.commands, submission.command_count,
                                                       submission.command_stride);
  if (!given.valid()) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "queue.submit", "{} commands without an array or stride",
                      submission.command_count);
  }
  for (const bsc_plugin_command& command : given) {
    std::unique_ptr<Command> made;
    BSC_PLUGIN_RETURN_IF_ERROR(read_command(device, command, made, error));
    commands.push_back(std::move(made));
  }
  return BSC_OK;
}

}  // namespace bascule::cpu
