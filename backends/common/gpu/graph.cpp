// Capturing, instantiating, changing and replaying.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/graph.hpp"

#include <algorithm>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/plugin.hpp"
#include "backends/common/gpu/queue.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

// Waits stay outside: at each replay they name what was submitted by then.
bool is_recorded(const CheckedCommand& command) { return !command.empty && command.kind != BSC_COMMAND_WAIT; }

// A driver that cannot capture replays by enqueueing the commands again.
bool captures(const Device& device) { return static_cast<bool>(device.api().capture_begin); }

bool records_anything(const Device& device, const std::vector<CheckedCommand>& commands) {
  return captures(device) && std::any_of(commands.begin(), commands.end(), is_recorded);
}

class CaptureStream {
 public:
  explicit CaptureStream(Device& device) : device_(device) {}
  ~CaptureStream() {
    if (handle != nullptr) device_.release(device_.api().stream_destroy, handle);
  }
  CaptureStream(const CaptureStream&) = delete;
  CaptureStream& operator=(const CaptureStream&) = delete;

  bsc_status create(bsc_plugin_error* error) {
    return device_.call(error, "no stream to record a graph with", device_.api().stream_create, &handle, vendor().stream_flags, 0);
  }

  Handle handle = nullptr;

 private:
  Device& device_;
};

class OwnedGraph {
 public:
  explicit OwnedGraph(Device& device) : device_(device) {}
  ~OwnedGraph() {
    if (handle != nullptr) device_.release(device_.api().graph_destroy, handle);
  }
  OwnedGraph(const OwnedGraph&) = delete;
  OwnedGraph& operator=(const OwnedGraph&) = delete;

  Handle handle = nullptr;

 private:
  Device& device_;
};

}  // namespace

bsc_status Recording::capture(const std::vector<CheckedCommand>& commands, Handle& graph, bsc_plugin_error* error) {
  const Api& api = device_.api();
  // A driver must not allocate while it records.
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  BSC_PLUGIN_RETURN_IF_ERROR(staging_.get(1, buffer, bytes, error));
  CaptureStream stream(device_);
  BSC_PLUGIN_RETURN_IF_ERROR(stream.create(error));
  BSC_PLUGIN_RETURN_IF_ERROR(device_.call(error, "a graph cannot be recorded", api.capture_begin, stream.handle,
                                          vendor().capture_mode));
  StreamTarget target = {device_, stream.handle, staging_, copies_, false};
  bsc_status status = BSC_OK;
  for (const CheckedCommand& command : commands) {
    if (status == BSC_OK && is_recorded(command)) status = enqueue_command(target, command, error);
  }
  const int code = api.capture_end(stream.handle, &graph);  // also after a failure: the stream must leave the capture
  if (status != BSC_OK) return status;
  return code == 0 ? BSC_OK : device_.fail(error, "a graph cannot be recorded", {code, api.capture_end.name});
}

bsc_status Recording::instantiate(Handle graph, bsc_plugin_error* error) {
  Handle executable = nullptr;
  BSC_PLUGIN_RETURN_IF_ERROR(
      device_.call(error, "a graph cannot be made executable", device_.api().graph_instantiate, &executable, graph, 0ull));
  Device& device = device_;
  executable_ = std::shared_ptr<void>(
      executable, [&device](Handle done) { device.release(device.api().graph_executable_destroy, done); });
  return BSC_OK;
}

bsc_status Recording::record(const std::vector<CheckedCommand>& commands, bsc_plugin_error* error) {
  OwnedGraph graph(device_);
  BSC_PLUGIN_RETURN_IF_ERROR(capture(commands, graph.handle, error));
  return instantiate(graph.handle, error);
}

bsc_status Recording::record_over(const std::vector<CheckedCommand>& commands, std::shared_ptr<Recording> former,
                                  bsc_plugin_error* error) {
  OwnedGraph graph(device_);
  BSC_PLUGIN_RETURN_IF_ERROR(capture(commands, graph.handle, error));
  if (former != nullptr && vendor().update_graph(device_.api(), former->executable(), graph.handle) == 0) {
    executable_ = former->executable_;
    return BSC_OK;
  }
  return instantiate(graph.handle, error);
}

bsc_status Graph::create(const bsc_plugin_submission& submission, bsc_plugin_error* error) {
  CommandList list(device);
  BSC_PLUGIN_RETURN_IF_ERROR(list.check(submission, error));
  if (records_anything(device, list.commands())) {
    auto recording = std::make_shared<Recording>(device);
    BSC_PLUGIN_RETURN_IF_ERROR(recording->record(list.commands(), error));
    recording_ = std::move(recording);
  }
  commands_ = std::move(list.commands());
  return BSC_OK;
}

bsc_status Graph::update(std::uint64_t index, const bsc_plugin_command& command, bsc_plugin_error* error) {
  const std::lock_guard lock(mutex_);
  if (index >= commands_.size()) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "graph.update", "command {} of a graph of {} commands", index,
                      commands_.size());
  }
  const CheckedCommand& former = commands_[static_cast<std::size_t>(index)];
  if (command.kind != former.kind) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "graph.update",
                      "an update keeps a command's kind; command {} is of kind {}, the new one of kind {}", index, former.kind,
                      command.kind);
  }
  CommandList list(device);
  CheckedCommand checked;
  BSC_PLUGIN_RETURN_IF_ERROR(list.check_command(command, checked, error));
  const Function* const function = former.launch.function();
  if (function != nullptr && checked.launch.function() != nullptr && checked.launch.function() != function) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "graph.update",
                      "an update keeps a launch's function; command {} launches {}, the new one {}", index, function->shape.name,
                      checked.launch.function()->shape.name);
  }
  std::vector<CheckedCommand> changed = commands_;
  changed[static_cast<std::size_t>(index)] = std::move(checked);
  std::shared_ptr<Recording> recording;
  if (records_anything(device, changed)) {
    recording = std::make_shared<Recording>(device);
    BSC_PLUGIN_RETURN_IF_ERROR(recording->record_over(changed, recording_, error));
  }
  recording_ = std::move(recording);
  commands_ = std::move(changed);
  return BSC_OK;
}

bsc_status Graph::replay(Queue& queue, std::uint64_t flags, std::uint64_t* out_value, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(queue.check_open(error));
  const std::lock_guard lock(mutex_);
  const bool anything = std::any_of(commands_.begin(), commands_.end(), [](const auto& command) { return !command.empty; });
  const auto work = [&](StreamTarget& target, bsc_plugin_error* failure) -> bsc_status {
    for (const CheckedCommand& command : commands_) {
      const bool now = command.kind == BSC_COMMAND_WAIT || (recording_ == nullptr && !command.empty);
      if (now) BSC_PLUGIN_RETURN_IF_ERROR(enqueue_command(target, command, failure));
    }
    if (recording_ == nullptr) return BSC_OK;
    return target.enqueue(failure, "graph", device.api().graph_launch, recording_->executable(), target.stream);
  };
  Submission entry;
  entry.graph = recording_;
  return queue.submit_work((flags & BSC_SUBMIT_TIMES) != 0, anything, std::move(entry), work, out_value, error);
}

bsc_status graph_create(bsc_plugin_device handle, const bsc_plugin_submission* submission, bsc_plugin_graph* out_graph,
                        bsc_plugin_error* error) {
  return backend::guarded(error, "graph.create", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "graph.create", handle, BSC_OBJECT_DEVICE);
    if (submission == nullptr || out_graph == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "graph.create", "submission and out_graph must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("graph.create", error));
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(*device, error));
    auto graph = std::make_unique<Graph>(*device);
    BSC_PLUGIN_RETURN_IF_ERROR(graph->create(backend::read_struct(submission), error));
    device->adopt(graph.get());
    *out_graph = graph.release();
    return BSC_OK;
  });
}

bsc_status graph_release(bsc_plugin_graph handle, bsc_plugin_error* error) {
  return backend::guarded(error, "graph.release", [&]() -> bsc_status {
    auto* const graph = backend::object_cast<Graph>(handle, plugin_api());
    if (graph == nullptr) return backend::fill_handle_error(error, "graph.release", handle, BSC_OBJECT_GRAPH);
    Device& device = graph->device;
    if (device.instance.is_forked()) return BSC_OK;  // the parent's
    ContextScope scope;
    if (!device.is_lost()) BSC_PLUGIN_RETURN_IF_ERROR(scope.enter_context(device, error));
    device.disown(graph);
    delete graph;
    return BSC_OK;
  });
}

bsc_status graph_update(bsc_plugin_graph handle, std::uint64_t index, const bsc_plugin_command* command,
                        bsc_plugin_error* error) {
  return backend::guarded(error, "graph.update", [&]() -> bsc_status {
    auto* const graph = backend::object_cast<Graph>(handle, plugin_api());
    if (graph == nullptr) return backend::fill_handle_error(error, "graph.update", handle, BSC_OBJECT_GRAPH);
    if (command == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "graph.update", "command must not be null");
    BSC_PLUGIN_RETURN_IF_ERROR(graph->device.check_usable("graph.update", error));
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(graph->device, error));
    return graph->update(index, backend::read_struct(command), error);
  });
}

bsc_status graph_replay(bsc_plugin_graph handle, bsc_plugin_queue queue_handle, std::uint64_t flags, std::uint64_t* out_value,
                        bsc_plugin_error* error) {
  return backend::guarded(error, "graph.replay", [&]() -> bsc_status {
    auto* const graph = backend::object_cast<Graph>(handle, plugin_api());
    if (graph == nullptr) return backend::fill_handle_error(error, "graph.replay", handle, BSC_OBJECT_GRAPH);
    auto* const queue = backend::object_cast<Queue>(queue_handle, plugin_api());
    if (queue == nullptr) return backend::fill_handle_error(error, "graph.replay", queue_handle, BSC_OBJECT_QUEUE);
    if (out_value == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "graph.replay", "out_value must not be null");
    if (&queue->device != &graph->device) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "graph.replay", "the graph was made for {} ({}), the queue is on {} ({})",
                        graph->device.properties.name, graph->device.properties.pci, queue->device.properties.name,
                        queue->device.properties.pci);
    }
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(queue->enter(scope, "graph.replay", error));
    return graph->replay(*queue, flags, out_value, error);
  });
}

}  // namespace bascule::gpu
