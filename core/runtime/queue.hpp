// bsc_queue: in-order work on a device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "bascule/bascule.h"
#include "core/runtime/buffer.hpp"
#include "core/runtime/instance.hpp"
#include "core/runtime/kernel.hpp"
#include "core/runtime/plugin_queue.hpp"
#include "core/runtime/staging.hpp"
#include "core/runtime/storage.hpp"

namespace bascule::core {
class Recorder;
struct PreparedLaunch;
}  // namespace bascule::core

struct bsc_queue final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kQueue;
  using Status = bascule::core::Status;

  static bascule::core::Result<bascule::core::Ref<bsc_queue>> create(bsc_device& device,
                                                                     const bsc_queue_options& options);
  bsc_queue(bsc_device& device, std::shared_ptr<bascule::core::PluginQueue> queue, bool debug_sync);
  ~bsc_queue() override;

  bsc_instance& instance() const { return *instance_; }
  bsc_device& device() const { return device_; }
  bascule::core::PluginQueue& plugin_queue() const { return *queue_; }
  std::uint64_t submitted() const { return queue_->timeline()->submitted(); }

  // Submitting calls: one thread at a time. out_event may be NULL.
  Status launch(bsc_kernel& kernel, const bsc_launch_options* options, std::span<const bsc_argument> arguments,
                bsc_event** out_event);
  Status copy(bsc_buffer& source, std::uint64_t source_offset, bsc_buffer& destination,
              std::uint64_t destination_offset, std::uint64_t bytes, bsc_event** out_event);
  Status write(bsc_buffer& buffer, std::uint64_t offset, const void* data, std::uint64_t bytes, bsc_event** out_event);
  Status read(bsc_buffer& buffer, std::uint64_t offset, void* data, std::uint64_t bytes, bsc_event** out_event);
  Status upload(bsc_buffer& buffer, std::uint64_t offset, const void* data, std::uint64_t bytes);
  Status fill(bsc_buffer& buffer, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
              std::uint64_t pattern_bytes, bsc_event** out_event);
  Status wait_event(bsc_event& event);
  Status record(bsc_event** out_event);
  Status allocate(std::uint64_t bytes, bsc_buffer** out);
  Status begin_recording();
  Status end_recording(bsc_graph** out);
  Status replay(bsc_graph& graph, bsc_event** out_event);

  // Any thread.
  Status wait(std::uint64_t value, std::uint64_t timeout_ns) { return queue_->wait(value, timeout_ns); }

  bool recording() const { return recorder_ != nullptr; }
  // After a submission outside the common path: debug_sync, then the event.
  Status finish(std::uint64_t value, const char* what, bsc_event** out_event);

 private:
  // Submits (or records) one command that uses the given buffers.
  Status run(const bsc_plugin_command& command, const char* what, std::span<bsc_buffer* const> buffers,
             bsc_event** out_event);
  Status synchronise(std::uint64_t value, const std::string& what);
  // Without the plugin's help: a submission of writes from host memory that is kept until they are done.
  Status fill_by_writing(const bsc_plugin_fill& fill, bascule::core::Uses& uses, std::uint64_t* out_value);
  // A plan's first command may clear its workspace; where the plugin has no fill, that happens here.
  Status clear_workspace(bascule::core::PreparedLaunch& prepared);
  Status learn_fill();
  void keep_until(std::uint64_t value, std::unique_ptr<std::byte[]> data);
  void drop_finished();

  struct Kept {  // host data that a submission reads
    std::uint64_t value;
    std::unique_ptr<std::byte[]> data;
  };
  struct Awaited {  // a queue that a submission here waits for
    std::uint64_t value;
    std::shared_ptr<bascule::core::PluginQueue> queue;
  };

  bascule::core::Ref<bsc_instance> instance_;
  bsc_device& device_;
  std::shared_ptr<bascule::core::PluginQueue> queue_;
  const bool debug_sync_;
  bascule::core::CommandStorage storage_;
  bascule::core::Staging staging_;
  std::deque<Kept> kept_;
  std::deque<Awaited> awaited_;
  std::unique_ptr<bascule::core::Recorder> recorder_;
};
