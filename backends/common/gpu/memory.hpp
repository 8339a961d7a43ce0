// Device memory, from a pool of the driver's where there is one, and pinned host memory that kernels reach in place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>

#include "backends/common/object.hpp"
#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

struct Memory : backend::Object<Memory, BSC_OBJECT_MEMORY> {
  Memory(Device& owner, const bsc_plugin_memory_description& wanted);
  ~Memory();

  bsc_status create(std::uint64_t alignment, bsc_plugin_error* error);

  Device& device;
  const std::uint64_t bytes;
  const std::uint32_t type;
  Address address = 0;   // what kernels see; 0 for 0 bytes
  void* host = nullptr;  // BSC_MEMORY_HOST

 private:
  bsc_status create_device(std::uint64_t allocated, bsc_plugin_error* error);
  bsc_status create_host(std::uint64_t allocated, bsc_plugin_error* error);
  CallResult allocate(std::uint64_t allocated);
  bsc_status out_of_memory(CallResult failed, bsc_plugin_error* error);

  Address allocation_ = 0;
  void* host_allocation_ = nullptr;
  bool pooled_ = false;
};

bsc_status memory_allocate(bsc_plugin_device handle, const bsc_plugin_memory_description* description,
                           bsc_plugin_memory* out_memory, bsc_plugin_error* error);
bsc_status memory_release(bsc_plugin_memory handle, bsc_plugin_error* error);
bsc_status memory_map(bsc_plugin_memory handle, void** out_pointer, bsc_plugin_error* error);
bsc_status memory_device_address(bsc_plugin_memory handle, std::uint64_t* out_address, bsc_plugin_error* error);

}  // namespace bascule::gpu
