// Device memory and pinned host memory.
//
// BSC_MEMORY_DEVICE is a buffer object that the host never maps. For BSC_MEMORY_HOST there are two ways, since OpenCL leaves
// kernels that use a mapped buffer undefined:
//   shared  fine-grained shared virtual memory (OpenCL 2.0+ devices that have it) wrapped in a buffer object. Host and
//           kernels may use it at any time; commands treat it like device memory.
//   staged  a buffer with CL_MEM_ALLOC_HOST_PTR, mapped for as long as it lives: what drivers pin. The device never sees
//           the buffer; a copy between it and device memory is a read or write through the mapped pointer, at full
//           speed. A kernel argument in it is refused (capability kernels_reach_host_memory = 0).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>

#include "backends/common/object.hpp"
#include "backends/opencl/device.hpp"

namespace bascule::opencl {

struct Memory : backend::Object<Memory, BSC_OBJECT_MEMORY> {
  Memory(Device& owner, std::uint64_t size, std::uint32_t memory_type)
      : Object(owner.bsc_plugin_object::api), device(owner), bytes(size), type(memory_type) {}
  ~Memory();

  // Memory that commands reach only through `host`.
  bool staged() const { return type == BSC_MEMORY_HOST && !shared; }

  bsc_status create(bsc_plugin_error* error);

  Device& device;
  const std::uint64_t bytes;
  const std::uint32_t type;
  OwnedMem buffer;          // null for 0 bytes
  void* host = nullptr;     // BSC_MEMORY_HOST
  bool shared = false;      // `host` is shared virtual memory
  bool accounted = false;   // counted in device.allocated_bytes

 private:
  bsc_status create_device(bsc_plugin_error* error);
  bsc_status create_shared(bsc_plugin_error* error);
  bsc_status create_staged(bsc_plugin_error* error);
};

bool host_memory_is_shared(const Device& device);

bsc_status memory_allocate(bsc_plugin_device handle, const bsc_plugin_memory_description* description,
                           bsc_plugin_memory* out_memory, bsc_plugin_error* error);
bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error);
bsc_status memory_map(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error);

}  // namespace bascule::opencl
