// Allocation, release and mapping.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/memory.hpp"

#include <bit>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/context.hpp"
#include "backends/common/gpu/instance.hpp"
#include "backends/common/gpu/plugin.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

constexpr std::uint64_t kDriverAlignment = 256;  // of every allocation, by the drivers' documentation
constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 30;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

bsc_status check_description(const Device& device, const bsc_plugin_memory_description& description,
                             bsc_plugin_error* error) {
  if (description.type != BSC_MEMORY_DEVICE && description.type != BSC_MEMORY_HOST) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "unknown memory type {}", description.type);
  }
  if (description.alignment != 0 && !std::has_single_bit(description.alignment)) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "the alignment {} is not a power of two",
                      description.alignment);
  }
  if (description.alignment > kMostAlignment) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "memory.allocate", "an alignment of {} bytes was asked for; the most is {}",
                      description.alignment, kMostAlignment);
  }
  if (description.bytes > device.properties.memory_bytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "memory.allocate",
                      "{} bytes were asked for; {} has {} bytes of memory. Split the buffer or use a larger device",
                      description.bytes, device.properties.name, device.properties.memory_bytes);
  }
  return BSC_OK;
}

}  // namespace

Memory::Memory(Device& owner, const bsc_plugin_memory_description& wanted)
    : Object(owner.bsc_plugin_object::api), device(owner), bytes(wanted.bytes), type(wanted.type) {}

// The device's context must be current, here and in the destructor.
CallResult Memory::allocate(std::uint64_t allocated) {
  const Api& api = device.api();
  pooled_ = device.pool != nullptr;
  if (!pooled_) return {api.memory_allocate(&allocation_, allocated), api.memory_allocate.name};
  const CallResult result = {api.pool_allocate(&allocation_, allocated, device.pool, device.memory_stream),
                             api.pool_allocate.name};
  if (result.code != 0) return result;
  // Other streams may use it at once.
  const int code = api.stream_synchronize(device.memory_stream);
  if (code == 0) return {};
  device.release(api.pool_free, allocation_, device.memory_stream);
  return {code, api.stream_synchronize.name};
}

bsc_status Memory::out_of_memory(CallResult failed, bsc_plugin_error* error) {
  device.note(failed);
  std::size_t free = 0;
  std::size_t total = device.properties.memory_bytes;
  const bool known = device.api().memory_info(&free, &total) == 0;
  const std::string name = result_name(failed.code);
  return backend::fill_vendor_error(
      error, BSC_OUT_OF_MEMORY, failed.call, {failed.code, name},
      "cannot allocate {} bytes of {} memory: {} (of {} bytes on {} {} are free, also after the pool was trimmed). Release "
      "memory or use smaller buffers",
      bytes, type == BSC_MEMORY_HOST ? "host" : "device", name, total, device.properties.name,
      known ? fmt::format("{}", free) : "an unknown number");
}

bsc_status Memory::create_device(std::uint64_t allocated, bsc_plugin_error* error) {
  CallResult result = allocate(allocated);
  if (result.code == vendor().code_out_of_memory) {
    // What the pool keeps may be what is missing.
    if (device.pool != nullptr) {
      const int trimmed = device.api().pool_trim(device.pool, 0);
      device.note({trimmed, device.api().pool_trim.name});
    }
    if (!device.is_lost()) result = allocate(allocated);
    if (result.code == vendor().code_out_of_memory) return out_of_memory(result, error);
  }
  if (result.code == 0) return BSC_OK;
  allocation_ = 0;
  return device.fail(error, fmt::format("cannot allocate {} bytes of device memory", bytes), result);
}

bsc_status Memory::create_host(std::uint64_t allocated, bsc_plugin_error* error) {
  const Api& api = device.api();
  const int code = api.host_allocate(&host_allocation_, allocated, vendor().host_memory_flags);
  if (code == vendor().code_out_of_memory) return out_of_memory({code, api.host_allocate.name}, error);
  if (code != 0) {
    return device.fail(error, fmt::format("cannot allocate {} bytes of host memory", bytes), {code, api.host_allocate.name});
  }
  return device.call(error, "pinned host memory has no address on the device", api.host_address, &allocation_,
                     host_allocation_, 0);
}

bsc_status Memory::create(std::uint64_t alignment, bsc_plugin_error* error) {
  if (bytes == 0) return BSC_OK;
  const bool pads = alignment > kDriverAlignment;
  const std::uint64_t allocated = bytes + (pads ? alignment : 0);
  if (type == BSC_MEMORY_DEVICE) {
    BSC_PLUGIN_RETURN_IF_ERROR(create_device(allocated, error));
    address = pads ? round_up(allocation_, alignment) : allocation_;
    return BSC_OK;
  }
  BSC_PLUGIN_RETURN_IF_ERROR(create_host(allocated, error));
  const auto at = reinterpret_cast<std::uintptr_t>(host_allocation_);
  const std::uint64_t padding = pads ? round_up(at, alignment) - at : 0;
  host = static_cast<char*>(host_allocation_) + padding;
  address = allocation_ + padding;
  device.instance.pinned.add(host, bytes);
  return BSC_OK;
}

Memory::~Memory() {
  const Api& api = device.api();
  if (type == BSC_MEMORY_HOST) {
    if (host != nullptr) device.instance.pinned.remove(host);
    if (host_allocation_ != nullptr) device.release(api.host_free, host_allocation_);
  } else if (allocation_ != 0) {
    if (pooled_) {
      device.release(api.pool_free, allocation_, device.memory_stream);
    } else {
      device.release(api.memory_free, allocation_);
    }
  }
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
    ContextScope scope;
    BSC_PLUGIN_RETURN_IF_ERROR(scope.enter(*device, error));
    auto memory = std::make_unique<Memory>(*device, wanted);
    BSC_PLUGIN_RETURN_IF_ERROR(memory->create(wanted.alignment, error));
    device->adopt(memory.get());
    *out_memory = memory.release();
    return BSC_OK;
  });
}

bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error) {
  return backend::guarded(error, "memory.release", [&]() -> bsc_status {
    auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
    if (memory == nullptr) return backend::fill_handle_error(error, "memory.release", handle, BSC_OBJECT_MEMORY);
    Device& device = memory->device;
    if (device.instance.is_forked()) return BSC_OK;  // the parent's
    ContextScope scope;
    if (!device.is_lost()) BSC_PLUGIN_RETURN_IF_ERROR(scope.enter_context(device, error));
    device.disown(memory);
    delete memory;
    return BSC_OK;
  });
}

bsc_status memory_map(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error) {
  auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, "memory.map", handle, BSC_OBJECT_MEMORY);
  if (out_pointer == nullptr) return fill_error(error, BSC_INVALID_ARGUMENT, "memory.map", "out_pointer must not be null");
  if (memory->type != BSC_MEMORY_HOST) {
    return fill_error(error, BSC_UNSUPPORTED, "memory.map",
                      "device memory has no host address; read and write it, or allocate host memory");
  }
  *out_pointer = memory->host;
  return BSC_OK;
}

bsc_status memory_device_address(bsc_plugin_memory handle, std::uint64_t* out_address, bsc_plugin_error* error) {
  auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
  if (memory == nullptr) return backend::fill_handle_error(error, "memory.device_address", handle, BSC_OBJECT_MEMORY);
  if (out_address == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.device_address", "out_address must not be null");
  }
  *out_address = memory->address;
  return BSC_OK;
}

}  // namespace bascule::gpu
