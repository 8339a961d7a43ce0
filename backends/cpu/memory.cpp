// Allocation, release and mapping.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/cpu/instance.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {
namespace {

using backend::fill_error;

constexpr std::uint64_t kDefaultAlignment = 64;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 30;
// From here on, memory begins on a huge page and asks for huge pages: a stream through it misses the TLB 512 times less.
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kHugeFrom = 2 * kHugePage;
// Reading what is available costs some 20 us, which small allocations need not pay: malloc's own limits hold them.
constexpr std::uint64_t kCheckedFrom = std::uint64_t{16} << 20;

bsc_status check_available(const Device& device, std::uint64_t bytes, bsc_plugin_error* error) {
  if (bytes < kCheckedFrom) return BSC_OK;
  const std::uint64_t allocated = device.allocated_bytes.load(std::memory_order_relaxed);
  const std::uint64_t available = promisable_bytes(read_memory_state(), allocated);
  if (bytes <= available) return BSC_OK;
  return fill_error(error, BSC_OUT_OF_MEMORY, "memory.allocate",
                    "{} bytes were asked for, {} of the machine's {} bytes are available ({} are allocated by this "
                    "backend); release buffers or use smaller ones",
                    bytes, available, device.memory_bytes, allocated);
}

bsc_status check_description(const Device& device, const bsc_plugin_memory_description& wanted, bsc_plugin_error* error) {
  if (wanted.type != BSC_MEMORY_DEVICE && wanted.type != BSC_MEMORY_HOST) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "unknown memory type {}", wanted.type);
  }
  if (wanted.alignment != 0 && !std::has_single_bit(wanted.alignment)) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "the alignment {} is not a power of two",
                      wanted.alignment);
  }
  if (wanted.alignment > kMaxAlignment) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "memory.allocate",
                      "an alignment of {} bytes was asked for; the cpu backend aligns to {} bytes at most", wanted.alignment,
                      kMaxAlignment);
  }
  if (wanted.bytes > device.memory_bytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "memory.allocate",
                      "{} bytes were asked for; max_allocation_bytes is {}, all of this machine's memory, of which {} bytes "
                      "are available",
                      wanted.bytes, device.memory_bytes, read_memory_state().available_bytes);
  }
  return check_available(device, wanted.bytes, error);
}

std::byte* allocate_storage(std::uint64_t bytes, std::uint64_t alignment) {
  const bool huge = bytes >= kHugeFrom;
  alignment = std::max({alignment, kDefaultAlignment, huge ? kHugePage : 0});
  const std::uint64_t rounded = (bytes + alignment - 1) / alignment * alignment;  // both are far below 2^63
  void* const storage = std::aligned_alloc(alignment, rounded);
  if (storage != nullptr && huge) (void)::madvise(storage, rounded, MADV_HUGEPAGE);  // advice only
  return static_cast<std::byte*>(storage);
}

}  // namespace

Memory::Memory(Device& owner, std::byte* storage, std::uint64_t size)
    : Object(owner.bsc_plugin_object::api), device(owner), data(storage), bytes(size) {
  device.allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

Memory::~Memory() {
  std::free(data);
  device.allocated_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

bsc_status memory_allocate(bsc_plugin_device handle, const bsc_plugin_memory_description* description,
                           bsc_plugin_memory* out_memory, bsc_plugin_error* error) {
  return backend::guarded(error, "memory.allocate", [&]() -> bsc_status {
    auto* const device = backend::object_cast<Device>(handle, plugin_api());
    if (device == nullptr) return backend::fill_handle_error(error, "memory.allocate", handle, BSC_OBJECT_DEVICE);
    if (description == nullptr || out_memory == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "description and out_memory must not be null");
    }
    BSC_PLUGIN_RETURN_IF_ERROR(device->check_usable("memory.allocate", error));
    const bsc_plugin_memory_description wanted = backend::read_struct(description);
    BSC_PLUGIN_RETURN_IF_ERROR(check_description(*device, wanted, error));
    std::unique_ptr<std::byte, decltype(&std::free)> storage(nullptr, &std::free);
    if (wanted.bytes != 0) {
      storage.reset(allocate_storage(wanted.bytes, wanted.alignment));
      if (!storage) {
        return fill_error(error, BSC_OUT_OF_MEMORY, "memory.allocate",
                          "{} bytes were asked for and the system gave none; {} bytes of memory are available (is there a "
                          "limit on this process? see ulimit -v)",
                          wanted.bytes, read_memory_state().available_bytes);
      }
    }
    auto memory = std::make_unique<Memory>(*device, storage.get(), wanted.bytes);
    (void)storage.release();
    device->adopt(memory.get());
    *out_memory = memory.release();
    return BSC_OK;
  });
}

bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error) {
  return backend::guarded(error, "memory.release", [&]() -> bsc_status {
    auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
    if (memory == nullptr) return backend::fill_handle_error(error, "memory.release", handle, BSC_OBJECT_MEMORY);
    if (memory->device.instance.executor.forked()) return BSC_OK;  // the parent's
    memory->device.disown(memory);
    delete memory;
    return BSC_OK;
  });
}

bsc_status memory_map(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error) {
  auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, "memory.map", handle, BSC_OBJECT_MEMORY);
  if (out_pointer == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "memory.map", "out_pointer must not be null");
  *out_pointer = memory->data;
  return BSC_OK;
}

bsc_status memory_device_address(bsc_plugin_memory handle, uint64_t* out_address, bsc_plugin_error* error) {
  auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, "memory.device_address", handle, BSC_OBJECT_MEMORY);
  if (out_address == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.device_address", "out_address must not be null");
  }
  *out_address = reinterpret_cast<std::uintptr_t>(memory->data);
  return BSC_OK;
}

}  // namespace bascule::cpu
