// The commands of one submission or graph on their way into the driver: checked as a whole first, then enqueued.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <vector>

#include "backends/common/gpu/host_copy.hpp"
#include "backends/common/gpu/launch.hpp"
#include "backends/common/gpu/memory.hpp"

namespace bascule::gpu {

// One command, handles resolved.
struct CheckedCommand {
  std::uint32_t kind = 0;
  PreparedLaunch launch;
  Memory* source = nullptr;
  Memory* destination = nullptr;
  bsc_plugin_copy copy = {};
  bsc_plugin_transfer transfer = {};
  bsc_plugin_fill fill = {};
  bsc_plugin_wait wait = {};
  bool empty = false;  // completes without the driver
};

class CommandList {
 public:
  explicit CommandList(Device& device) : device_(device) {}

  // Nothing reaches a stream. After a failure the list is of no use.
  bsc_status check(const bsc_plugin_submission& submission, bsc_plugin_error* error);
  bsc_status check_command(const bsc_plugin_command& command, CheckedCommand& checked, bsc_plugin_error* error);

  std::vector<CheckedCommand>& commands() { return commands_; }

 private:
  bsc_status check_copy(const bsc_plugin_copy& copy, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_transfer(const bsc_plugin_transfer& transfer, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_fill(const bsc_plugin_fill& fill, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_wait(const bsc_plugin_wait& wait, CheckedCommand& checked, bsc_plugin_error* error);

  Device& device_;
  std::vector<CheckedCommand> commands_;
};

// Enqueues one command that is not empty. The device's context must be current.
bsc_status enqueue_command(StreamTarget& target, const CheckedCommand& command, bsc_plugin_error* error);
// A wait alone.
bsc_status enqueue_wait(StreamTarget& target, const bsc_plugin_wait& wait, bsc_plugin_error* error);

}  // namespace bascule::gpu
