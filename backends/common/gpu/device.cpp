// Making a device ready, describing it to the host, and losing it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/device.hpp"

#include <algorithm>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/graph.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/memory.hpp"
#include "backends/common/gpu/module.hpp"
#include "backends/common/gpu/plugin.hpp"
#include "backends/common/gpu/queue.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

// CUmemPoolProps and its equals: an ordinary pool on one device.
struct PoolProperties {
  int allocation_type = 1;  // pinned: not migratable
  int handle_types = 0;
  int location_type = 1;  // a device
  int location = 0;
  void* security = nullptr;
  std::size_t most = 0;
  unsigned char reserved[56] = {};
};
static_assert(sizeof(PoolProperties) == 88);

template <class T>
void destroy_each(std::unordered_set<T*>& set) {
  for (T* const object : std::exchange(set, {})) delete object;
}

}  // namespace

Device::Device(Instance& owner, DeviceProperties read)
    : Object(owner.bsc_plugin_object::api), instance(owner), properties(std::move(read)), events(*this) {}

Device::~Device() {
  ContextScope scope;
  const bool was_lost = is_lost();
  const bool usable = !retained_ || was_lost || scope.enter_context(*this, nullptr) == BSC_OK;
  if (!usable) lost_ = true;  // what is in the context goes with it
  destroy_each(queues_);  // waits for their work
  destroy_each(graphs_);
  destroy_each(modules_);
  destroy_each(memories_);
  events.destroy_all();
  if (pool != nullptr) release(api().pool_destroy, pool);
  if (memory_stream != nullptr) release(api().stream_destroy, memory_stream);
  scope.leave();
  if (!usable) lost_ = was_lost;
  if (context != nullptr) release(api().context_release, properties.ordinal);
}

const Api& Device::api() const { return instance.driver.api; }

bsc_status Device::check_usable(std::string_view call, bsc_plugin_error* error) const {
  BSC_PLUGIN_RETURN_IF_ERROR(instance.check_process(call, error));
  if (!is_lost()) return BSC_OK;
  const std::lock_guard lock(lost_mutex_);
  return fill_error(error, BSC_DEVICE_LOST, call,
                    "{} was lost ({}) and cannot be used again in this process; start the program again", properties.name,
                    lost_reason_);
}

void Device::note(CallResult failed, bool by_its_queue) {
  const ResultCode& result = result_of(failed.code);
  if (!result.sticky && result.status != BSC_DEVICE_LOST) return;
  const std::lock_guard lock(lost_mutex_);
  if (lost_) return;
  lost_reason_ = fmt::format("{} said {}", failed.call, result_name(failed.code));
  if (!by_its_queue) unclaimed_loss_ = failed;
  lost_.store(true, std::memory_order_release);
}

CallResult Device::claim_loss() {
  const std::lock_guard lock(lost_mutex_);
  return std::exchange(unclaimed_loss_, {});
}

void Device::note_release(CallResult failed) {
  note(failed);
  if (failed.code == vendor().code_shutting_down) return;
  instance.services.log(BSC_LOG_DEBUG, "{}: {} failed with {} while something was released", vendor().backend, failed.call,
                        result_name(failed.code));
}

bsc_status Device::fail(bsc_plugin_error* error, std::string_view doing, CallResult failed) {
  note(failed);
  return fill_call_error(error, doing, failed);
}

bsc_status Device::retain_context(bsc_plugin_error* error) {
  if (retained_.load(std::memory_order_acquire)) return BSC_OK;
  const std::lock_guard lock(setup_mutex_);
  if (retained_) return BSC_OK;
  if (api().context_retain) {
    BSC_PLUGIN_RETURN_IF_ERROR(
        call(error, "the device cannot be opened", api().context_retain, &context, properties.ordinal));
  }
  retained_.store(true, std::memory_order_release);
  return BSC_OK;
}

// What was freed stays in the pool, up to a limit. A driver that refuses one gives plain memory.
void Device::create_pool() {
  PoolProperties wanted;
  wanted.location = properties.ordinal;
  if (!properties.pools || !api().pool_create || !instance.options.pool) return;
  Handle created = nullptr;
  if (const int code = api().pool_create(&created, &wanted); code != 0) {
    note({code, api().pool_create.name});
    instance.services.log(BSC_LOG_INFO, "{}: {} has no memory pool ({}); memory is allocated without one", vendor().backend,
                          properties.name, result_name(code));
    return;
  }
  pool = created;
  std::uint64_t kept = instance.options.pool_bytes;
  if (const int code = api().pool_set_attribute(pool, vendor().attribute_pool_threshold, &kept); code != 0) {
    note({code, api().pool_set_attribute.name});
    instance.services.log(BSC_LOG_INFO, "{}: the memory pool of {} keeps nothing ({})", vendor().backend, properties.name,
                          result_name(code));
  }
}

bsc_status Device::make_ready(bsc_plugin_error* error) {
  if (ready_.load(std::memory_order_acquire)) return BSC_OK;
  const std::lock_guard lock(setup_mutex_);
  if (ready_) return BSC_OK;
  if (memory_stream == nullptr) {
    BSC_PLUGIN_RETURN_IF_ERROR(call(error, "no stream for allocations", api().stream_create, &memory_stream,
                                    vendor().stream_flags, 0));
  }
  create_pool();
  ready_.store(true, std::memory_order_release);
  return BSC_OK;
}

bsc_status Device::describe(bsc_plugin_device_info* out_info) const {
  const DeviceProperties& p = properties;
  bsc_plugin_device_info info = {};
  info.name = p.name.c_str();
  info.vendor = vendor().vendor_name;
  info.driver = instance.driver_text.c_str();
  info.driver_version = instance.driver_version.c_str();
  info.driver_path = instance.driver.library.path().c_str();
  info.architecture = p.architecture.c_str();
  info.type = "gpu";
  info.uuid = p.uuid.c_str();
  info.pci = p.pci.c_str();
  info.emulated = p.emulated ? 1 : 0;
  info.unified_memory = p.unified_memory ? 1 : 0;
  info.memory_bytes = p.memory_bytes;
  info.max_allocation_bytes = p.memory_bytes;
  info.compute_units = p.compute_units;
  info.max_block_threads = p.max_block_threads;
  std::copy_n(p.max_block, 3, info.max_block);
  std::copy_n(p.max_grid, 3, info.max_grid);
  info.max_shared_bytes = p.max_shared_bytes;
  info.max_argument_bytes = p.max_argument_bytes;
  info.min_sub_group = p.sub_group;
  info.max_sub_group = p.sub_group;
  info.format_count = p.formats.size();
  info.formats = p.formats.data();
  p.capabilities.describe(info);
  backend::write_struct(out_info, info);
  return BSC_OK;
}

void Device::adopt(Memory* memory) {
  const std::lock_guard lock(mutex_);
  memories_.insert(memory);
}
void Device::adopt(Queue* queue) {
  const std::lock_guard lock(mutex_);
  queues_.insert(queue);
}
void Device::adopt(Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.insert(module);
}
void Device::adopt(Graph* graph) {
  const std::lock_guard lock(mutex_);
  graphs_.insert(graph);
}
void Device::disown(Memory* memory) {
  const std::lock_guard lock(mutex_);
  memories_.erase(memory);
}
void Device::disown(Queue* queue) {
  const std::lock_guard lock(mutex_);
  queues_.erase(queue);
}
void Device::disown(Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.erase(module);
}
void Device::disown(Graph* graph) {
  const std::lock_guard lock(mutex_);
  graphs_.erase(graph);
}

bsc_status device_info(bsc_plugin_device handle, bsc_plugin_device_info* out_info, bsc_plugin_error* error) {
  auto* const device = backend::object_cast<Device>(handle, plugin_api());
  if (device == nullptr) return backend::fill_handle_error(error, "device.info", handle, BSC_OBJECT_DEVICE);
  if (out_info == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "device.info", "out_info must not be null");
  return device->describe(out_info);
}

bsc_status device_memory_state(bsc_plugin_device handle, bsc_plugin_memory_state* out_state, bsc_plugin_error* error) {
  return backend::guarded(error, "device.memory_state", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "device.memory_state", handle, BSC_OBJECT_DEVICE);
    if (out_state == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "device.memory_state", "out_state must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("device.memory_state", error));
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(*device, error));
    std::size_t free = 0;
    std::size_t total = 0;
    BSC_PLUGIN_RETURN_IF_ERROR(device->call(error, "free memory is unknown", device->api().memory_info, &free, &total));
    bsc_plugin_memory_state state = {};
    state.total_bytes = total;
    state.free_bytes = free;
    state.free_is_estimate = vendor().free_memory_is_estimate || device->properties.unified_memory ? 1 : 0;
    backend::write_struct(out_state, state);
    return BSC_OK;
  });
}

}  // namespace bascule::gpu
