// Allocation, release and mapping.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/memory.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "backends/common/struct_access.hpp"
#include "backends/opencl/instance.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

// Of shared and of mapped memory alike: the size of OpenCL's largest type, the most that may be asked for.
constexpr std::uint64_t kHostAlignment = 128;

bsc_status check_description(const Device& device, const bsc_plugin_memory_description& description,
                             bsc_plugin_error* error) {
  const DeviceProperties& properties = device.properties;
  if (description.type != BSC_MEMORY_DEVICE && description.type != BSC_MEMORY_HOST) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "unknown memory type {}", description.type);
  }
  if (description.alignment != 0 && !std::has_single_bit(description.alignment)) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "memory.allocate", "the alignment {} is not a power of two",
                      description.alignment);
  }
  const bool on_host = description.type == BSC_MEMORY_HOST;
  const std::uint64_t most = std::max<std::uint64_t>(on_host ? kHostAlignment : properties.base_alignment, 64);
  if (description.alignment > most) {
    return fill_error(error, BSC_UNSUPPORTED, "memory.allocate",
                      "an alignment of {} bytes was asked for; {} aligns {} memory to {} bytes and OpenCL has no way to ask "
                      "for more",
                      description.alignment, properties.name, on_host ? "host" : "device", most);
  }
  if (description.bytes > properties.max_allocation_bytes) {
    return fill_error(error, BSC_LIMIT_EXCEEDED, "memory.allocate",
                      "{} bytes were asked for; {} allows {} bytes in one allocation (of {} bytes of memory). Split the "
                      "buffer.",
                      description.bytes, properties.name, properties.max_allocation_bytes, properties.memory_bytes);
  }
  return BSC_OK;
}

bsc_status fill_allocation_error(const Memory& memory, cl::Int code, std::string_view call, bsc_plugin_error* error) {
  const std::uint64_t total = memory.device.properties.memory_bytes;
  return backend::fill_vendor_error(
      error, memory.device.note(status_of(code)), call, {code, error_name(code)},
      "cannot allocate {} bytes of {} memory: {} (the device has {} bytes, of which this program holds {})", memory.bytes,
      memory.type == BSC_MEMORY_HOST ? "host" : "device", error_name(code), total, memory.device.allocated_bytes.load());
}

}  // namespace

bool host_memory_is_shared(const Device& device) {
  switch (device.instance.options.host_memory) {
    case HostMemory::kStaged: return false;
    case HostMemory::kShared:
    case HostMemory::kAutomatic: break;
  }
  return device.properties.fine_grained_svm;
}

bsc_status Memory::create_device(bsc_plugin_error* error) {
  cl::Int code = cl::kSuccess;
  const cl::Mem created =
      device.api().clCreateBuffer(device.context.get(), cl::kMemReadWrite, static_cast<std::size_t>(bytes), nullptr, &code);
  if (code != cl::kSuccess) return fill_allocation_error(*this, code, "clCreateBuffer", error);
  buffer = OwnedMem(device.api(), created);
  return BSC_OK;
}

bsc_status Memory::create_shared(bsc_plugin_error* error) {
  host = device.api().clSVMAlloc(device.context.get(), cl::kMemReadWrite | cl::kMemSvmFineGrainBuffer,
                                 static_cast<std::size_t>(bytes), kHostAlignment);
  if (host == nullptr) return fill_allocation_error(*this, cl::kMemObjectAllocationFailure, "clSVMAlloc", error);
  shared = true;
  cl::Int code = cl::kSuccess;
  const cl::Mem created = device.api().clCreateBuffer(device.context.get(), cl::kMemReadWrite | cl::kMemUseHostPtr,
                                                      static_cast<std::size_t>(bytes), host, &code);
  if (code != cl::kSuccess) return fill_allocation_error(*this, code, "clCreateBuffer", error);
  buffer = OwnedMem(device.api(), created);
  return BSC_OK;
}

bsc_status Memory::create_staged(bsc_plugin_error* error) {
  const cl::Api& api = device.api();
  cl::Int code = cl::kSuccess;
  const cl::Mem created = api.clCreateBuffer(device.context.get(), cl::kMemReadWrite | cl::kMemAllocHostPtr,
                                             static_cast<std::size_t>(bytes), nullptr, &code);
  if (code != cl::kSuccess) return fill_allocation_error(*this, code, "clCreateBuffer", error);
  buffer = OwnedMem(api, created);
  const OwnedQueue queue(api, api.clCreateCommandQueue(device.context.get(), device.id, 0, &code));
  if (code != cl::kSuccess) return fill_allocation_error(*this, code, "clCreateCommandQueue", error);
  host = api.clEnqueueMapBuffer(queue.get(), created, cl::kTrue, cl::kMapRead | cl::kMapWrite, 0,
                                static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &code);
  if (code != cl::kSuccess) {
    host = nullptr;
    return fill_allocation_error(*this, code, "clEnqueueMapBuffer", error);
  }
  return BSC_OK;
}

bsc_status Memory::create(bsc_plugin_error* error) {
  shared = type == BSC_MEMORY_HOST && host_memory_is_shared(device);
  if (bytes == 0) return BSC_OK;
  const bsc_status status = type == BSC_MEMORY_DEVICE ? create_device(error)
                            : shared                  ? create_shared(error)
                                                      : create_staged(error);
  if (status != BSC_OK) return status;
  device.allocated_bytes.fetch_add(bytes);
  accounted = true;
  return BSC_OK;
}

Memory::~Memory() {
  if (accounted) device.allocated_bytes.fetch_sub(bytes);
  const cl::Api& api = device.api();
  if (staged() && host != nullptr) {
    cl::Int code = cl::kSuccess;
    const OwnedQueue queue(api, api.clCreateCommandQueue(device.context.get(), device.id, 0, &code));
    if (code == cl::kSuccess && api.clEnqueueUnmapMemObject(queue.get(), buffer.get(), host, 0, nullptr, nullptr) == cl::kSuccess) {
      api.clFinish(queue.get());
    }
  }
  buffer.reset();
  if (shared && host != nullptr) api.clSVMFree(device.context.get(), host);
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
    auto memory = std::make_unique<Memory>(*device, wanted.bytes, wanted.type);
    BSC_PLUGIN_RETURN_IF_ERROR(memory->create(error));
    device->adopt(memory.get());
    *out_memory = memory.release();
    return BSC_OK;
  });
}

bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error) {
  return backend::guarded(error, "memory.release", [&]() -> bsc_status {
    auto* const memory = backend::object_cast<Memory>(handle, plugin_api());
    if (memory == nullptr) return backend::fill_handle_error(error, "memory.release", handle, BSC_OBJECT_MEMORY);
    if (forked_since_open()) return BSC_OK;  // the parent's
    memory->device.disown(memory);
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
                      "OpenCL device memory has no lasting host address; read and write it, or allocate host memory");
  }
  *out_pointer = memory->host;
  return BSC_OK;
}

}  // namespace bascule::opencl
