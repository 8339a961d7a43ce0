// Memory without storage, except for host memory that somebody maps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/objects.hpp"

namespace bascule::null_backend {
namespace {

constexpr std::uint64_t kDefaultAlignment = 64;
constexpr std::uint64_t kPage = 4096;

bsc_status check_description(const Device& device, const bsc_plugin_memory_description& description,
                             bsc_plugin_error* error) {
  if (!std::has_single_bit(description.alignment) && description.alignment != 0 &&
      !has_fault(Fault::allocate_any_alignment_accepted)) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::memory_allocate, "the alignment {} is not a power of two",
                  description.alignment);
  }
  if (description.type > BSC_MEMORY_HOST && !has_fault(Fault::allocate_unknown_type_accepted)) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::memory_allocate,
                  "the memory type {} is unknown; there are 0 (device) and 1 (host)", description.type);
  }
  if (description.bytes == 0 && has_fault(Fault::allocate_zero_refused)) {
    return refuse(error, BSC_INVALID_ARGUMENT, Entry::memory_allocate, "0 bytes");
  }
  const auto most = static_cast<std::uint64_t>(device.instance.options.max_allocation_bytes);
  const bool wraps = has_fault(Fault::allocate_size_wraps) && description.bytes >> 63 != 0;
  if (description.bytes > most && !wraps && !has_fault(Fault::allocate_too_large_accepted)) {
    if (has_fault(Fault::allocate_message_without_limit)) {
      return refuse(error, BSC_LIMIT_EXCEEDED, Entry::memory_allocate, "too large");
    }
    return refuse(error, BSC_LIMIT_EXCEEDED, Entry::memory_allocate,
                  "{} bytes were asked for; max_allocation_bytes of this device is {}", description.bytes, most);
  }
  return BSC_OK;
}

// Takes `bytes` of the device's memory, as far as there are so many.
bsc_status reserve(Device& device, std::uint64_t bytes, bsc_plugin_error* error) {
  const auto total = static_cast<std::uint64_t>(device.instance.options.memory_bytes);
  std::uint64_t allocated = device.allocated_bytes.load(std::memory_order_relaxed);
  do {
    if (bytes > total - std::min(allocated, total) && !has_fault(Fault::allocate_never_full) &&
        !has_fault(Fault::allocate_too_large_accepted) && !has_fault(Fault::allocate_size_wraps)) {
      return refuse(error, BSC_OUT_OF_MEMORY, Entry::memory_allocate,
                    "{} bytes were asked for; {} of {} bytes are free", bytes, total - std::min(allocated, total), total);
    }
  } while (!device.allocated_bytes.compare_exchange_weak(allocated, allocated + bytes, std::memory_order_relaxed));
  return BSC_OK;
}

// Little comes from the host's allocator; for much, address space is enough, whose pages come when they are touched.
constexpr std::uint64_t kMostFromHost = 1 << 20;

bsc_status make_storage(Memory& memory, bsc_plugin_error* error) {
  const std::uint64_t bytes = std::max<std::uint64_t>(memory.bytes, 1) + std::max(memory.alignment, kPage);
  const bool is_mapping = bytes > kMostFromHost;
  void* storage = nullptr;
  if (is_mapping) {
    storage = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (storage == MAP_FAILED) storage = nullptr;
  } else {
    storage = memory.device.instance.services.allocate(bytes, kPage);
  }
  if (storage == nullptr) {
    return refuse(error, BSC_OUT_OF_MEMORY, Entry::memory_map, "the system has no {} bytes", bytes);
  }
  memory.storage = storage;
  memory.storage_bytes = bytes;
  memory.storage_is_mapping = is_mapping;
  return BSC_OK;
}

void free_storage(const Memory& memory, void* storage) {
  if (storage == nullptr) return;
  if (memory.storage_is_mapping) {
    munmap(storage, memory.storage_bytes);
  } else {
    memory.device.instance.services.deallocate(storage);
  }
}

void* aligned_storage(const Memory& memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.storage);
  std::uintptr_t aligned = (address + memory.alignment - 1) & ~(memory.alignment - 1);
  if (has_fault(Fault::allocate_alignment_ignored)) aligned = address + 8;
  return reinterpret_cast<void*>(aligned);
}

}  // namespace

Memory::~Memory() {
  free_storage(*this, storage);
}

bsc_status allocate_memory(bsc_plugin_device handle, const bsc_plugin_memory_description* given,
                           bsc_plugin_memory* out_memory, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "memory.allocate", [&]() -> bsc_status {
    auto* const device = object<Device>(handle);
    if (device == nullptr) return refuse_handle(error, "memory.allocate", handle, BSC_OBJECT_DEVICE);
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device->instance, device, Entry::memory_allocate, error));
    const bsc_plugin_memory_description description = backend::read_struct(given);
    BSC_PLUGIN_RETURN_IF_ERROR(check_description(*device, description, error));

    auto memory = std::make_unique<Memory>(*device);
    memory->bytes = description.bytes;
    memory->alignment = std::max(description.alignment, kDefaultAlignment);
    memory->type = description.type;
    if (!std::has_single_bit(memory->alignment)) memory->alignment = kDefaultAlignment;
    BSC_PLUGIN_RETURN_IF_ERROR(reserve(*device, memory->bytes, error));
    const std::uint64_t step = memory->bytes + 2 * memory->alignment;
    memory->address = (device->next_address.fetch_add(step) + memory->alignment - 1) & ~(memory->alignment - 1);
    {
      const std::lock_guard lock(device->instance.mutex);
      device->instance.memories.insert(memory.get());
    }
    if (has_fault(Fault::allocate_api_pointer_missing)) memory->api = nullptr;
    if (has_fault(Fault::allocate_handle_kind_wrong)) memory->kind = BSC_OBJECT_MODULE;
    *out_memory = memory.release();
    return succeed(error);
  });
}

bsc_status release_memory(bsc_plugin_memory handle, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "memory.release", [&]() -> bsc_status {
    auto* const memory = object<Memory>(handle);
    if (memory == nullptr) {
      const bool released = handle != nullptr && handle->magic == 0;
      const bool other_kind = handle != nullptr && handle->magic == BSC_OBJECT_MAGIC && handle->kind != BSC_OBJECT_MEMORY;
      return refuse_handle(error, "memory.release", handle, BSC_OBJECT_MEMORY,
                           released     ? Fault::release_released_accepted
                           : other_kind ? Fault::release_kind_unchecked
                                        : Fault::release_handle_unchecked);
    }
    Device& device = memory->device;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(device.instance, &device, Entry::memory_release, error));
    {
      const std::lock_guard lock(device.instance.mutex);
      device.instance.memories.erase(memory);
    }
    device.allocated_bytes.fetch_sub(memory->bytes, std::memory_order_relaxed);
    delete memory;
    return succeed(error);
  });
}

bsc_status map_memory(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "memory.map", [&]() -> bsc_status {
    auto* const memory = object<Memory>(handle);
    if (memory == nullptr) {
      return refuse_handle(error, "memory.map", handle, BSC_OBJECT_MEMORY, Fault::map_handle_unchecked);
    }
    Instance& instance = memory->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &memory->device, Entry::memory_map, error));
    if (memory->type != BSC_MEMORY_HOST) {
      return refuse(error, BSC_UNSUPPORTED, Entry::memory_map, "device memory of the null backend has no storage");
    }
    const std::lock_guard lock(memory->mutex);
    if (memory->storage != nullptr && has_fault(Fault::map_changes)) {
      void* const old_storage = memory->storage;
      BSC_PLUGIN_RETURN_IF_ERROR(make_storage(*memory, error));
      free_storage(*memory, old_storage);
    }
    if (memory->storage == nullptr) BSC_PLUGIN_RETURN_IF_ERROR(make_storage(*memory, error));
    if (has_fault(Fault::map_too_short) && memory->storage_is_mapping) {
      mprotect(static_cast<char*>(memory->storage) + kPage, memory->storage_bytes - kPage, PROT_NONE);
    }
    *out_pointer = aligned_storage(*memory);
    return succeed(error);
  });
}

bsc_status memory_device_address(bsc_plugin_memory handle, std::uint64_t* out_address, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "memory.device_address", [&]() -> bsc_status {
    auto* const memory = object<Memory>(handle);
    if (memory == nullptr) return refuse_handle(error, "memory.device_address", handle, BSC_OBJECT_MEMORY);
    Instance& instance = memory->device.instance;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(instance, &memory->device, Entry::memory_device_address, error));
    if (has_fault(Fault::address_changes)) memory->address += memory->alignment;
    *out_address = memory->address;
    return succeed(error);
  });
}

}  // namespace bascule::null_backend
