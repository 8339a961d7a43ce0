// What the runtime keeps for a device: description, memory, transfer queue.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/device.hpp"

#include <algorithm>
#include <cstring>

#include "core/runtime/error_handle.hpp"

using namespace bascule::core;

namespace {

std::string text(const char* value) { return value ? value : ""; }

// Plugins may leave a limit at zero for "none".
std::uint64_t limit(std::uint64_t value) { return value ? value : UINT64_MAX; }

}  // namespace

Result<Ref<bsc_device>> bsc_device::create(bsc_instance& instance, const Backend& backend, bsc_plugin_device handle,
                                           std::uint64_t index) {
  bsc_plugin_device_info info{};
  info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
  PluginError error;
  const bsc_status status = backend.tables().device.info(handle, &info, error.raw());
  if (status != BSC_OK) return error.take(status, backend.name(), "describing device " + std::to_string(index));
  return make_ref<bsc_device>(instance, backend, handle, backend.name() + ":" + std::to_string(index), info);
}

bsc_device::bsc_device(bsc_instance& instance, const Backend& backend, bsc_plugin_device handle, std::string id,
                       const bsc_plugin_device_info& info)
    : Object(kKind),
      instance_(instance),
      backend_(backend),
      handle_(handle),
      id_(std::move(id)),
      texts_{text(info.name),         text(info.vendor), text(info.driver), text(info.driver_version),
             text(info.architecture), text(info.type),   text(info.uuid),   text(info.pci)} {
  for (std::uint64_t i = 0; i < info.format_count; ++i) formats_.emplace_back(info.formats[i]);
  const auto* bytes = reinterpret_cast<const unsigned char*>(info.capabilities);
  const std::uint64_t stride = info.capability_stride ? info.capability_stride : sizeof(bsc_plugin_capability);
  for (std::uint64_t i = 0; i < info.capability_count; ++i) {
    bsc_plugin_capability capability{};
    std::memcpy(&capability, bytes + i * stride, std::min<std::uint64_t>(stride, sizeof capability));
    capabilities_.push_back({text(capability.name), capability.value, text(capability.unit)});
  }
  info_.size = sizeof info_;
  info_.id = id_.c_str();
  info_.backend = backend.name().c_str();
  info_.name = texts_.name.c_str();
  info_.vendor = texts_.vendor.c_str();
  info_.driver = texts_.driver.c_str();
  info_.driver_version = texts_.driver_version.c_str();
  info_.architecture = texts_.architecture.c_str();
  info_.type = texts_.type.c_str();
  info_.uuid = texts_.uuid.c_str();
  info_.pci = texts_.pci.c_str();
  info_.emulated = info.emulated;
  info_.unified_memory = info.unified_memory;
  info_.memory_bytes = info.memory_bytes;
  info_.max_allocation_bytes = limit(info.max_allocation_bytes);
  info_.compute_units = std::max<std::uint64_t>(info.compute_units, 1);
  info_.max_block_threads = limit(info.max_block_threads);
  for (int d = 0; d < 3; ++d) {
    info_.max_block[d] = limit(info.max_block[d]);
    info_.max_grid[d] = limit(info.max_grid[d]);
  }
  info_.max_shared_bytes = info.max_shared_bytes;
  info_.max_argument_bytes = limit(info.max_argument_bytes);
  info_.min_sub_group = std::max<std::uint64_t>(info.min_sub_group, 1);
  info_.max_sub_group = std::max<std::uint64_t>(info.max_sub_group, 1);
  traits_ = device_traits(info, id_);
}

bool bsc_device::takes_format(const std::string& format) const {
  return std::find(formats_.begin(), formats_.end(), format) != formats_.end();
}

Result<std::unique_ptr<Memory>> bsc_device::allocate_once(std::uint64_t bytes, std::uint32_t type) {
  bsc_plugin_memory_description description{};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  description.type = type;
  PluginError error;
  bsc_plugin_memory handle = nullptr;
  const bsc_status status = backend_.tables().memory.allocate(handle_, &description, &handle, error.raw());
  if (status != BSC_OK) {
    Error result = error.take(status, backend_.name(), "allocating " + std::to_string(bytes) + " bytes");
    if (status == BSC_OUT_OF_MEMORY) {
      result.retryable = true;
      result.remedy = "release buffers, or use a device with more memory (" + id_ + " has " +
                      std::to_string(info_.memory_bytes) + " bytes)";
    }
    return result;
  }
  return std::make_unique<Memory>(backend_, handle, bytes);
}

Result<std::unique_ptr<Memory>> bsc_device::allocate(std::uint64_t bytes, std::uint32_t type) {
  if (type != BSC_BUFFER_DEVICE && type != BSC_BUFFER_HOST) {
    return invalid_argument("buffer type " + std::to_string(type) + " is unknown",
                            "use BSC_BUFFER_DEVICE or BSC_BUFFER_HOST");
  }
  if (bytes > info_.max_allocation_bytes) {
    return Error{.status = BSC_LIMIT_EXCEEDED,
                 .message = id_ + ": " + std::to_string(bytes) + " bytes asked, at most " +
                            std::to_string(info_.max_allocation_bytes) + " bytes can be one allocation",
                 .remedy = "split the buffer, or use a device with a larger max_allocation_bytes",
                 .backend = backend_.name()};
  }
  graveyard_.collect();
  auto memory = allocate_once(bytes, type);
  if (memory.ok() || memory.error().status != BSC_OUT_OF_MEMORY) return memory;
  pool_.trim();
  return allocate_once(bytes, type);
}

Result<std::unique_ptr<Memory>> bsc_device::allocate_pooled(std::uint64_t bytes, const Timeline* timeline) {
  const std::uint64_t rounded = Pool::class_bytes(bytes, info_.max_allocation_bytes);
  if (auto memory = pool_.take(rounded, timeline)) return memory;
  auto memory = allocate(rounded, BSC_BUFFER_DEVICE);
  // The class's size may be too much where the exact one still fits.
  if (!memory.ok() && memory.error().status == BSC_OUT_OF_MEMORY && rounded != bytes) {
    return allocate_once(bytes, BSC_BUFFER_DEVICE);
  }
  return memory;
}

Status bsc_device::with_transfer_queue(const std::function<Status(PluginQueue&)>& body) {
  const std::lock_guard lock(transfer_mutex_);
  if (!transfer_queue_) {
    auto queue = PluginQueue::create(*this, {});
    if (!queue.ok()) return queue.take_error();
    transfer_queue_ = std::move(queue).value();
  }
  Status status = body(*transfer_queue_);
  // A queue whose work failed takes no more; the next transfer gets a new one.
  if (!status.ok()) transfer_queue_.reset();
  return status;
}

void bsc_device::shut_down() {
  transfer_queue_.reset();
  graveyard_.collect();
  pool_.trim();
}
