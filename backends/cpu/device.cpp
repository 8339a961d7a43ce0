// What the device says about itself, and the bookkeeping of what lives on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/device.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "backends/common/struct_access.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/memory.hpp"
#include "backends/cpu/module.hpp"
#include "backends/cpu/plugin.hpp"
#include "backends/cpu/queue.hpp"

namespace bascule::cpu {

using backend::fill_error;

Device::Device(Instance& owner)
    : Object(plugin_api()), instance(owner), processor(read_processor()), memory_bytes(read_memory_state().total_bytes) {
  for (const char* feature : processor.features) capabilities.add(feature, 1);
  const auto bytes = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  capabilities.add("fp64", 1)
      .add("int64_atomics", 1)
      .add("fp32_denormals", 1)
      .add("fp32_correctly_rounded_divide_sqrt", 1)
      .add("kernels_reach_host_memory", 1)
      .add("device_address", 1)
      .add("queue_compute_unit_limit", 1)
      .add("block_clusters", 1)  // of kernels in PTX
      .add("ptx_target", kPtxTarget)
      .add("host_team", owner.executor.compute_units(), "members")
      .add("l1_data_cache", bytes(processor.l1_data_bytes), "bytes")
      .add("l2_cache", bytes(processor.l2_bytes), "bytes")
      .add("l3_cache", bytes(processor.l3_bytes), "bytes")
      .add("cache_line", bytes(processor.cache_line_bytes), "bytes");
}

Device::~Device() {
  for (Queue* const queue : queues_) delete queue;
  for (Module* const module : modules_) delete module;
  for (Memory* const memory : memories_) delete memory;
}

bsc_status Device::check_usable(std::string_view call, bsc_plugin_error* error) const {
  if (!instance.executor.forked()) return BSC_OK;
  return fill_error(error, BSC_FORKED, call,
                    "this process was forked after the cpu backend had been opened, and its threads stayed in the parent; "
                    "fork first, or open the runtime again in the child");
}

bsc_status Device::close_queues(bsc_plugin_error* error) {
  std::vector<Queue*> open;
  {
    const std::lock_guard lock(mutex_);
    open.assign(queues_.begin(), queues_.end());
  }
  for (Queue* const queue : open) BSC_PLUGIN_RETURN_IF_ERROR(queue->close(error));
  return BSC_OK;
}

std::vector<bsc_simt_range> Device::memory_ranges() const {
  const std::lock_guard lock(mutex_);
  std::vector<bsc_simt_range> ranges;
  for (const Memory* const memory : memories_) {
    if (memory->data != nullptr) ranges.push_back({reinterpret_cast<std::uint64_t>(memory->data), memory->bytes});
  }
  return ranges;
}

void Device::adopt(Memory* memory) {
  const std::lock_guard lock(mutex_);
  memories_.insert(memory);
}
void Device::adopt(Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.insert(module);
}
void Device::adopt(Queue* queue) {
  const std::lock_guard lock(mutex_);
  queues_.insert(queue);
}
bool Device::disown(Memory* memory) {
  const std::lock_guard lock(mutex_);
  return memories_.erase(memory) == 1;
}
bool Device::disown(Module* module) {
  const std::lock_guard lock(mutex_);
  return modules_.erase(module) == 1;
}
bool Device::disown(Queue* queue) {
  const std::lock_guard lock(mutex_);
  return queues_.erase(queue) == 1;
}

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error) {
  auto* const device = backend::object_cast<Device>(handle, plugin_api());
  if (device == nullptr) return backend::fill_handle_error(error, "device.info", handle, BSC_OBJECT_DEVICE);
  if (out_info == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "device.info", "out_info must not be null");
  static constexpr const char* kFormats[] = {kHostFormat, kPtxFormat};
  bsc_plugin_device_info info = {};
  info.name = device->processor.name.c_str();
  info.vendor = device->processor.vendor.c_str();
  info.driver = "bascule cpu 0.1.0";
  info.driver_version = kPluginVersion;
  info.driver_path = "";
  info.architecture = device->processor.architecture.c_str();
  info.type = "cpu";
  info.uuid = "";
  info.pci = "";
  info.unified_memory = 1;
  info.memory_bytes = device->memory_bytes;
  info.max_allocation_bytes = device->memory_bytes;
  info.compute_units = device->instance.executor.compute_units();
  info.max_block_threads = kMaxItems;
  std::fill(std::begin(info.max_block), std::end(info.max_block), kMaxItems);
  std::fill(std::begin(info.max_grid), std::end(info.max_grid), kMaxItems);
  info.max_shared_bytes = kMaxSharedBytes;
  info.max_argument_bytes = kMaxArgumentBytes;
  info.min_sub_group = 1;
  info.max_sub_group = 1;
  info.format_count = std::size(kFormats);
  info.formats = kFormats;
  device->capabilities.describe(info);
  backend::write_struct(out_info, info);
  return BSC_OK;
}

bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error) {
  return backend::guarded(error, "device.memory_state", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "device.memory_state", handle, BSC_OBJECT_DEVICE);
    if (out_state == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "device.memory_state", "out_state must not be null");
    }
    bsc_plugin_memory_state state = {};
    state.total_bytes = device->memory_bytes;
    state.free_bytes = std::min(promisable_bytes(read_memory_state(), device->allocated_bytes.load()), device->memory_bytes);
    state.free_is_estimate = 1;  // the kernel's, of what can be had without swapping
    backend::write_struct(out_state, state);
    return BSC_OK;
  });
}

}  // namespace bascule::cpu
