// A plugin for the runtime's own tests: runs host functions, holds work back when told to, leaves out entries and fails
// on request, and counts what is alive. Lives in the test program; nothing is loaded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bascule/host_kernel.h"
#include "bascule/plugin.h"

namespace bascule::testing {

// What one fake backend does; shared by all its objects. Set before the instance is made, except the atomics.
struct FakeOptions {
  std::uint64_t devices = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_allocation = std::uint64_t{1} << 28;
  std::uint64_t max_grid = UINT64_MAX;
  std::vector<const char*> formats = {"host"};
  const char* architecture = "x86-64-v3";
  bool with_completed = true, with_map = true, with_graph = false, with_times = false, with_memory_state = true;
  bool with_fill = true;
};

class FakePlugin {
 public:
  explicit FakePlugin(FakeOptions options = {});
  const bsc_plugin_api& api() const { return api_; }
  bsc_plugin_instance open() { return new Instance(*this); }

  // While held, queues take submissions but complete nothing.
  void hold() { set_held(true); }
  void let_go() { set_held(false); }

  FakeOptions options;
  std::atomic<std::int64_t> live_memory{0}, live_queues{0}, live_modules{0}, live_graphs{0}, live_instances{0};
  std::atomic<std::uint64_t> used_bytes{0};
  std::atomic<std::uint64_t> allocations{0}, submissions{0}, native_replays{0}, launches{0}, waits_submitted{0};
  std::atomic<std::uint64_t> released_while_in_use{0};    // memory released with submissions pending that name it
  std::atomic<std::int64_t> fail_allocations{0};          // that many next allocations answer OUT_OF_MEMORY
  std::atomic<bsc_status> next_submission_fails{BSC_OK};  // refused at submit
  std::atomic<bsc_status> next_execution_fails{BSC_OK};   // fails when it runs
  std::atomic<std::uint64_t> last_blob_bytes{0};

 private:
  struct Device : bsc_plugin_object {
    FakePlugin* plugin;
    std::string name, uuid, pci;
  };
  struct Instance : bsc_plugin_object {
    explicit Instance(FakePlugin& plugin);
    FakePlugin& plugin;
    std::vector<std::unique_ptr<Device>> devices;
  };
  struct Memory : bsc_plugin_object {
    FakePlugin* plugin;
    std::vector<std::max_align_t> bytes;
    std::uint64_t size;
    std::atomic<std::int64_t> pending{0};
    std::byte* data() { return reinterpret_cast<std::byte*>(bytes.data()); }
  };
  struct Function : bsc_plugin_object {
    const bsc_host_entry* entry;
  };
  struct Module : bsc_plugin_object {
    FakePlugin* plugin;
    std::vector<std::unique_ptr<Function>> functions;
  };
  struct Work {
    std::vector<std::function<bsc_status()>> steps;
    std::vector<Memory*> memory;
  };
  struct Queue : bsc_plugin_object {
    FakePlugin* plugin;
    std::mutex mutex;  // guards the following
    std::deque<Work> pending;
    std::uint64_t submitted = 0, completed = 0;
    bsc_status failure = BSC_OK;
    bool running = false;
    std::condition_variable changed;
  };
  struct Graph : bsc_plugin_object {
    FakePlugin* plugin;
    std::vector<bsc_plugin_command> commands;
    std::vector<std::vector<bsc_plugin_argument>> arguments;
    std::vector<std::vector<std::byte>> blobs;
  };

  template <class T>
  static T* make(FakePlugin& plugin, std::uint32_t kind) {
    auto* object = new T();
    object->api = &plugin.api_;
    object->magic = BSC_OBJECT_MAGIC;
    object->kind = kind;
    return object;
  }
  static bsc_status fail(bsc_plugin_error* error, bsc_status status, const std::string& message);
  static void copy_command(Graph& graph, std::size_t index, const bsc_plugin_command& command);
  bsc_status make_work(const bsc_plugin_submission& submission, Work& out, bsc_plugin_error* error);
  bsc_status add_launch(const bsc_plugin_launch& launch, Work& out);
  bsc_status enqueue(Queue& queue, const bsc_plugin_submission& submission, std::uint64_t* out_value,
                     bsc_plugin_error* error);
  static bsc_status wait_for(Queue& queue, std::uint64_t value, std::uint64_t timeout, bsc_plugin_error* error);
  static void run_one(Queue& queue, std::unique_lock<std::mutex>& lock);
  void set_held(bool held);
  bool held();
  void fill_tables();

  std::mutex hold_mutex_;
  std::condition_variable hold_changed_;
  bool held_ = false;

  bsc_plugin_api api_{};
  bsc_plugin_instance_table instance_{};
  bsc_plugin_device_table device_{};
  bsc_plugin_memory_table memory_{};
  bsc_plugin_queue_table queue_{};
  bsc_plugin_event_table event_{};
  bsc_plugin_module_table module_{};
  bsc_plugin_graph_table graph_{};
  bsc_plugin_profile_table profile_{};
};

inline FakePlugin::Instance::Instance(FakePlugin& owner) : plugin(owner) {
  api = &owner.api_;
  magic = BSC_OBJECT_MAGIC;
  kind = BSC_OBJECT_INSTANCE;
  ++owner.live_instances;
  for (std::uint64_t i = 0; i < owner.options.devices; ++i) {
    auto* device = make<Device>(owner, BSC_OBJECT_DEVICE);
    device->plugin = &owner;
    device->name = "Fake device " + std::to_string(i);
    device->uuid = "00000000-0000-0000-0000-00000000000" + std::to_string(i);
    device->pci = "0000:0" + std::to_string(i) + ":00.0";
    devices.emplace_back(device);
  }
}

inline FakePlugin::FakePlugin(FakeOptions given) : options(std::move(given)) { fill_tables(); }

inline bsc_status FakePlugin::fail(bsc_plugin_error* error, bsc_status status, const std::string& message) {
  if (error) {
    error->code = status;
    std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
    std::snprintf(error->call, sizeof error->call, "fake_call");
    std::snprintf(error->vendor_name, sizeof error->vendor_name, "FAKE_ERROR");
    error->vendor_code = -7;
  }
  return status;
}

inline void FakePlugin::set_held(bool value) {
  const std::lock_guard lock(hold_mutex_);
  held_ = value;
  hold_changed_.notify_all();
}

inline bool FakePlugin::held() {
  const std::lock_guard lock(hold_mutex_);
  return held_;
}

// The oldest submission of the queue, run by the caller; `lock` holds the queue's mutex.
inline void FakePlugin::run_one(Queue& queue, std::unique_lock<std::mutex>& lock) {
  if (queue.running) {
    queue.changed.wait(lock, [&] { return !queue.running; });
    return;
  }
  queue.running = true;
  Work work = std::move(queue.pending.front());
  queue.pending.pop_front();
  const bsc_status before = queue.failure;
  lock.unlock();
  bsc_status status = BSC_OK;
  if (before == BSC_OK) {
    status = queue.plugin->next_execution_fails.exchange(BSC_OK);
    for (auto& step : work.steps) {
      if (status == BSC_OK) status = step();
    }
  }
  for (Memory* memory : work.memory) --memory->pending;
  lock.lock();
  if (queue.failure == BSC_OK) queue.failure = status;
  ++queue.completed;
  queue.running = false;
  queue.changed.notify_all();
}

inline bsc_status FakePlugin::wait_for(Queue& queue, std::uint64_t value, std::uint64_t timeout,
                                       bsc_plugin_error* error) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::nanoseconds(std::min<std::uint64_t>(timeout, std::uint64_t{1} << 60));
  std::unique_lock lock(queue.mutex);
  if (value > queue.submitted) return fail(error, BSC_INVALID_ARGUMENT, "value not submitted");
  while (queue.completed < value) {
    if (timeout == 0) return BSC_TIMED_OUT;  // only look
    if (queue.plugin->held()) {
      lock.unlock();
      {
        std::unique_lock hold(queue.plugin->hold_mutex_);
        if (!queue.plugin->hold_changed_.wait_until(hold, deadline, [&] { return !queue.plugin->held_; })) {
          return BSC_TIMED_OUT;
        }
      }
      lock.lock();
      continue;
    }
    run_one(queue, lock);
  }
  if (queue.failure != BSC_OK) return fail(error, queue.failure, "the work failed");
  return BSC_OK;
}

inline bsc_status FakePlugin::add_launch(const bsc_plugin_launch& launch, Work& out) {
  ++launches;
  const auto* function = static_cast<Function*>(launch.function);
  auto blob = std::make_shared<std::vector<std::max_align_t>>(launch.blob_bytes / sizeof(std::max_align_t) + 8);
  auto* blob_bytes = reinterpret_cast<std::byte*>(blob->data());
  if (launch.blob_bytes) std::memcpy(blob_bytes, launch.blob, launch.blob_bytes);
  last_blob_bytes = launch.blob_bytes;
  for (std::uint64_t i = 0; i < launch.argument_count; ++i) {
    const auto& argument = launch.arguments[i];
    if (argument.kind != BSC_ARGUMENT_BUFFER) continue;
    bsc_host_span span{nullptr, argument.bytes};
    if (auto* memory = static_cast<Memory*>(argument.memory)) {
      span.data = memory->data() + argument.offset;
      out.memory.push_back(memory);
    }
    std::memcpy(blob_bytes + argument.blob_offset, &span, sizeof span);
  }
  const std::uint64_t items = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (items == 0) return BSC_OK;
  out.steps.push_back([entry = function->entry, blob, blob_bytes, items] {
    return entry->function(blob_bytes, 0, items, 0, nullptr, nullptr);
  });
  return BSC_OK;
}

inline bsc_status FakePlugin::make_work(const bsc_plugin_submission& submission, Work& out, bsc_plugin_error* error) {
  for (std::uint64_t i = 0; i < submission.command_count; ++i) {
    const auto& command = *reinterpret_cast<const bsc_plugin_command*>(
        reinterpret_cast<const std::byte*>(submission.commands) + i * submission.command_stride);
    switch (command.kind) {
      case BSC_COMMAND_LAUNCH:
        add_launch(command.launch, out);
        break;
      case BSC_COMMAND_COPY: {
        auto* from = static_cast<Memory*>(command.copy.source);
        auto* to = static_cast<Memory*>(command.copy.destination);
        out.memory.insert(out.memory.end(), {from, to});
        out.steps.push_back([=, copy = command.copy] {
          std::memcpy(to->data() + copy.destination_offset, from->data() + copy.source_offset, copy.bytes);
          return BSC_OK;
        });
        break;
      }
      case BSC_COMMAND_WRITE:
      case BSC_COMMAND_READ: {
        auto* memory = static_cast<Memory*>(command.transfer.memory);
        out.memory.push_back(memory);
        out.steps.push_back([=, kind = command.kind, transfer = command.transfer] {
          std::byte* device = memory->data() + transfer.offset;
          if (transfer.bytes == 0) return BSC_OK;
          if (kind == BSC_COMMAND_WRITE) std::memcpy(device, transfer.host, transfer.bytes);
          if (kind == BSC_COMMAND_READ) std::memcpy(transfer.host, device, transfer.bytes);
          return BSC_OK;
        });
        break;
      }
      case BSC_COMMAND_FILL: {
        if (!options.with_fill) return fail(error, BSC_UNSUPPORTED, "no fill");
        auto* memory = static_cast<Memory*>(command.fill.memory);
        out.memory.push_back(memory);
        out.steps.push_back([=, fill = command.fill] {
          for (std::uint64_t at = 0; at < fill.bytes; at += fill.pattern_bytes) {
            std::memcpy(memory->data() + fill.offset + at, fill.pattern, fill.pattern_bytes);
          }
          return BSC_OK;
        });
        break;
      }
      case BSC_COMMAND_WAIT: {
        auto* other = static_cast<Queue*>(command.wait.queue);
        ++waits_submitted;
        out.steps.push_back([=, value = command.wait.value] {
          wait_for(*other, value, BSC_WAIT_FOREVER, nullptr);
          return BSC_OK;
        });
        break;
      }
      default:
        return fail(error, BSC_UNSUPPORTED, "unknown command");
    }
  }
  return BSC_OK;
}

inline bsc_status FakePlugin::enqueue(Queue& queue, const bsc_plugin_submission& submission, std::uint64_t* out_value,
                                      bsc_plugin_error* error) {
  const bsc_status refused = next_submission_fails.exchange(BSC_OK);
  if (refused != BSC_OK) return fail(error, refused, "refused as told");
  Work work;
  const bsc_status status = make_work(submission, work, error);
  if (status != BSC_OK) return status;
  const std::lock_guard lock(queue.mutex);
  if (queue.failure != BSC_OK) return fail(error, queue.failure, "the queue has failed before");
  for (Memory* memory : work.memory) ++memory->pending;
  queue.pending.push_back(std::move(work));
  *out_value = ++queue.submitted;
  ++submissions;
  return BSC_OK;
}

inline void FakePlugin::copy_command(Graph& graph, std::size_t index, const bsc_plugin_command& command) {
  graph.commands[index] = command;
  if (command.kind != BSC_COMMAND_LAUNCH) return;
  auto& launch = graph.commands[index].launch;
  graph.arguments[index].assign(command.launch.arguments, command.launch.arguments + launch.argument_count);
  const auto* blob = static_cast<const std::byte*>(command.launch.blob);
  graph.blobs[index].assign(blob, blob + launch.blob_bytes);
  launch.arguments = graph.arguments[index].data();
  launch.blob = graph.blobs[index].data();
}

inline void FakePlugin::fill_tables() {
  instance_.size = sizeof instance_;
  instance_.open = [](const bsc_plugin_open_info*, bsc_plugin_instance*, bsc_plugin_error* error) {
    return fail(error, BSC_UNSUPPORTED, "tests open it directly");
  };
  instance_.close = [](bsc_plugin_instance handle, bsc_plugin_error*) -> bsc_status {
    auto* instance = static_cast<Instance*>(handle);
    --instance->plugin.live_instances;
    delete instance;
    return BSC_OK;
  };
  instance_.enumerate = [](bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out,
                           std::uint64_t* count, bsc_plugin_error*) -> bsc_status {
    auto& devices = static_cast<Instance*>(handle)->devices;
    *count = devices.size();
    for (std::uint64_t i = 0; out && i < std::min<std::uint64_t>(capacity, devices.size()); ++i)
      out[i] = devices[i].get();
    return BSC_OK;
  };
  device_.size = sizeof device_;
  device_.info = [](bsc_plugin_device handle, bsc_plugin_device_info* info, bsc_plugin_error*) -> bsc_status {
    auto* device = static_cast<Device*>(handle);
    static const bsc_plugin_capability capabilities[] = {
        {"fp64", 1, ""}, {"avx2", 1, ""}, {"local_memory", 65536, "bytes"}};
    const auto header = info->header;
    *info = {};
    info->header = header;
    info->name = device->name.c_str();
    info->vendor = "Fake";
    info->driver = "fake 1.0";
    info->driver_version = "1.0";
    info->driver_path = "";
    info->architecture = device->plugin->options.architecture;
    info->type = "cpu";
    info->uuid = device->uuid.c_str();
    info->pci = device->pci.c_str();
    info->memory_bytes = device->plugin->options.memory_bytes;
    info->max_allocation_bytes = device->plugin->options.max_allocation;
    info->compute_units = 4;
    info->max_block_threads = 1024;
    info->max_block[0] = info->max_block[1] = info->max_block[2] = 1024;
    info->max_grid[0] = info->max_grid[1] = info->max_grid[2] = device->plugin->options.max_grid;
    info->max_shared_bytes = 65536;
    info->max_argument_bytes = 4096;
    info->min_sub_group = info->max_sub_group = 1;
    info->format_count = device->plugin->options.formats.size();
    info->formats = device->plugin->options.formats.data();
    info->capability_count = 3;
    info->capability_stride = sizeof(bsc_plugin_capability);
    info->capabilities = capabilities;
    return BSC_OK;
  };
  if (options.with_memory_state) {
    device_.memory_state = [](bsc_plugin_device handle, bsc_plugin_memory_state* state,
                              bsc_plugin_error*) -> bsc_status {
      auto* plugin = static_cast<Device*>(handle)->plugin;
      state->total_bytes = plugin->options.memory_bytes;
      state->free_bytes = plugin->options.memory_bytes - plugin->used_bytes;
      return BSC_OK;
    };
  }
  memory_.size = sizeof memory_;
  memory_.allocate = [](bsc_plugin_device handle, const bsc_plugin_memory_description* description,
                        bsc_plugin_memory* out, bsc_plugin_error* error) -> bsc_status {
    auto* plugin = static_cast<Device*>(handle)->plugin;
    ++plugin->allocations;
    if (plugin->fail_allocations > 0) {
      --plugin->fail_allocations;
      return fail(error, BSC_OUT_OF_MEMORY, "no memory, as told");
    }
    if (plugin->used_bytes + description->bytes > plugin->options.memory_bytes) {
      return fail(error, BSC_OUT_OF_MEMORY, "asked " + std::to_string(description->bytes));
    }
    auto* memory = make<Memory>(*plugin, BSC_OBJECT_MEMORY);
    memory->plugin = plugin;
    memory->size = description->bytes;
    memory->bytes.resize(description->bytes / sizeof(std::max_align_t) + 1);
    plugin->used_bytes += description->bytes;
    ++plugin->live_memory;
    *out = memory;
    return BSC_OK;
  };
  memory_.release = [](bsc_plugin_memory handle, bsc_plugin_error*) -> bsc_status {
    auto* memory = static_cast<Memory*>(handle);
    if (memory->pending != 0) ++memory->plugin->released_while_in_use;
    memory->plugin->used_bytes -= memory->size;
    --memory->plugin->live_memory;
    delete memory;
    return BSC_OK;
  };
  if (options.with_map) {
    memory_.map = [](bsc_plugin_memory handle, void** out, bsc_plugin_error*) -> bsc_status {
      *out = static_cast<Memory*>(handle)->data();
      return BSC_OK;
    };
  }
  queue_.size = sizeof queue_;
  queue_.create = [](bsc_plugin_device handle, const bsc_plugin_queue_description*, bsc_plugin_queue* out,
                     bsc_plugin_error*) -> bsc_status {
    auto* plugin = static_cast<Device*>(handle)->plugin;
    auto* queue = make<Queue>(*plugin, BSC_OBJECT_QUEUE);
    queue->plugin = plugin;
    ++plugin->live_queues;
    *out = queue;
    return BSC_OK;
  };
  queue_.release = [](bsc_plugin_queue handle, bsc_plugin_error*) -> bsc_status {
    auto* queue = static_cast<Queue*>(handle);
    wait_for(*queue, queue->submitted, BSC_WAIT_FOREVER, nullptr);
    --queue->plugin->live_queues;
    delete queue;
    return BSC_OK;
  };
  queue_.submit = [](bsc_plugin_queue handle, const bsc_plugin_submission* submission, std::uint64_t* out_value,
                     bsc_plugin_error* error) -> bsc_status {
    auto* queue = static_cast<Queue*>(handle);
    return queue->plugin->enqueue(*queue, *submission, out_value, error);
  };
  event_.size = sizeof event_;
  event_.wait = [](bsc_plugin_queue handle, std::uint64_t value, std::uint64_t timeout,
                   bsc_plugin_error* error) -> bsc_status {
    return wait_for(*static_cast<Queue*>(handle), value, timeout, error);
  };
  if (options.with_completed) {
    event_.completed = [](bsc_plugin_queue handle, std::uint64_t* out, bsc_plugin_error*) -> bsc_status {
      auto* queue = static_cast<Queue*>(handle);
      const std::lock_guard lock(queue->mutex);
      *out = queue->completed;
      return BSC_OK;
    };
  }
  module_.size = sizeof module_;
  module_.load = [](bsc_plugin_device handle, const bsc_plugin_image* image, bsc_plugin_module* out,
                    bsc_plugin_error* error) -> bsc_status {
    if (!image->header.next) return fail(error, BSC_INVALID_IMAGE, "only host tables");
    const auto* table = reinterpret_cast<const bsc_plugin_host_table_image*>(image->header.next)->table;
    auto* plugin = static_cast<Device*>(handle)->plugin;
    auto* module = make<Module>(*plugin, BSC_OBJECT_MODULE);
    module->plugin = plugin;
    for (std::uint32_t i = 0; i < table->entry_count; ++i) {
      auto* function = make<Function>(*plugin, BSC_OBJECT_FUNCTION);
      function->entry = &table->entries[i];
      module->functions.emplace_back(function);
    }
    ++plugin->live_modules;
    *out = module;
    return BSC_OK;
  };
  module_.unload = [](bsc_plugin_module handle, bsc_plugin_error*) -> bsc_status {
    auto* module = static_cast<Module*>(handle);
    --module->plugin->live_modules;
    delete module;
    return BSC_OK;
  };
  module_.function = [](bsc_plugin_module handle, const char* name, bsc_plugin_function* out,
                        bsc_plugin_error* error) -> bsc_status {
    for (auto& function : static_cast<Module*>(handle)->functions) {
      if (std::strcmp(function->entry->name, name) == 0) {
        *out = function.get();
        return BSC_OK;
      }
    }
    return fail(error, BSC_NOT_FOUND, "no such function");
  };
  module_.function_name = [](bsc_plugin_module handle, std::uint64_t index, const char** out,
                             bsc_plugin_error*) -> bsc_status {
    auto& functions = static_cast<Module*>(handle)->functions;
    if (index >= functions.size()) return BSC_NOT_FOUND;
    *out = functions[index]->entry->name;
    return BSC_OK;
  };
  graph_.size = sizeof graph_;
  graph_.create = [](bsc_plugin_device handle, const bsc_plugin_submission* submission, bsc_plugin_graph* out,
                     bsc_plugin_error*) -> bsc_status {
    auto* plugin = static_cast<Device*>(handle)->plugin;
    auto* graph = make<Graph>(*plugin, BSC_OBJECT_GRAPH);
    graph->plugin = plugin;
    graph->commands.resize(submission->command_count);
    graph->arguments.resize(submission->command_count);
    graph->blobs.resize(submission->command_count);
    for (std::size_t i = 0; i < submission->command_count; ++i) copy_command(*graph, i, submission->commands[i]);
    ++plugin->live_graphs;
    *out = graph;
    return BSC_OK;
  };
  graph_.release = [](bsc_plugin_graph handle, bsc_plugin_error*) -> bsc_status {
    auto* graph = static_cast<Graph*>(handle);
    --graph->plugin->live_graphs;
    delete graph;
    return BSC_OK;
  };
  graph_.update = [](bsc_plugin_graph handle, std::uint64_t index, const bsc_plugin_command* command,
                     bsc_plugin_error*) -> bsc_status {
    copy_command(*static_cast<Graph*>(handle), index, *command);
    return BSC_OK;
  };
  graph_.replay = [](bsc_plugin_graph handle, bsc_plugin_queue queue_handle, std::uint64_t, std::uint64_t* out_value,
                     bsc_plugin_error* error) -> bsc_status {
    auto* graph = static_cast<Graph*>(handle);
    bsc_plugin_submission submission{};
    submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
    submission.command_count = graph->commands.size();
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.commands = graph->commands.data();
    ++graph->plugin->native_replays;
    return graph->plugin->enqueue(*static_cast<Queue*>(queue_handle), submission, out_value, error);
  };
  profile_.size = sizeof profile_;
  profile_.times = [](bsc_plugin_queue, std::uint64_t value, bsc_plugin_times* times, bsc_plugin_error*) -> bsc_status {
    times->submitted = value * 1000;
    times->started = value * 1000 + 100;
    times->ended = value * 1000 + 600;
    times->resolution = 10;
    return BSC_OK;
  };
  api_.header = {sizeof api_, BSC_STRUCT_API, nullptr};
  api_.instance = &instance_;
  api_.device = &device_;
  api_.memory = &memory_;
  api_.queue = &queue_;
  api_.event = &event_;
  api_.module = &module_;
  api_.graph = options.with_graph ? &graph_ : nullptr;
  api_.profile = options.with_times ? &profile_ : nullptr;
}

}  // namespace bascule::testing
