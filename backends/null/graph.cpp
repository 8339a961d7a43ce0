// Graphs: what was recorded is checked like a submission when it is created or changed, so a replay has nothing left to
// do but to take its place in the queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/objects.hpp"
#include "backends/null/queue.hpp"
#include "backends/null/validate.hpp"

namespace bascule::null_backend {
namespace {

bsc_plugin_command wait_command(const bsc_plugin_wait& wait) {
  bsc_plugin_command command = {};
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = BSC_COMMAND_WAIT;
  command.wait = wait;
  return command;
}

bsc_status check_update(const Graph& graph, std::uint64_t index, const bsc_plugin_command& command,
                        bsc_plugin_error* error) {
  if (index >= graph.kinds.size() && !has_fault(Fault::graph_index_unchecked)) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::graph_update, "command {} of a graph of {} commands", index,
                  graph.kinds.size());
  }
  if (index >= graph.kinds.size() || has_fault(Fault::graph_update_changes_kind)) return BSC_OK;
  const bool same_function =
      command.kind != BSC_COMMAND_LAUNCH || command.launch.function == graph.functions[index];
  if (command.kind != graph.kinds[index] || !same_function) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::graph_update,
                  "an update keeps a command's kind and function; command {} is of kind {}, the new one of kind {}", index,
                  graph.kinds[index], command.kind);
  }
  return check_command(graph.device, command, Entry::graph_update, error);
}

}  // namespace

bsc_status create_graph(bsc_plugin_device handle, const bsc_plugin_submission* given, bsc_plugin_graph* out_graph,
                        bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "graph.create", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) return refuse_handle(error, "graph.create", handle, BSC_OBJECT_DEVICE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::graph_create, error));
    const bsc_plugin_submission submission = backend::read_struct(given);
    if (!has_fault(Fault::graph_create_unchecked)) {
      BSC_PLUGIN_RETURN_IF_ERROR(check_submission(*device, submission, Entry::graph_create, error));
    }
    auto graph = std::make_unique<Graph>(*device);
    for (std::uint64_t i = 0; i < submission.command_count; ++i) {
      bsc_plugin_command room;
      const auto& command = strided_element(submission.commands, submission.command_stride, i, room);
      graph->kinds.push_back(command.kind);
      graph->functions.push_back(command.kind == BSC_COMMAND_LAUNCH ? command.launch.function : nullptr);
      if (command.kind == BSC_COMMAND_WAIT) graph->waits.push_back(command.wait);
    }
    {
      const std::lock_guard lock(device->instance.mutex);
      device->instance.graphs.insert(graph.get());
    }
    *out_graph = graph.release();
    return succeed(error);
  });
}

bsc_status release_graph(bsc_plugin_graph handle, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "graph.release", [&]() -> bsc_status {
    auto* const graph = object<Graph>(handle);
    if (graph == nullptr) {
      return refuse_handle(error, "graph.release", handle, BSC_OBJECT_GRAPH, Fault::graph_released_accepted);
    }
    Instance& instance = graph->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &graph->device, Entry::graph_release, error));
    {
      const std::lock_guard lock(instance.mutex);
      instance.graphs.erase(graph);
    }
    delete graph;
    return succeed(error);
  });
}

bsc_status update_graph(bsc_plugin_graph handle, std::uint64_t index, const bsc_plugin_command* given,
                        bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "graph.update", [&]() -> bsc_status {
    auto* const graph = object<Graph>(handle);
    if (graph == nullptr) return refuse_handle(error, "graph.update", handle, BSC_OBJECT_GRAPH);
    Instance& instance = graph->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &graph->device, Entry::graph_update, error));
    const bsc_plugin_command command = backend::read_struct(given);
    const std::lock_guard lock(graph->mutex);
    BSC_PLUGIN_RETURN_IF_ERROR(check_update(*graph, index, command, error));
    return succeed(error);
  });
}

bsc_status replay_graph(bsc_plugin_graph handle, bsc_plugin_queue queue_handle, std::uint64_t flags,
                        std::uint64_t* out_value, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "graph.replay", [&]() -> bsc_status {
    auto* const graph = object<Graph>(handle);
    if (graph == nullptr) return refuse_handle(error, "graph.replay", handle, BSC_OBJECT_GRAPH);
    auto* const queue = object<Queue>(queue_handle);
    if (queue == nullptr) return refuse_handle(error, "graph.replay", queue_handle, BSC_OBJECT_QUEUE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(queue->instance, &queue->device, Entry::graph_replay, error));
    if (&queue->device != &graph->device) {
      return refuse(error, BSC_INVALID_ARGUMENT, Entry::graph_replay,
                    "the graph was made for device null:{}, the queue is on null:{}", graph->device.index,
                    queue->device.index);
    }
    std::vector<bsc_plugin_command> waits;
    for (const bsc_plugin_wait& wait : graph->waits) waits.push_back(wait_command(wait));
    bsc_plugin_submission submission = {};
    submission.commands = waits.data();
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.command_count = waits.size();
    if (has_fault(Fault::graph_replay_outside_timeline)) {
      *out_value = 1;
      return BSC_OK;
    }
    return enter_timeline(*queue, submission, flags, Entry::graph_replay, out_value, error);
  });
}

}  // namespace bascule::null_backend
