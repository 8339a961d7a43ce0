// The driver API that NVIDIA's, AMD's and Moore Threads' drivers share, under names of our own and with plain C types: handles
// are void*, addresses and sizes 64-bit integers, results and enumerations int. A plugin fills the table from its vendor's
// library (vendor_api.hpp there); what it lacks stays empty.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

// Our types only have the shape of the vendor's, which a check of function types cannot know.
#if defined(__clang__)
#define BSC_GPU_FOREIGN_CALL __attribute__((no_sanitize("function")))
#else
#define BSC_GPU_FOREIGN_CALL
#endif

namespace bascule::gpu {

template <class Signature>
struct Entry;

// One driver function. Its name is the vendor's, for messages.
template <class... Parameters>
struct Entry<int(Parameters...)> {
  using Function = int (*)(Parameters...);

  Function function = nullptr;
  const char* name = "";

  explicit operator bool() const { return function != nullptr; }
  BSC_GPU_FOREIGN_CALL int operator()(Parameters... parameters) const { return function(parameters...); }
};

using Address = std::uint64_t;
using Handle = void*;

// Called by a driver's own thread when the stream gets there.
using HostFunction = void (*)(void* context);

struct Api {
  Entry<int(unsigned flags)> initialise;
  Entry<int(int* version)> driver_version;

  Entry<int(int* count)> device_count;
  Entry<int(int* device, int ordinal)> device_get;
  Entry<int(char* name, int bytes, int device)> device_name;
  Entry<int(std::size_t* bytes, int device)> device_total_memory;
  Entry<int(int* value, int attribute, int device)> device_attribute;
  Entry<int(void* uuid, int device)> device_uuid;
  Entry<int(char* text, int bytes, int device)> device_pci;
  Entry<int(void* properties, int device)> device_properties;
  Entry<int(void* properties, int device)> device_properties_old;  // in the layout of an earlier version

  // Either a context per device that is pushed and popped, or a current device per thread.
  Entry<int(Handle* context, int device)> context_retain;
  Entry<int(int device)> context_release;
  Entry<int(Handle context)> context_push;
  Entry<int(Handle* context)> context_pop;
  Entry<int(int device)> current_device_set;
  Entry<int(int* device)> current_device_get;

  Entry<int(std::size_t* free, std::size_t* total)> memory_info;
  Entry<int(Address* address, std::size_t bytes)> memory_allocate;
  Entry<int(Address address)> memory_free;
  Entry<int(void** pointer, std::size_t bytes, unsigned flags)> host_allocate;
  Entry<int(void* pointer)> host_free;
  Entry<int(Address* address, void* pointer, unsigned flags)> host_address;

  Entry<int(Handle* pool, const void* properties)> pool_create;
  Entry<int(Handle pool)> pool_destroy;
  Entry<int(Handle pool, int attribute, void* value)> pool_set_attribute;
  Entry<int(Handle pool, std::size_t bytes_to_keep)> pool_trim;
  Entry<int(Address* address, std::size_t bytes, Handle pool, Handle stream)> pool_allocate;
  Entry<int(Address address, Handle stream)> pool_free;

  Entry<int(Handle* stream, unsigned flags, int priority)> stream_create;
  Entry<int(Handle stream)> stream_destroy;
  Entry<int(Handle stream)> stream_synchronize;
  Entry<int(Handle stream, Handle event, unsigned flags)> stream_wait_event;
  Entry<int(int* least, int* greatest)> stream_priorities;

  Entry<int(Handle* event, unsigned flags)> event_create;
  Entry<int(Handle event)> event_destroy;
  Entry<int(Handle event, Handle stream)> event_record;
  Entry<int(Handle event)> event_query;
  Entry<int(Handle event)> event_synchronize;
  Entry<int(float* milliseconds, Handle start, Handle end)> event_elapsed;

  Entry<int(Address to, const void* from, std::size_t bytes, Handle stream)> copy_to_device;
  Entry<int(void* to, Address from, std::size_t bytes, Handle stream)> copy_to_host;
  Entry<int(Address to, Address from, std::size_t bytes, Handle stream)> copy_on_device;
  Entry<int(Address to, unsigned char value, std::size_t count, Handle stream)> fill_8;
  Entry<int(Address to, unsigned short value, std::size_t count, Handle stream)> fill_16;
  Entry<int(Address to, unsigned value, std::size_t count, Handle stream)> fill_32;
  Entry<int(Handle stream, HostFunction function, void* context)> host_function;

  Entry<int(Handle* module, const void* image, unsigned count, int* options, void** values)> module_load;
  Entry<int(Handle module)> module_unload;
  Entry<int(Handle* function, Handle module, const char* name)> module_function;
  Entry<int(int* value, int attribute, Handle function)> function_attribute;
  Entry<int(Handle function, int attribute, int value)> function_set_attribute;
  Entry<int(Handle function)> function_load;
  Entry<int(Handle function, std::size_t index, std::size_t* offset, std::size_t* bytes)> function_parameter;
  Entry<int(int* blocks, Handle function, int threads, std::size_t shared_bytes)> function_occupancy;

  Entry<int(unsigned count, int* options, void** values, Handle* state)> link_create;
  Entry<int(Handle state, int type, void* data, std::size_t bytes, const char* name, unsigned count, int* options,
            void** values)>
      link_add;
  Entry<int(Handle state, void** image, std::size_t* bytes)> link_complete;
  Entry<int(Handle state)> link_destroy;

  Entry<int(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
            unsigned block_z, unsigned shared_bytes, Handle stream, void** parameters, void** extra)>
      launch;
  Entry<int(const void* configuration, Handle function, void** parameters, void** extra)> launch_extended;
  Entry<int(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
            unsigned block_z, unsigned shared_bytes, Handle stream, void** parameters)>
      launch_cooperative;

  Entry<int(Handle stream, int mode)> capture_begin;
  Entry<int(Handle stream, Handle* graph)> capture_end;
  Entry<int(Handle* executable, Handle graph, unsigned long long flags)> graph_instantiate;
  Entry<int(Handle executable, Handle graph, void* info)> graph_update;
  Entry<int(Handle executable, Handle graph, Handle* node, int* result)> graph_update_by_node;
  Entry<int(Handle executable, Handle stream)> graph_launch;
  Entry<int(Handle graph)> graph_destroy;
  Entry<int(Handle executable)> graph_executable_destroy;

  // A part of the compute units for one stream.
  Entry<int(int device, void* resource, int type)> partition_resource;
  Entry<int(void* result, unsigned* groups, const void* input, void* remaining, unsigned flags, unsigned least)>
      partition_split;
  Entry<int(Handle* description, void* resources, unsigned count)> partition_describe;
  Entry<int(Handle* partition, Handle description, int device, unsigned flags)> partition_create;
  Entry<int(Handle partition)> partition_destroy;
  Entry<int(Handle* stream, Handle partition, unsigned flags, int priority)> partition_stream;
  Entry<int(Handle* stream, std::uint32_t words, const std::uint32_t* mask)> masked_stream;
};

}  // namespace bascule::gpu
