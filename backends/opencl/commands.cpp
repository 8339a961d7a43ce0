// Checking and enqueueing the commands of a submission.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/commands.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/memory.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

constexpr std::string_view kCall = "queue.submit";

char* host_at(const Memory& memory, std::uint64_t offset) { return static_cast<char*>(memory.host) + offset; }

// Carries the end of an event of another context into ours. Has its own copies of the driver's functions: the driver may
// call back after the instance was closed.
struct Bridge {
  cl::Event user_event;
  cl::Int (*set_status)(cl::Event, cl::Int);
  cl::Int (*release)(cl::Event);
};

void cross_bridge(cl::Event, cl::Int status, void* context) {
  const std::unique_ptr<Bridge> bridge(static_cast<Bridge*>(context));
  bridge->set_status(bridge->user_event, std::min(status, cl::kComplete));
  bridge->release(bridge->user_event);
}

// An event in the context of `device` that ends like `event`, which belongs to another context.
bsc_status bridge_event(const Device& device, cl::Event event, OwnedEvent& bridged, bsc_plugin_error* error) {
  const cl::Api& api = device.api();
  cl::Int code = cl::kSuccess;
  bridged = OwnedEvent(api, api.clCreateUserEvent(device.context.get(), &code));
  BSC_PLUGIN_RETURN_IF_ERROR(Check(error)(code, "clCreateUserEvent"));
  api.clRetainEvent(bridged.get());
  auto bridge = std::make_unique<Bridge>(Bridge{bridged.get(), api.clSetUserEventStatus, api.clReleaseEvent});
  code = api.clSetEventCallback(event, cl::kComplete, cross_bridge, bridge.get());
  if (code == cl::kSuccess) {
    bridge.release();
  } else {
    api.clReleaseEvent(bridged.get());
  }
  return Check(error)(code, "clSetEventCallback");
}

}  // namespace

bsc_status CommandList::check_copy(const bsc_plugin_copy& copy, CheckedCommand& checked, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(
      find_memory(queue_.device, copy.source, copy.source_offset, copy.bytes, "copy source", checked.source, error));
  BSC_PLUGIN_RETURN_IF_ERROR(find_memory(queue_.device, copy.destination, copy.destination_offset, copy.bytes,
                                         "copy destination", checked.destination, error));
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
      find_memory(queue_.device, transfer.memory, transfer.offset, transfer.bytes, what, checked.source, error));
  if (transfer.host == nullptr && transfer.bytes != 0) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "{}: the host address is null", what);
  }
  checked.transfer = transfer;
  checked.empty = transfer.bytes == 0;
  return BSC_OK;
}

bsc_status CommandList::check_fill(const bsc_plugin_fill& fill, CheckedCommand& checked, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(find_memory(queue_.device, fill.memory, fill.offset, fill.bytes, "fill", checked.destination, error));
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
  if (&other->device.instance != &queue_.device.instance) {
    return fill_error(error, BSC_INVALID_ARGUMENT, kCall, "wait: the other queue belongs to another instance");
  }
  OwnedEvent event;
  BSC_PLUGIN_RETURN_IF_ERROR(other->event_of(wait.value, event, error));
  checked.empty = !event || other == &queue_;  // a queue is in order with itself
  if (checked.empty) return BSC_OK;
  if (&other->device == &queue_.device) {
    checked.wait = std::move(event);
    return BSC_OK;
  }
  return bridge_event(queue_.device, event.get(), checked.wait, error);
}

bsc_status CommandList::check_command(const bsc_plugin_command& command, CheckedCommand& checked, bsc_plugin_error* error) {
  checked.kind = command.kind;
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH:
      BSC_PLUGIN_RETURN_IF_ERROR(checked.launch.prepare(queue_.device, command.launch, error));
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
  times_ = (submission.flags & BSC_SUBMIT_TIMES) != 0;
  commands_.reserve(static_cast<std::size_t>(commands.size()));
  for (const bsc_plugin_command& command : commands) {
    CheckedCommand checked;
    BSC_PLUGIN_RETURN_IF_ERROR(check_command(command, checked, error));
    if (!checked.empty) commands_.push_back(std::move(checked));
  }
  return BSC_OK;
}

template <class Call>
bsc_status CommandList::issue(bool last, Call&& call) {
  const bool first = times_ && !started_;
  cl::Event event = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(std::forward<Call>(call)(static_cast<cl::Uint>(waits_.size()), waits_.empty() ? nullptr : waits_.data(),
                                                      first || last ? &event : nullptr));
  started_ = true;
  waits_.clear();
  const cl::Api& api = queue_.device.api();
  if (first) {
    if (last) api.clRetainEvent(event);
    first_ = OwnedEvent(api, event);
  }
  if (last) last_ = OwnedEvent(api, event);
  return BSC_OK;
}

bsc_status CommandList::enqueue_read(cl::Mem buffer, std::size_t offset, std::size_t bytes, void* host, bool last,
                                     bsc_plugin_error* error) {
  return issue(last, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
    return Check(error, "read")(queue_.device.api().clEnqueueReadBuffer(queue_.queue.get(), buffer, cl::kFalse, offset, bytes,
                                                                        host, wait_count, waits, event),
                                "clEnqueueReadBuffer");
  });
}

bsc_status CommandList::enqueue_write(cl::Mem buffer, std::size_t offset, std::size_t bytes, const void* host, bool last,
                                      bsc_plugin_error* error) {
  return issue(last, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
    return Check(error, "write")(queue_.device.api().clEnqueueWriteBuffer(queue_.queue.get(), buffer, cl::kFalse, offset, bytes,
                                                                          host, wait_count, waits, event),
                                 "clEnqueueWriteBuffer");
  });
}

bsc_status CommandList::enqueue_host_copy(const void* from, void* to, std::size_t bytes, bool last,
                                          bsc_plugin_error* error) {
  cl::Mem scratch = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(queue_.scratch(scratch, error));
  for (std::size_t done = 0; done < bytes; done += kScratchBytes) {
    const std::size_t part = std::min(kScratchBytes, bytes - done);
    BSC_PLUGIN_RETURN_IF_ERROR(enqueue_write(scratch, 0, part, static_cast<const char*>(from) + done, false, error));
    BSC_PLUGIN_RETURN_IF_ERROR(
        enqueue_read(scratch, 0, part, static_cast<char*>(to) + done, last && done + part == bytes, error));
  }
  return BSC_OK;
}

bsc_status CommandList::enqueue_copy(const CheckedCommand& command, bool last, bsc_plugin_error* error) {
  const Memory& from = *command.source;
  const Memory& to = *command.destination;
  const auto from_offset = static_cast<std::size_t>(command.copy.source_offset);
  const auto to_offset = static_cast<std::size_t>(command.copy.destination_offset);
  const auto bytes = static_cast<std::size_t>(command.copy.bytes);
  if (from.staged() && to.staged()) return enqueue_host_copy(host_at(from, from_offset), host_at(to, to_offset), bytes, last, error);
  if (from.staged()) return enqueue_write(to.buffer.get(), to_offset, bytes, host_at(from, from_offset), last, error);
  if (to.staged()) return enqueue_read(from.buffer.get(), from_offset, bytes, host_at(to, to_offset), last, error);
  return issue(last, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
    return Check(error, "copy")(
        queue_.device.api().clEnqueueCopyBuffer(queue_.queue.get(), from.buffer.get(), to.buffer.get(), from_offset, to_offset,
                                                bytes, wait_count, waits, event),
        "clEnqueueCopyBuffer");
  });
}

bsc_status CommandList::enqueue_fill(const CheckedCommand& command, bool last, bsc_plugin_error* error) {
  const bsc_plugin_fill& fill = command.fill;
  const Memory& memory = *command.destination;
  const auto bytes = static_cast<std::size_t>(fill.bytes);
  const auto enqueue = [&](cl::Mem buffer, std::size_t offset, std::size_t count, bool is_last) {
    return issue(is_last, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
      return Check(error, "fill")(
          queue_.device.api().clEnqueueFillBuffer(queue_.queue.get(), buffer, fill.pattern, fill.pattern_bytes, offset, count,
                                                  wait_count, waits, event),
          "clEnqueueFillBuffer");
    });
  };
  if (!memory.staged()) return enqueue(memory.buffer.get(), static_cast<std::size_t>(fill.offset), bytes, last);
  cl::Mem scratch = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(queue_.scratch(scratch, error));
  BSC_PLUGIN_RETURN_IF_ERROR(enqueue(scratch, 0, std::min(bytes, kScratchBytes), false));
  for (std::size_t done = 0; done < bytes; done += kScratchBytes) {
    const std::size_t part = std::min(kScratchBytes, bytes - done);
    BSC_PLUGIN_RETURN_IF_ERROR(
        enqueue_read(scratch, 0, part, host_at(memory, fill.offset + done), last && done + part == bytes, error));
  }
  return BSC_OK;
}

bsc_status CommandList::enqueue_marker(bsc_plugin_error* error) {
  return issue(true, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
    return Check(error)(queue_.device.api().clEnqueueMarkerWithWaitList(queue_.queue.get(), wait_count, waits, event),
                        "clEnqueueMarkerWithWaitList");
  });
}

bsc_status CommandList::enqueue_command(const CheckedCommand& command, bool last, bsc_plugin_error* error) {
  const auto offset = static_cast<std::size_t>(command.transfer.offset);
  const auto bytes = static_cast<std::size_t>(command.transfer.bytes);
  switch (command.kind) {
    case BSC_COMMAND_LAUNCH:
      return issue(last, [&](cl::Uint wait_count, const cl::Event* waits, cl::Event* event) {
        return command.launch.enqueue(queue_.device.api(), queue_.queue.get(), wait_count, waits, event, error);
      });
    case BSC_COMMAND_COPY: return enqueue_copy(command, last, error);
    case BSC_COMMAND_WRITE:
      if (command.source->staged()) {
        return enqueue_host_copy(command.transfer.host, host_at(*command.source, offset), bytes, last, error);
      }
      return enqueue_write(command.source->buffer.get(), offset, bytes, command.transfer.host, last, error);
    case BSC_COMMAND_READ:
      if (command.source->staged()) {
        return enqueue_host_copy(host_at(*command.source, offset), command.transfer.host, bytes, last, error);
      }
      return enqueue_read(command.source->buffer.get(), offset, bytes, command.transfer.host, last, error);
    case BSC_COMMAND_FILL: return enqueue_fill(command, last, error);
    default:  // BSC_COMMAND_WAIT; check() let no other pass
      waits_.push_back(command.wait.get());
      return BSC_OK;
  }
}

bsc_status CommandList::enqueue(Submission& out, bsc_plugin_error* error) {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    BSC_PLUGIN_RETURN_IF_ERROR(queue_.device.note(enqueue_command(commands_[i], i + 1 == commands_.size(), error)));
  }
  const bool wants_marker = !waits_.empty() || (times_ && !started_);
  if (wants_marker) BSC_PLUGIN_RETURN_IF_ERROR(queue_.device.note(enqueue_marker(error)));
  if (started_) {
    BSC_PLUGIN_RETURN_IF_ERROR(queue_.device.note(
        Check(error, "the work cannot be started")(queue_.device.api().clFlush(queue_.queue.get()), "clFlush")));
  }
  out.first = std::move(first_);
  out.last = std::move(last_);
  out.times = times_;
  return BSC_OK;
}

}  // namespace bascule::opencl
