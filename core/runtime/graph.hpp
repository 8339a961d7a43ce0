// bsc_graph: recorded calls that can be replayed, and the recorder that collects them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bascule/bascule.h"
#include "core/runtime/buffer.hpp"
#include "core/runtime/kernel.hpp"
#include "core/runtime/launch.hpp"
#include "core/runtime/storage.hpp"

namespace bascule::core {

// Host data that recorded writes read; kept until the last replay has completed.
class HostData final : public Resource {
 public:
  explicit HostData(std::uint64_t bytes) : data_(new std::byte[bytes]) {}
  std::byte* data() const { return data_.get(); }

 private:
  std::unique_ptr<std::byte[]> data_;
};

class NativeGraph final : public Resource {
 public:
  NativeGraph(const Backend& backend, bsc_plugin_graph handle) : backend_(&backend), handle_(handle) {}
  ~NativeGraph() override;
  bsc_plugin_graph handle() const { return handle_; }

 private:
  const Backend* backend_;
  bsc_plugin_graph handle_;
};

// One recorded call: its commands, and everything they point to.
struct GraphNode {
  std::vector<bsc_plugin_command> commands;
  CommandStorage storage;  // of a launch: what `commands` point into
  std::vector<Ref<bsc_buffer>> buffers;
  Ref<bsc_kernel> kernel;               // of a launch
  std::unique_ptr<Memory> workspace;    // of a launch
  std::unique_ptr<HostData> host_data;  // of an upload or an emulated fill
};

// Lays out a launch as a node.
Result<GraphNode> launch_node(bsc_kernel& kernel, bsc_device& device, const bsc_launch_options* options,
                              std::span<const bsc_argument> arguments);

// Replaces fills by writes from memory of the node's: for plugins that have no fill.
void emulate_fills(GraphNode& node);

class Recorder {
 public:
  void add(GraphNode node) { nodes_.push_back(std::move(node)); }
  std::vector<GraphNode> take() { return std::move(nodes_); }

 private:
  std::vector<GraphNode> nodes_;
};

}  // namespace bascule::core

struct bsc_graph final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kGraph;

  bsc_graph(bsc_device& device, std::vector<bascule::core::GraphNode> nodes);
  ~bsc_graph() override;

  // Makes the plugin's graph, where the plugin has graphs.
  bascule::core::Status prepare();
  bsc_instance& instance() const { return *instance_; }
  bsc_device& device() const { return device_; }
  std::uint64_t node_count() const { return nodes_.size(); }  // fixed once recorded

  bascule::core::Status update_launch(std::uint64_t node, const bsc_launch_options* options,
                                      std::span<const bsc_argument> arguments);
  bascule::core::Status replay(bascule::core::PluginQueue& queue, std::uint64_t* out_value);

 private:
  bascule::core::Status create_native();
  bascule::core::Status update_native(std::uint64_t node, const bascule::core::GraphNode& replacement);
  void flatten();
  void mark(bascule::core::PluginQueue& queue, std::uint64_t value);
  void retire(bascule::core::GraphNode node);

  bascule::core::Ref<bsc_instance> instance_;
  bsc_device& device_;
  std::mutex mutex_;  // replays and updates may come from different threads
  std::vector<bascule::core::GraphNode> nodes_;
  std::vector<bsc_plugin_command> commands_;  // of all nodes, in order
  std::unique_ptr<bascule::core::NativeGraph> native_;
};
