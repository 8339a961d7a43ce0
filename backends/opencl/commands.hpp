// The commands of one submission on their way into the driver: checked as a whole first, then enqueued.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <vector>

#include "backends/opencl/launch.hpp"
#include "backends/opencl/queue.hpp"

namespace bascule::opencl {

inline constexpr std::size_t kScratchBytes = std::size_t{1} << 20;

// One command, handles resolved.
struct CheckedCommand {
  std::uint32_t kind = 0;
  PreparedLaunch launch;
  Memory* source = nullptr;
  Memory* destination = nullptr;
  bsc_plugin_copy copy = {};
  bsc_plugin_transfer transfer = {};
  bsc_plugin_fill fill = {};
  OwnedEvent wait;
  bool empty = false;  // completes without the driver
};

class CommandList {
 public:
  explicit CommandList(Queue& queue) : queue_(queue) {}

  // Nothing reaches the driver. After a failure the list is of no use.
  bsc_status check(const bsc_plugin_submission& submission, bsc_plugin_error* error);
  // Fills `out`. After a failure, `started()` says whether the driver already has some of the commands.
  bsc_status enqueue(Submission& out, bsc_plugin_error* error);
  bool started() const { return started_; }

 private:
  bsc_status check_command(const bsc_plugin_command& command, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_copy(const bsc_plugin_copy& copy, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_transfer(const bsc_plugin_transfer& transfer, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_fill(const bsc_plugin_fill& fill, CheckedCommand& checked, bsc_plugin_error* error);
  bsc_status check_wait(const bsc_plugin_wait& wait, CheckedCommand& checked, bsc_plugin_error* error);

  bsc_status enqueue_command(const CheckedCommand& command, bool last, bsc_plugin_error* error);
  bsc_status enqueue_copy(const CheckedCommand& command, bool last, bsc_plugin_error* error);
  bsc_status enqueue_fill(const CheckedCommand& command, bool last, bsc_plugin_error* error);
  bsc_status enqueue_read(cl::Mem buffer, std::size_t offset, std::size_t bytes, void* host, bool last, bsc_plugin_error* error);
  bsc_status enqueue_write(cl::Mem buffer, std::size_t offset, std::size_t bytes, const void* host, bool last,
                           bsc_plugin_error* error);
  bsc_status enqueue_host_copy(const void* from, void* to, std::size_t bytes, bool last, bsc_plugin_error* error);
  bsc_status enqueue_marker(bsc_plugin_error* error);

  // Around each driver call: which events it waits for and whether it makes one.
  template <class Call>
  bsc_status issue(bool last, Call&& call);

  Queue& queue_;
  std::vector<CheckedCommand> commands_;
  bool times_ = false;
  bool started_ = false;
  std::vector<cl::Event> waits_;  // for the next call; owned by the commands
  OwnedEvent first_;
  OwnedEvent last_;
};

}  // namespace bascule::opencl
