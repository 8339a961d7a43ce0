// Graphs: commands recorded by capturing what a submission would enqueue, and replayed as one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <memory>
#include <mutex>
#include <vector>

#include "backends/common/object.hpp"
#include "backends/common/gpu/commands.hpp"
#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

// What the driver made of the commands, alive as long as a replay of it may run.
class Recording {
 public:
  explicit Recording(Device& device) : device_(device), staging_(device) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  bsc_status record(const std::vector<CheckedCommand>& commands, bsc_plugin_error* error);
  // Changes `former`'s executable to these commands where the driver can, and takes it over.
  bsc_status record_over(const std::vector<CheckedCommand>& commands, std::shared_ptr<Recording> former,
                         bsc_plugin_error* error);
  Handle executable() const { return executable_.get(); }

 private:
  bsc_status capture(const std::vector<CheckedCommand>& commands, Handle& graph, bsc_plugin_error* error);
  bsc_status instantiate(Handle graph, bsc_plugin_error* error);

  Device& device_;
  Staging staging_;
  HostCopies copies_;
  std::shared_ptr<void> executable_;  // destroyed with its last recording
};

struct Graph : backend::Object<Graph, BSC_OBJECT_GRAPH> {
  explicit Graph(Device& owner) : Object(owner.bsc_plugin_object::api), device(owner) {}

  bsc_status create(const bsc_plugin_submission& submission, bsc_plugin_error* error);
  bsc_status update(std::uint64_t index, const bsc_plugin_command& command, bsc_plugin_error* error);
  bsc_status replay(struct Queue& queue, std::uint64_t flags, std::uint64_t* out_value, bsc_plugin_error* error);

  Device& device;

 private:
  std::mutex mutex_;
  std::vector<CheckedCommand> commands_;
  std::shared_ptr<Recording> recording_;  // null: nothing is recorded
};

bsc_status graph_create(bsc_plugin_device handle, const bsc_plugin_submission* submission, bsc_plugin_graph* out_graph,
                        bsc_plugin_error* error);
bsc_status graph_release(bsc_plugin_graph handle, bsc_plugin_error* error);
bsc_status graph_update(bsc_plugin_graph handle, std::uint64_t index, const bsc_plugin_command* command,
                        bsc_plugin_error* error);
bsc_status graph_replay(bsc_plugin_graph handle, bsc_plugin_queue queue_handle, std::uint64_t flags, std::uint64_t* out_value,
                        bsc_plugin_error* error);

}  // namespace bascule::gpu
