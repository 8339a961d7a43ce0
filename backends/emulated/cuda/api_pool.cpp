// Entries about stream-ordered memory and its pools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/memory.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

CUmemoryPool handle_of(const std::shared_ptr<Pool>& pool) {
  // Default pools become handles when somebody asks for them.
  return Registry<Pool>::get().add<CUmemoryPool>(pool);
}

std::shared_ptr<Pool> pool_of(CUmemoryPool handle) { return Registry<Pool>::get().at(handle, "memory pool"); }

void allocate(CUdeviceptr* out, std::size_t bytes, std::shared_ptr<Pool> pool, CUstream handle) {
  need(out, "where the address goes");
  const auto context = current_context();
  const auto stream = context->stream(handle);
  refuse_if_captured(*stream, "allocating memory");
  if (pool == nullptr) {
    const std::lock_guard lock(context->device.mutex);
    pool = context->device.current_pool;
  }
  const Device& device = Driver::get().device(pool->device);
  *out = Memory::get().allocate(bytes, Allocation::Kind::kDevice, device.ordinal, device.gpu->memory_bytes, context.get(), 0, pool)->address;
}

}  // namespace

BASCULE_CUDA_ENTRY cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  return call("cuMemAllocAsync", [&] { allocate(dptr, bytesize, nullptr, hStream); });
}

BASCULE_CUDA_ENTRY cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  return call("cuMemAllocFromPoolAsync", [&] { allocate(dptr, bytesize, pool_of(pool), hStream); });
}

BASCULE_CUDA_ENTRY cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return call("cuMemFreeAsync", [&] {
    const auto context = current_context();
    if (dptr == 0) return;
    const auto allocation = Memory::get().find(dptr);
    if (allocation == nullptr || allocation->address != dptr || !allocation->on_device() || allocation->mapped_bytes == 0) {
      refuse(CUDA_ERROR_INVALID_VALUE, "no device memory begins at {:#x}", dptr);
    }
    context->stream(hStream)->enqueue(Work(FreeWork{dptr}));
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
  return call("cuDeviceGetDefaultMemPool", [&] {
    need(pool_out, "where the pool goes");
    *pool_out = handle_of(Driver::get().device(dev).default_pool);
  });
}

BASCULE_CUDA_ENTRY cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
  return call("cuDeviceGetMemPool", [&] {
    need(pool, "where the pool goes");
    Device& device = Driver::get().device(dev);
    const std::lock_guard lock(device.mutex);
    *pool = handle_of(device.current_pool);
  });
}

BASCULE_CUDA_ENTRY cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  return call("cuDeviceSetMemPool", [&] {
    Device& device = Driver::get().device(dev);
    const auto chosen = pool_of(pool);
    if (chosen->device != device.ordinal) refuse(CUDA_ERROR_INVALID_VALUE, "the pool is of device {}", chosen->device);
    const std::lock_guard lock(device.mutex);
    device.current_pool = chosen;
  });
}

BASCULE_CUDA_ENTRY cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
  return call("cuMemPoolCreate", [&] {
    need(pool, "where the pool goes");
    need(poolProps, "the properties");
    if (poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED || poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      refuse(CUDA_ERROR_NOT_SUPPORTED, "only pools of device memory are supported here");
    }
    if (poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE) refuse(CUDA_ERROR_NOT_SUPPORTED, "memory cannot be shared with other processes here");
    auto made = std::make_shared<Pool>();
    made->device = Driver::get().device(poolProps->location.id).ordinal;
    made->max_bytes = poolProps->maxSize;
    *pool = handle_of(made);
  });
}

BASCULE_CUDA_ENTRY cuMemPoolDestroy(CUmemoryPool pool) {
  return call("cuMemPoolDestroy", [&] {
    const auto gone = pool_of(pool);
    if (gone->is_default) refuse(CUDA_ERROR_INVALID_VALUE, "a default pool cannot be destroyed");
    Device& device = Driver::get().device(gone->device);
    const std::lock_guard lock(device.mutex);
    if (device.current_pool == gone) device.current_pool = device.default_pool;
    Registry<Pool>::get().remove(gone.get());
  });
}

// What is freed goes back to the system at once: nothing is left to trim.
BASCULE_CUDA_ENTRY cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return call("cuMemPoolTrimTo", [&] { pool_of(pool); });
}

BASCULE_CUDA_ENTRY cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return call("cuMemPoolSetAttribute", [&] {
    need(value, "the value");
    const auto of = pool_of(pool);
    const std::lock_guard lock(Memory::get().mutex());
    switch (attr) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: of->reuse[attr - 1] = *static_cast<int*>(value) != 0 ? 1 : 0; break;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: of->release_threshold = *static_cast<cuuint64_t*>(value); break;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        if (*static_cast<cuuint64_t*>(value) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "a high-water mark can only be set to 0");
        of->used_high = of->used;
        break;
      default: refuse(CUDA_ERROR_INVALID_VALUE, "the attribute {} of a pool cannot be set", static_cast<int>(attr));
    }
  });
}

BASCULE_CUDA_ENTRY cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
  return call("cuMemPoolGetAttribute", [&] {
    need(value, "where the value goes");
    const auto of = pool_of(pool);
    const std::lock_guard lock(Memory::get().mutex());
    switch (attr) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: *static_cast<int*>(value) = of->reuse[attr - 1]; break;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: *static_cast<cuuint64_t*>(value) = of->release_threshold; break;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: *static_cast<cuuint64_t*>(value) = of->used; break;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH: *static_cast<cuuint64_t*>(value) = of->used_high; break;
      default: refuse(CUDA_ERROR_INVALID_VALUE, "{} is no attribute of a pool", static_cast<int>(attr));
    }
  });
}

// Every device reaches all memory here; what is said is checked.
BASCULE_CUDA_ENTRY cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
  return call("cuMemPoolSetAccess", [&] {
    const auto of = pool_of(pool);
    if (count != 0) need(map, "the accesses");
    for (std::size_t i = 0; i < count; ++i) {
      if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) refuse(CUDA_ERROR_INVALID_VALUE, "access for a location of type {}", static_cast<int>(map[i].location.type));
      Driver::get().device(map[i].location.id);
      if (map[i].location.id == of->device && map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
        refuse(CUDA_ERROR_INVALID_VALUE, "the access of a pool's own device cannot be taken away");
      }
    }
  });
}

BASCULE_CUDA_ENTRY cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
  return call("cuMemPoolGetAccess", [&] {
    need(flags, "where the flags go");
    need(location, "the location");
    pool_of(memPool);
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) refuse(CUDA_ERROR_INVALID_VALUE, "access of a location of type {}", static_cast<int>(location->type));
    Driver::get().device(location->id);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  });
}
