// Graphs: native where the plugin has them, else the commands are submitted again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/graph.hpp"

#include <algorithm>
#include <string>

#include "core/runtime/error_handle.hpp"

using namespace bascule::core;

namespace bascule::core {

NativeGraph::~NativeGraph() {
  PluginError error;
  (void)backend_->tables().graph.release(handle_, error.raw());
}

Result<GraphNode> launch_node(bsc_kernel& kernel, bsc_device& device, const bsc_launch_options* options,
                              std::span<const bsc_argument> arguments) {
  GraphNode node;
  PreparedLaunch prepared;
  BSC_RETURN_IF_ERROR(prepare_launch(kernel, device, options, arguments, nullptr, node.storage, prepared));
  node.commands.assign(prepared.commands.begin(), prepared.commands.end());
  node.workspace = std::move(prepared.workspace);
  node.kernel = Ref<bsc_kernel>::share(&kernel);
  for (const bsc_argument& argument : arguments) {
    if (argument.kind == BSC_ARG_BUFFER && argument.buffer) {
      node.buffers.push_back(Ref<bsc_buffer>::share(argument.buffer));
    }
  }
  return node;
}

namespace {

bsc_plugin_submission submission_of(std::span<const bsc_plugin_command> commands) {
  bsc_plugin_submission submission{};
  submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
  submission.command_count = commands.size();
  submission.command_stride = sizeof(bsc_plugin_command);
  submission.commands = commands.data();
  return submission;
}

// A plugin's graph keeps kinds and functions; a plan that now has other launches needs a new graph.
bool same_shape(const std::vector<bsc_plugin_command>& a, const std::vector<bsc_plugin_command>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& left, const auto& right) {
    return left.kind == right.kind &&
           (left.kind != BSC_COMMAND_LAUNCH || left.launch.function == right.launch.function);
  });
}

}  // namespace
}  // namespace bascule::core

bsc_graph::bsc_graph(bsc_device& device, std::vector<GraphNode> nodes)
    : Object(kKind),
      instance_(Ref<bsc_instance>::share(&device.instance())),
      device_(device),
      nodes_(std::move(nodes)) {
  flatten();
}

bsc_graph::~bsc_graph() {
  // The native graph first: it names what the nodes hold.
  if (native_) device_.graveyard().bury(std::move(native_));
  for (GraphNode& node : nodes_) retire(std::move(node));
}

void bsc_graph::retire(GraphNode node) {
  if (node.workspace) device_.pool().give_back(std::move(node.workspace));
  if (node.host_data) device_.graveyard().bury(std::move(node.host_data));
}

void bsc_graph::flatten() {
  commands_.clear();
  for (const GraphNode& node : nodes_) commands_.insert(commands_.end(), node.commands.begin(), node.commands.end());
}

Status bsc_graph::prepare() { return create_native(); }

Status bsc_graph::create_native() {
  const Backend& backend = device_.backend();
  if (!backend.tables().has_graph) return {};
  const bsc_plugin_submission submission = submission_of(commands_);
  PluginError error;
  bsc_plugin_graph handle = nullptr;
  const bsc_status status = backend.tables().graph.create(device_.handle(), &submission, &handle, error.raw());
  if (status == BSC_UNSUPPORTED) return {};  // not these commands: the host replays them
  if (status != BSC_OK) return error.take(status, backend.name(), "making a graph");
  native_ = std::make_unique<NativeGraph>(backend, handle);
  return {};
}

Status bsc_graph::update_launch(std::uint64_t index, const bsc_launch_options* options,
                                std::span<const bsc_argument> arguments) {
  if (index >= nodes_.size()) {
    return invalid_argument("node " + std::to_string(index) + " does not exist; the graph has " +
                            std::to_string(nodes_.size()) + " nodes");
  }
  const std::lock_guard lock(mutex_);
  if (!nodes_[index].kernel) {
    return invalid_argument("node " + std::to_string(index) + " is not a launch", "only launches can be updated");
  }
  auto node = launch_node(*nodes_[index].kernel, device_, options, arguments);
  if (!node.ok()) return node.take_error();
  if (device_.fill == bsc_device::Fill::kEmulated) emulate_fills(*node);
  const bool same = same_shape(nodes_[index].commands, node->commands);
  if (native_ && same) {
    // Refused as a whole or not at all, so the old node stays valid after an error.
    Status status = update_native(index, *node);
    if (!status.ok() && status.error().status != BSC_UNSUPPORTED) return status;
    if (!status.ok()) device_.graveyard().bury(std::move(native_));
  } else if (native_) {
    device_.graveyard().bury(std::move(native_));
  }
  std::swap(nodes_[index], *node);
  flatten();
  retire(std::move(node).value());
  return native_ ? Status() : create_native();
}

Status bsc_graph::update_native(std::uint64_t index, const GraphNode& replacement) {
  std::uint64_t first = 0;
  for (std::uint64_t i = 0; i < index; ++i) first += nodes_[i].commands.size();
  const auto& update = device_.backend().tables().graph.update;
  for (std::size_t i = 0; i < replacement.commands.size(); ++i) {
    PluginError error;
    const bsc_status status = update(native_->handle(), first + i, &replacement.commands[i], error.raw());
    if (status == BSC_OK) continue;
    for (std::size_t done = 0; done < i; ++done) {  // back to what it was
      PluginError ignored;
      (void)update(native_->handle(), first + done, &nodes_[index].commands[done], ignored.raw());
    }
    return error.take(status, device_.backend().name(), "updating a graph");
  }
  return {};
}

Status bsc_graph::replay(PluginQueue& queue, std::uint64_t* out_value) {
  const std::lock_guard lock(mutex_);
  if (native_) {
    BSC_RETURN_IF_ERROR(queue.replay(native_->handle(), out_value));
  } else {
    BSC_RETURN_IF_ERROR(queue.submit(commands_, "replaying a graph", out_value));
  }
  mark(queue, *out_value);
  return {};
}

void bsc_graph::mark(PluginQueue& queue, std::uint64_t value) {
  const auto& timeline = queue.timeline();
  if (native_) native_->uses.mark(timeline, value);
  for (GraphNode& node : nodes_) {
    for (const auto& buffer : node.buffers) buffer->uses().mark(timeline, value);
    if (node.kernel) node.kernel->module().uses().mark(timeline, value);
    if (node.workspace) node.workspace->uses.mark(timeline, value);
    if (node.host_data) node.host_data->uses.mark(timeline, value);
  }
}
