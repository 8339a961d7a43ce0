// The rules for commands. Faults are looked up only where something is about to be refused, so that a correct submission
// pays for none of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/null/validate.hpp"

#include "backends/null/device.hpp"
#include "backends/null/failure.hpp"

namespace bascule::null_backend {
namespace {

class Checker {
 public:
  Checker(const Device& device, Entry entry, bsc_plugin_error* error) : device_(device), entry_(entry), error_(error) {}

  bsc_status command(const bsc_plugin_command& command) const {
    switch (command.kind) {
      case BSC_COMMAND_LAUNCH: return launch(command.launch);
      case BSC_COMMAND_COPY: return copy(command.copy);
      case BSC_COMMAND_WRITE:
      case BSC_COMMAND_READ: return transfer(command.transfer);
      case BSC_COMMAND_FILL: return fill(command.fill);
      case BSC_COMMAND_WAIT: return wait(command.wait);
      default: break;
    }
    if (has_fault(Fault::submit_unknown_command_accepted)) return BSC_OK;
    return refuse(error_, BSC_UNSUPPORTED, entry_, "the command kind {} is unknown to this plugin", command.kind);
  }

 private:
  bsc_status limit(const char* name, std::uint64_t most, std::uint64_t asked) const {
    if (has_fault(Fault::submit_limit_missing_in_message)) {
      return refuse(error_, BSC_LIMIT_EXCEEDED, entry_, "too large");
    }
    return refuse(error_, BSC_LIMIT_EXCEEDED, entry_, "{} is {} on this device; the launch has {}", name, most, asked);
  }

  bsc_status range(bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes, Fault accepted_by) const {
    const auto* const memory = object<Memory>(handle);
    if (memory == nullptr) {
      return refuse_handle(error_, entry_name(entry_), handle, BSC_OBJECT_MEMORY, Fault::submit_memory_handle_unchecked);
    }
    if (&memory->device != &device_) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "the memory belongs to device null:{}, the queue to null:{}",
                    memory->device.index, device_.index);
    }
    if (offset <= memory->bytes && bytes <= memory->bytes - offset) [[likely]] return BSC_OK;
    if (has_fault(accepted_by)) return BSC_OK;
    if (has_fault(Fault::submit_wrapping_range_accepted) && offset + bytes <= memory->bytes) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "{} bytes at offset {} end beyond the memory's {} bytes", bytes,
                  offset, memory->bytes);
  }

  bsc_status copy(const bsc_plugin_copy& copy) const {
    BSC_PLUGIN_RETURN_IF_ERROR(
        range(copy.source, copy.source_offset, copy.bytes, Fault::submit_out_of_range_accepted));
    BSC_PLUGIN_RETURN_IF_ERROR(
        range(copy.destination, copy.destination_offset, copy.bytes, Fault::submit_out_of_range_accepted));
    if (copy.bytes == 0 && has_fault(Fault::submit_empty_copy_refused)) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "a copy of 0 bytes");
    }
    const std::uint64_t distance = copy.source_offset > copy.destination_offset
                                       ? copy.source_offset - copy.destination_offset
                                       : copy.destination_offset - copy.source_offset;
    if (copy.source != copy.destination || distance >= copy.bytes) [[likely]] return BSC_OK;
    if (has_fault(Fault::submit_overlap_accepted)) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_,
                  "the source [{}, +{}) and destination [{}, +{}) of a copy within one memory overlap", copy.source_offset,
                  copy.bytes, copy.destination_offset, copy.bytes);
  }

  bsc_status transfer(const bsc_plugin_transfer& transfer) const {
    BSC_PLUGIN_RETURN_IF_ERROR(
        range(transfer.memory, transfer.offset, transfer.bytes, Fault::submit_out_of_range_accepted));
    if (transfer.host != nullptr || transfer.bytes == 0) [[likely]] return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "the host range of a transfer of {} bytes is null",
                  transfer.bytes);
  }

  bsc_status fill(const bsc_plugin_fill& fill) const {
    BSC_PLUGIN_RETURN_IF_ERROR(range(fill.memory, fill.offset, fill.bytes, Fault::submit_out_of_range_accepted));
    const std::uint64_t size = fill.pattern_bytes;
    const bool known = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    if (!known) {
      if (has_fault(Fault::submit_fill_pattern_unchecked)) return BSC_OK;
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "a fill pattern of {} bytes; 1, 2, 4, 8 and 16 are allowed",
                    size);
    }
    if (((fill.offset | fill.bytes) & (size - 1)) == 0) [[likely]] return BSC_OK;
    if (has_fault(Fault::submit_fill_misaligned_accepted)) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_,
                  "a fill of {} bytes at offset {}: both must be multiples of the pattern's {} bytes", fill.bytes,
                  fill.offset, size);
  }

  bsc_status wait(const bsc_plugin_wait& wait) const {
    const auto* const queue = object<Queue>(wait.queue);
    if (queue == nullptr) {
      return refuse_handle(error_, entry_name(entry_), wait.queue, BSC_OBJECT_QUEUE,
                           Fault::submit_queue_handle_unchecked);
    }
    if (&queue->instance != &device_.instance) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "a wait for a queue of another instance; the host must wait");
    }
    const std::uint64_t submitted = queue->submitted.load(std::memory_order_acquire);
    if (wait.value <= submitted || has_fault(Fault::submit_wait_for_future_accepted)) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_,
                  "a wait for value {} of a queue whose last submission has value {}; only submitted points can be "
                  "waited for",
                  wait.value, submitted);
  }

  bsc_status launch(const bsc_plugin_launch& launch) const {
    const auto* const function = object<Function>(launch.function);
    if (function == nullptr) {
      return refuse_handle(error_, entry_name(entry_), launch.function, BSC_OBJECT_FUNCTION,
                           Fault::submit_function_handle_unchecked);
    }
    if (&function->module.device != &device_) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "the function \"{}\" was loaded on device null:{}, the queue is on null:{}",
                    function->name, function->module.device.index, device_.index);
    }
    BSC_PLUGIN_RETURN_IF_ERROR(shape(launch, function->module.host_format));
    return arguments(launch, *function);
  }

  bsc_status shape(const bsc_plugin_launch& launch, bool host_format) const {
    const bool empty = launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0;
    if (empty && has_fault(Fault::submit_empty_grid_refused)) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "the grid is empty");
    }
    for (int i = 0; i < 3; ++i) {
      if (launch.grid[i] > kMaxGrid[i] && !has_fault(Fault::submit_grid_limit_unchecked)) {
        return limit(i == 0 ? "max_grid[0]" : i == 1 ? "max_grid[1]" : "max_grid[2]", kMaxGrid[i], launch.grid[i]);
      }
    }
    if (launch.shared_bytes > kMaxShared && !has_fault(Fault::submit_shared_limit_unchecked)) {
      return limit("max_shared_bytes", kMaxShared, launch.shared_bytes);
    }
    if (host_format || empty) return BSC_OK;
    for (int i = 0; i < 3; ++i) {
      if (launch.block[i] == 0) {
        return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "block[{}] is 0", i);
      }
      if (launch.block[i] > kMaxBlock[i] && !has_fault(Fault::submit_block_limit_unchecked)) {
        return limit(i == 0 ? "max_block[0]" : i == 1 ? "max_block[1]" : "max_block[2]", kMaxBlock[i], launch.block[i]);
      }
    }
    const std::uint64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > kMaxBlockThreads && !has_fault(Fault::submit_block_limit_unchecked)) {
      return limit("max_block_threads", kMaxBlockThreads, threads);
    }
    return BSC_OK;
  }

  bsc_status arguments(const bsc_plugin_launch& launch, const Function& function) const {
    if (launch.blob_bytes > kMaxArgumentBytes && !has_fault(Fault::submit_argument_bytes_unchecked)) {
      return limit("max_argument_bytes", kMaxArgumentBytes, launch.blob_bytes);
    }
    if (function.argument_count != UINT64_MAX && launch.argument_count != function.argument_count &&
        !has_fault(Fault::submit_argument_count_unchecked)) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "the function \"{}\" takes {} arguments; the launch has {}",
                    function.name, function.argument_count, launch.argument_count);
    }
    if (launch.argument_count != 0 && (launch.arguments == nullptr || launch.argument_stride == 0)) {
      return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "{} arguments without an array or stride",
                    launch.argument_count);
    }
    const std::uint64_t stride = has_fault(Fault::submit_argument_stride_ignored) ? sizeof(bsc_plugin_argument)
                                                                                  : launch.argument_stride;
    for (std::uint64_t i = 0; i < launch.argument_count; ++i) {
      bsc_plugin_argument room;
      BSC_PLUGIN_RETURN_IF_ERROR(argument(launch, strided_element(launch.arguments, stride, i, room), i));
    }
    return BSC_OK;
  }

  bsc_status argument(const bsc_plugin_launch& launch, const bsc_plugin_argument& argument, std::uint64_t index) const {
    switch (argument.kind) {
      case BSC_ARGUMENT_VALUE: return in_blob(launch, argument.blob_offset, argument.bytes, index);
      case BSC_ARGUMENT_BUFFER: {
        // With SPLIT a length, else an address (of a host span the first half): null takes images of every format.
        constexpr std::uint64_t room = 8;
        BSC_PLUGIN_RETURN_IF_ERROR(in_blob(launch, argument.blob_offset, room, index));
        if (argument.memory == nullptr && argument.bytes == 0 && !has_fault(Fault::submit_null_memory_refused)) {
          return BSC_OK;
        }
        return range(argument.memory, argument.offset, argument.bytes, Fault::submit_argument_range_unchecked);
      }
      case BSC_ARGUMENT_LOCAL:
        if (argument.bytes <= kMaxShared || has_fault(Fault::submit_shared_limit_unchecked)) return BSC_OK;
        return limit("max_shared_bytes", kMaxShared, argument.bytes);
      default: break;
    }
    if (has_fault(Fault::submit_argument_kind_unchecked)) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_, "argument {} is of the unknown kind {}", index, argument.kind);
  }

  bsc_status in_blob(const bsc_plugin_launch& launch, std::uint64_t offset, std::uint64_t bytes,
                     std::uint64_t index) const {
    if (offset <= launch.blob_bytes && bytes <= launch.blob_bytes - offset) [[likely]] return BSC_OK;
    if (has_fault(Fault::submit_blob_range_unchecked)) return BSC_OK;
    return refuse(error_, BSC_INVALID_ARGUMENT, entry_,
                  "argument {}: {} bytes at blob offset {} end beyond the blob's {} bytes", index, bytes, offset,
                  launch.blob_bytes);
  }

  const Device& device_;
  const Entry entry_;
  bsc_plugin_error* const error_;
};

}  // namespace

bsc_status check_command(const Device& device, const bsc_plugin_command& command, Entry entry, bsc_plugin_error* error) {
  return Checker(device, entry, error).command(command);
}

bsc_status check_submission(const Device& device, const bsc_plugin_submission& submission, Entry entry,
                            bsc_plugin_error* error) {
  if (submission.command_count == 0) return BSC_OK;
  if (submission.commands == nullptr || submission.command_stride < sizeof(bsc_struct)) {
    return refuse(error, BSC_INVALID_ARGUMENT, entry, "{} commands without an array or stride", submission.command_count);
  }
  const Checker checker(device, entry, error);
  const std::uint64_t stride =
      has_fault(Fault::submit_command_stride_ignored) ? sizeof(bsc_plugin_command) : submission.command_stride;
  for (std::uint64_t i = 0; i < submission.command_count; ++i) {
    bsc_plugin_command room;
    BSC_PLUGIN_RETURN_IF_ERROR(checker.command(strided_element(submission.commands, stride, i, room)));
  }
  return BSC_OK;
}

}  // namespace bascule::null_backend
