// Entries that allocate, register and describe memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/memory.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

constexpr std::size_t kPitch = 512;

std::shared_ptr<Allocation> allocate(std::uint64_t bytes, Allocation::Kind kind, unsigned flags = 0) {
  const auto context = current_context();
  return Memory::get().allocate(bytes, kind, context->device.ordinal, context->device.gpu->memory_bytes, context.get(), flags);
}

std::shared_ptr<Allocation> known(CUdeviceptr address, CUresult code = CUDA_ERROR_INVALID_VALUE) {
  auto allocation = Memory::get().find(address);
  if (allocation == nullptr) refuse(code, "no memory of the driver's is at {:#x}", address);
  return allocation;
}

// The allocation that begins there, taken away once nothing uses it any more.
void free_memory(CUdeviceptr address, bool (*right)(const Allocation&), const char* what) {
  const auto context = current_context();
  if (address == 0) return;
  const auto allocation = Memory::get().find(address);
  if (allocation == nullptr || allocation->address != address || !right(*allocation)) {
    refuse(CUDA_ERROR_INVALID_VALUE, "no {} begins at {:#x}", what, address);
  }
  refuse_if_unsafe("freeing memory");
  context->synchronise();
  Memory::get().remove(address);
  context->check();
}

void host_allocate(void** out, std::size_t bytes, unsigned flags) {
  need(out, "where the address goes");
  constexpr unsigned kFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if ((flags & ~kFlags) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
  refuse_if_unsafe("allocating host memory");
  *out = reinterpret_cast<void*>(allocate(bytes, Allocation::Kind::kHost, flags)->address);
}

std::shared_ptr<Allocation> host_memory(const void* address) {
  auto allocation = known(reinterpret_cast<CUdeviceptr>(address));
  if (allocation->on_device()) refuse(CUDA_ERROR_INVALID_VALUE, "the memory at {} is the device's", address);
  return allocation;
}

CUmemorytype type_of(const Allocation& allocation) {
  const bool device = allocation.kind == Allocation::Kind::kDevice || allocation.kind == Allocation::Kind::kManaged;
  return device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

template <class Value>
void put(void* to, Value value) {
  *static_cast<Value*>(to) = value;
}

void pointer_attribute(void* data, CUpointer_attribute which, CUdeviceptr address) {
  const auto allocation = known(address);
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return put(data, reinterpret_cast<CUcontext>(allocation->context));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return put(data, static_cast<unsigned>(type_of(*allocation)));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return put(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (allocation->kind == Allocation::Kind::kDevice) refuse(CUDA_ERROR_INVALID_VALUE, "the host does not see the memory at {:#x}", address);
      return put(data, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: return put(data, 0u);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return put(data, static_cast<unsigned long long>(allocation->number));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: return put(data, allocation->kind == Allocation::Kind::kManaged ? 1u : 0u);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put(data, allocation->device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return put(data, 0u);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return put(data, static_cast<CUdeviceptr>(allocation->address));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return put(data, static_cast<std::size_t>(allocation->bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED: return put(data, 1u);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: return put(data, 0ull);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: return put(data, 0u);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: return put(data, static_cast<int>(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return put(data, reinterpret_cast<CUmemoryPool>(allocation->pool.get()));
    default: refuse(CUDA_ERROR_INVALID_VALUE, "the attribute {} of a pointer is not known here", static_cast<int>(which));
  }
}

void check_range(CUdeviceptr address, std::size_t bytes) {
  const auto allocation = known(address);
  if (bytes > allocation->bytes - (address - allocation->address)) refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes at {:#x} end beyond the allocation", bytes, address);
}

// Advice and prefetching move memory to where it will be used. Here there is one memory: the arguments are checked.
void advise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice) {
  current_context();
  if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY) refuse(CUDA_ERROR_INVALID_VALUE, "advice {}", static_cast<int>(advice));
  check_range(address, bytes);
  if (Memory::get().find(address)->kind != Allocation::Kind::kManaged) refuse(CUDA_ERROR_INVALID_VALUE, "the memory at {:#x} is not managed", address);
}

void prefetch(CUdeviceptr address, std::size_t bytes, CUdevice to, CUstream stream) {
  const auto context = current_context();
  check_range(address, bytes);
  if (Memory::get().find(address)->kind != Allocation::Kind::kManaged) refuse(CUDA_ERROR_INVALID_VALUE, "the memory at {:#x} is not managed", address);
  if (to != CU_DEVICE_CPU) Driver::get().device(to);
  context->stream(stream)->enqueue(Work(EmptyWork()));
}

}  // namespace

BASCULE_CUDA_ENTRY cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call("cuMemGetInfo_v2", [&] {
    const auto context = current_context();
    const std::uint64_t all = context->device.gpu->memory_bytes;
    if (free != nullptr) *free = all - Memory::get().used(context->device.ordinal);
    if (total != nullptr) *total = all;
  });
}

BASCULE_CUDA_ENTRY cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize) {
  return call("cuMemAlloc_v2", [&] {
    need(dptr, "where the address goes");
    refuse_if_unsafe("allocating memory");
    *dptr = allocate(bytesize, Allocation::Kind::kDevice)->address;
  });
}

BASCULE_CUDA_ENTRY cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes) {
  return call("cuMemAllocPitch_v2", [&] {
    need(dptr, "where the address goes");
    need(pPitch, "where the pitch goes");
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16) refuse(CUDA_ERROR_INVALID_VALUE, "elements of {} bytes", ElementSizeBytes);
    refuse_if_unsafe("allocating memory");
    const std::size_t pitch = (WidthInBytes + kPitch - 1) / kPitch * kPitch;
    std::size_t bytes = 0;
    if (WidthInBytes > static_cast<std::size_t>(INT32_MAX) || __builtin_mul_overflow(pitch, Height, &bytes)) {
      refuse(CUDA_ERROR_INVALID_VALUE, "{} rows of {} bytes", Height, WidthInBytes);
    }
    *dptr = allocate(bytes, Allocation::Kind::kDevice)->address;
    *pPitch = pitch;
  });
}

BASCULE_CUDA_ENTRY cuMemFree_v2(CUdeviceptr dptr) {
  return call("cuMemFree_v2", [&] {
    free_memory(dptr, [](const Allocation& allocation) { return allocation.on_device() && allocation.mapped_bytes != 0; }, "device memory");
  });
}

BASCULE_CUDA_ENTRY cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  return call("cuMemGetAddressRange_v2", [&] {
    current_context();
    const auto allocation = known(dptr, CUDA_ERROR_NOT_FOUND);
    if (pbase != nullptr) *pbase = allocation->address;
    if (psize != nullptr) *psize = allocation->bytes;
  });
}

BASCULE_CUDA_ENTRY cuMemAllocHost_v2(void **pp, size_t bytesize) {
  return call("cuMemAllocHost_v2", [&] { host_allocate(pp, bytesize, 0); });
}

BASCULE_CUDA_ENTRY cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  return call("cuMemHostAlloc", [&] { host_allocate(pp, bytesize, Flags); });
}

BASCULE_CUDA_ENTRY cuMemFreeHost(void *p) {
  return call("cuMemFreeHost", [&] {
    free_memory(reinterpret_cast<CUdeviceptr>(p), [](const Allocation& allocation) { return allocation.kind == Allocation::Kind::kHost; }, "host memory");
  });
}

BASCULE_CUDA_ENTRY cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  return call("cuMemHostGetDevicePointer_v2", [&] {
    need(pdptr, "where the address goes");
    if (Flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", Flags);
    current_context();
    host_memory(p);
    *pdptr = reinterpret_cast<CUdeviceptr>(p);
  });
}

BASCULE_CUDA_ENTRY cuMemHostGetFlags(unsigned int *pFlags, void *p) {
  return call("cuMemHostGetFlags", [&] {
    need(pFlags, "where the flags go");
    const auto allocation = host_memory(p);
    if (allocation->kind != Allocation::Kind::kHost) refuse(CUDA_ERROR_INVALID_VALUE, "the memory at {} was not allocated here", p);
    *pFlags = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  });
}

BASCULE_CUDA_ENTRY cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags) {
  return call("cuMemHostRegister_v2", [&] {
    need(p, "the memory");
    constexpr unsigned kFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if ((Flags & ~kFlags) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", Flags);
    const auto context = current_context();
    Memory::get().adopt(p, bytesize, Allocation::Kind::kRegistered, Flags, context->device.ordinal, context.get());
  });
}

BASCULE_CUDA_ENTRY cuMemHostUnregister(void *p) {
  return call("cuMemHostUnregister", [&] {
    const auto context = current_context();
    const auto allocation = Memory::get().find(reinterpret_cast<CUdeviceptr>(p));
    if (allocation == nullptr || allocation->address != reinterpret_cast<CUdeviceptr>(p) || allocation->kind != Allocation::Kind::kRegistered) {
      refuse(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "no registered memory begins at {}", p);
    }
    context->synchronise();
    Memory::get().remove(allocation->address);
  });
}

BASCULE_CUDA_ENTRY cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  return call("cuMemAllocManaged", [&] {
    need(dptr, "where the address goes");
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
    refuse_if_unsafe("allocating memory");
    *dptr = allocate(bytesize, Allocation::Kind::kManaged, flags)->address;
  });
}

BASCULE_CUDA_ENTRY cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice) {
  return call("cuMemAdvise", [&] { advise(devPtr, count, advice); });
}

BASCULE_CUDA_ENTRY cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation) {
  return call("cuMemAdvise_v2", [&] { advise(devPtr, count, advice); });
}

BASCULE_CUDA_ENTRY cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  return call("cuMemPrefetchAsync", [&] { prefetch(devPtr, count, dstDevice, hStream); });
}

BASCULE_CUDA_ENTRY cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream) {
  return call("cuMemPrefetchAsync_v2", [&] {
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", flags);
    prefetch(devPtr, count, location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU, hStream);
  });
}

BASCULE_CUDA_ENTRY cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return call("cuPointerGetAttribute", [&] {
    need(data, "where the value goes");
    pointer_attribute(data, attribute, ptr);
  });
}

// Unlike the single form, this one answers zeros for memory that it does not know.
BASCULE_CUDA_ENTRY cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr) {
  return call("cuPointerGetAttributes", [&] {
    need(attributes, "the attributes");
    need(data, "where the values go");
    for (unsigned i = 0; i < numAttributes; ++i) {
      need(data[i], "where a value goes");
      try {
        pointer_attribute(data[i], attributes[i], ptr);
      } catch (const Refusal&) {
        const bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT || attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                          attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER || attributes[i] == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
                          attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR || attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
                          attributes[i] == CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES || attributes[i] == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
          put(data[i], static_cast<int>(CU_DEVICE_INVALID));
        } else if (wide) {
          put(data[i], std::uint64_t{0});
        } else {
          put(data[i], 0u);
        }
      }
    }
  });
}

BASCULE_CUDA_ENTRY cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return call("cuPointerSetAttribute", [&] {
    need(value, "the value");
    known(ptr);
    if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) refuse(CUDA_ERROR_INVALID_VALUE, "the attribute {} cannot be set", static_cast<int>(attribute));
    // Synchronous copies here always wait for their end, whatever is asked for.
  });
}
