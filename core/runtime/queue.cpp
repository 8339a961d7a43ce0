// Queues: launches, transfers, waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/queue.hpp"

#include <array>
#include <cstring>
#include <string>

#include "core/runtime/copy_through_host.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/event.hpp"
#include "core/runtime/graph.hpp"
#include "core/runtime/launch.hpp"

using namespace bascule::core;

namespace {

bsc_plugin_command command_of(std::uint32_t kind) {
  bsc_plugin_command command{};
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = kind;
  return command;
}

Status check_buffer(const bsc_buffer& buffer, const bsc_device& device, std::uint64_t offset, std::uint64_t bytes,
                    const char* what) {
  if (&buffer.device() != &device) {
    return invalid_argument(
        std::string(what) + ": the buffer is on " + buffer.device().info().id + ", the queue on " + device.info().id,
        "use a queue of the buffer's device, or bsc_queue_copy");
  }
  return buffer.check_range(offset, bytes, what);
}

Status check_host(const void* data, std::uint64_t bytes, const char* what) {
  if (data || bytes == 0) return {};
  return invalid_argument(std::string(what) + ": data is NULL with " + std::to_string(bytes) + " bytes");
}

}  // namespace

Result<Ref<bsc_queue>> bsc_queue::create(bsc_device& device, const bsc_queue_options& options) {
  auto queue = PluginQueue::create(device, {.compute_unit_limit = options.compute_unit_limit,
                                            .priority = options.priority,
                                            .profile = options.profile != 0});
  if (!queue.ok()) return queue.take_error();
  return make_ref<bsc_queue>(device, std::move(queue).value(), options.debug_sync != 0);
}

bsc_queue::bsc_queue(bsc_device& device, std::shared_ptr<PluginQueue> queue, bool debug_sync)
    : Object(kKind),
      instance_(Ref<bsc_instance>::share(&device.instance())),
      device_(device),
      queue_(std::move(queue)),
      debug_sync_(debug_sync) {}

bsc_queue::~bsc_queue() {
  // Host memory and other queues that this work uses must outlive it. Its errors went to whoever waited.
  (void)queue_->wait(submitted(), BSC_FOREVER);
  awaited_.clear();
  queue_.reset();
  device_.graveyard().collect();
}

Status bsc_queue::synchronise(std::uint64_t value, const std::string& what) {
  Status status = queue_->wait(value, BSC_FOREVER);
  if (status.ok()) return {};
  Error error = status.take_error();
  error.message = what + ": " + error.message;
  return error;
}

Status bsc_queue::finish(std::uint64_t value, const char* what, bsc_event** out_event) {
  Ref<bsc_event> event;
  if (out_event) {
    event = make_ref<bsc_event>(*this);
    event->set_value(value);
  }
  if (debug_sync_) BSC_RETURN_IF_ERROR(synchronise(value, what));
  if (out_event) *out_event = event.detach();
  return {};
}

Status bsc_queue::run(const bsc_plugin_command& command, const char* what, std::span<bsc_buffer* const> buffers,
                      bsc_event** out_event) {
  if (recorder_) {
    GraphNode node;
    node.commands.push_back(command);
    for (bsc_buffer* buffer : buffers) node.buffers.push_back(Ref<bsc_buffer>::share(buffer));
    recorder_->add(std::move(node));
    if (out_event) *out_event = nullptr;
    return {};
  }
  std::uint64_t value = 0;
  BSC_RETURN_IF_ERROR(queue_->submit({&command, 1}, what, &value));
  for (bsc_buffer* buffer : buffers) buffer->uses().mark(queue_->timeline(), value);
  return finish(value, what, out_event);
}

Status bsc_queue::launch(bsc_kernel& kernel, const bsc_launch_options* options, std::span<const bsc_argument> arguments,
                         bsc_event** out_event) {
  if (recorder_) [[unlikely]] {
    auto node = launch_node(kernel, device_, options, arguments);
    if (!node.ok()) return node.take_error();
    const auto& commands = node->commands;
    const bool fills = !commands.empty() && commands.front().kind == BSC_COMMAND_FILL;
    if (fills && device_.fill == bsc_device::Fill::kUnknown) BSC_RETURN_IF_ERROR(learn_fill());
    if (fills && device_.fill == bsc_device::Fill::kEmulated) emulate_fills(*node);
    recorder_->add(std::move(node).value());
    if (out_event) *out_event = nullptr;
    return {};
  }
  PreparedLaunch prepared;
  const auto& timeline = queue_->timeline();
  BSC_RETURN_IF_ERROR(prepare_launch(kernel, device_, options, arguments, timeline.get(), storage_, prepared));
  if (prepared.workspace) BSC_RETURN_IF_ERROR(clear_workspace(prepared));
  std::uint64_t value = 0;
  Status status = queue_->submit(prepared.commands, "launching a kernel", &value);
  if (!status.ok()) [[unlikely]] {
    if (prepared.workspace) device_.pool().give_back(std::move(prepared.workspace));
    Error error = status.take_error();
    error.message = launch_name(kernel) + ": " + error.message;
    return error;
  }
  for (const bsc_argument& argument : arguments) {
    if (argument.kind == BSC_ARG_BUFFER && argument.buffer) argument.buffer->uses().mark(timeline, value);
  }
  kernel.module().uses().mark(timeline, value);
  if (prepared.workspace) {
    prepared.workspace->uses.mark(timeline, value);
    device_.pool().give_back(std::move(prepared.workspace));
  }
  if (debug_sync_) [[unlikely]]
    BSC_RETURN_IF_ERROR(synchronise(value, launch_name(kernel)));
  if (!out_event) return {};
  auto event = make_ref<bsc_event>(*this);
  event->set_value(value);
  *out_event = event.detach();
  return {};
}

Status bsc_queue::copy(bsc_buffer& source, std::uint64_t source_offset, bsc_buffer& destination,
                       std::uint64_t destination_offset, std::uint64_t bytes, bsc_event** out_event) {
  BSC_RETURN_IF_ERROR(source.check_range(source_offset, bytes, "copy source"));
  BSC_RETURN_IF_ERROR(destination.check_range(destination_offset, bytes, "copy destination"));
  if (&source == &destination && bytes != 0 && source_offset < destination_offset + bytes &&
      destination_offset < source_offset + bytes) {
    return invalid_argument("copy: source and destination ranges overlap in the same buffer",
                            "copy through another buffer");
  }
  const bool from_here = &source.device() == &device_;
  const bool to_here = &destination.device() == &device_;
  if (from_here && to_here) {
    bsc_plugin_command command = command_of(BSC_COMMAND_COPY);
    command.copy = {source.memory().handle(), destination.memory().handle(), source_offset, destination_offset, bytes};
    bsc_buffer* const buffers[] = {&source, &destination};
    return run(command, "copying", buffers, out_event);
  }
  if (!from_here && !to_here) {
    return invalid_argument(std::string("copy: neither buffer is on the queue's device ") + device_.info().id + " (" +
                                source.device().info().id + " to " + destination.device().info().id + ")",
                            "use a queue of one of the two devices");
  }
  if (recorder_) {
    return Error{.status = BSC_UNSUPPORTED,
                 .message = "copies between devices cannot be recorded: they go through the host",
                 .remedy = "end the recording first"};
  }
  const CopyRange range{&source, source_offset, &destination, destination_offset, bytes};
  if (from_here) {
    BSC_RETURN_IF_ERROR(destination.device().with_transfer_queue(
        [&](PluginQueue& writer) { return copy_through_host(range, *queue_, writer); }));
  } else {
    // What this queue was told to wait for must have happened before the source is read.
    BSC_RETURN_IF_ERROR(queue_->wait(submitted(), BSC_FOREVER));
    BSC_RETURN_IF_ERROR(source.device().with_transfer_queue(
        [&](PluginQueue& reader) { return copy_through_host(range, reader, *queue_); }));
  }
  return finish(submitted(), "copying between devices", out_event);
}

Status bsc_queue::write(bsc_buffer& buffer, std::uint64_t offset, const void* data, std::uint64_t bytes,
                        bsc_event** out_event) {
  BSC_RETURN_IF_ERROR(check_buffer(buffer, device_, offset, bytes, "write"));
  BSC_RETURN_IF_ERROR(check_host(data, bytes, "write"));
  bsc_plugin_command command = command_of(BSC_COMMAND_WRITE);
  command.transfer = {buffer.memory().handle(), const_cast<void*>(data), offset, bytes};
  bsc_buffer* const buffers[] = {&buffer};
  return run(command, "writing", buffers, out_event);
}

Status bsc_queue::read(bsc_buffer& buffer, std::uint64_t offset, void* data, std::uint64_t bytes,
                       bsc_event** out_event) {
  BSC_RETURN_IF_ERROR(check_buffer(buffer, device_, offset, bytes, "read"));
  BSC_RETURN_IF_ERROR(check_host(data, bytes, "read"));
  bsc_plugin_command command = command_of(BSC_COMMAND_READ);
  command.transfer = {buffer.memory().handle(), data, offset, bytes};
  bsc_buffer* const buffers[] = {&buffer};
  return run(command, "reading", buffers, out_event);
}

Status bsc_queue::upload(bsc_buffer& buffer, std::uint64_t offset, const void* data, std::uint64_t bytes) {
  BSC_RETURN_IF_ERROR(check_buffer(buffer, device_, offset, bytes, "upload"));
  BSC_RETURN_IF_ERROR(check_host(data, bytes, "upload"));
  bsc_plugin_command command = command_of(BSC_COMMAND_WRITE);
  command.transfer = {buffer.memory().handle(), nullptr, offset, bytes};
  if (recorder_) {
    GraphNode node;
    node.host_data = std::make_unique<HostData>(bytes);
    if (bytes != 0) std::memcpy(node.host_data->data(), data, bytes);
    command.transfer.host = node.host_data->data();
    node.commands.push_back(command);
    node.buffers.push_back(Ref<bsc_buffer>::share(&buffer));
    recorder_->add(std::move(node));
    return {};
  }
  bsc_buffer* const buffers[] = {&buffer};
  if (bytes > Staging::kLargest) {
    command.transfer.host = const_cast<void*>(data);
    BSC_RETURN_IF_ERROR(run(command, "uploading", buffers, nullptr));
    return queue_->wait(submitted(), BSC_FOREVER);
  }
  auto space = staging_.reserve(device_, *queue_, bytes);
  if (!space.ok()) return space.take_error();
  if (bytes != 0) std::memcpy(*space, data, bytes);
  command.transfer.host = *space;
  BSC_RETURN_IF_ERROR(run(command, "uploading", buffers, nullptr));
  staging_.used_by(submitted());
  return {};
}

Status bsc_queue::record(bsc_event** out_event) {
  if (recorder_) {
    return Error{.status = BSC_UNSUPPORTED,
                 .message = "events cannot be recorded into a graph",
                 .remedy = "record the event after bsc_queue_replay"};
  }
  drop_finished();
  auto event = make_ref<bsc_event>(*this);
  event->set_value(submitted());
  *out_event = event.detach();
  return {};
}

Status bsc_queue::wait_event(bsc_event& event) {
  if (recorder_) {
    return Error{.status = BSC_UNSUPPORTED,
                 .message = "waits cannot be recorded into a graph",
                 .remedy = "wait before bsc_queue_begin_recording or before the replay"};
  }
  bsc_queue& other = event.queue();
  if (&other == this || event.value() == 0) return {};  // in order anyway
  if (&other.device().backend() != &device_.backend()) return other.wait(event.value(), BSC_FOREVER);
  drop_finished();
  bsc_plugin_command command = command_of(BSC_COMMAND_WAIT);
  command.wait = {other.plugin_queue().handle(), event.value()};
  awaited_.push_back({submitted() + 1, other.queue_});
  Status status = run(command, "waiting for an event", {}, nullptr);
  if (!status.ok()) awaited_.pop_back();
  return status;
}

Status bsc_queue::allocate(std::uint64_t bytes, bsc_buffer** out) {
  auto memory = device_.allocate_pooled(bytes, queue_->timeline().get());
  if (!memory.ok()) return memory.take_error();
  *out = make_ref<bsc_buffer>(device_, std::move(memory).value(), bytes, true).detach();
  return {};
}

void bsc_queue::keep_until(std::uint64_t value, std::unique_ptr<std::byte[]> data) {
  drop_finished();
  kept_.push_back({value, std::move(data)});
}

void bsc_queue::drop_finished() {
  while (!kept_.empty() && queue_->timeline()->reached(kept_.front().value)) kept_.pop_front();
  while (!awaited_.empty() && queue_->timeline()->reached(awaited_.front().value)) awaited_.pop_front();
}

Status bsc_queue::begin_recording() {
  if (recorder_) return Error{.status = BSC_INVALID_STATE, .message = "the queue is already recording"};
  recorder_ = std::make_unique<Recorder>();
  return {};
}

Status bsc_queue::end_recording(bsc_graph** out) {
  if (!recorder_) {
    return Error{.status = BSC_INVALID_STATE,
                 .message = "the queue is not recording",
                 .remedy = "call bsc_queue_begin_recording first"};
  }
  auto graph = make_ref<bsc_graph>(device_, recorder_->take());
  recorder_.reset();
  BSC_RETURN_IF_ERROR(graph->prepare());
  *out = graph.detach();
  return {};
}

Status bsc_queue::replay(bsc_graph& graph, bsc_event** out_event) {
  if (recorder_) {
    return Error{.status = BSC_UNSUPPORTED, .message = "a replay cannot be recorded into another graph"};
  }
  if (&graph.device() != &device_) {
    return invalid_argument(
        std::string("the graph was recorded on ") + graph.device().info().id + ", the queue is on " + device_.info().id,
        "replay it on a queue of its device");
  }
  std::uint64_t value = 0;
  BSC_RETURN_IF_ERROR(graph.replay(*queue_, &value));
  return finish(value, "replaying a graph", out_event);
}
