// Entries that copy memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/copies.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

void* at(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// Ordinary memory of the program's is free for reuse when the call returns: what is read from it is taken along, what is
// written to it is written before.
void copy_async(CopyWork copy, CUstream handle) {
  const auto stream = current_context()->stream(handle);
  if (copy.pageable_source && stream->capture == nullptr) copy.stage();
  const bool waits = copy.pageable_destination && stream->capture == nullptr;
  stream->enqueue(Work(std::move(copy)));
  if (!waits) return;
  stream->wait();
  stream->context()->check();
}

void copy_now(CopyWork copy) {
  const auto stream = current_context()->stream(nullptr);
  refuse_if_captured(*stream, "a synchronous copy");
  stream->enqueue(Work(std::move(copy)));
  stream->wait();
  stream->context()->check();
}

CUDA_MEMCPY3D widen(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = flat.srcXInBytes;
  box.srcY = flat.srcY;
  box.srcMemoryType = flat.srcMemoryType;
  box.srcHost = flat.srcHost;
  box.srcDevice = flat.srcDevice;
  box.srcArray = flat.srcArray;
  box.srcPitch = flat.srcPitch;
  box.dstXInBytes = flat.dstXInBytes;
  box.dstY = flat.dstY;
  box.dstMemoryType = flat.dstMemoryType;
  box.dstHost = flat.dstHost;
  box.dstDevice = flat.dstDevice;
  box.dstArray = flat.dstArray;
  box.dstPitch = flat.dstPitch;
  box.WidthInBytes = flat.WidthInBytes;
  box.Height = flat.Height;
  box.Depth = 1;
  return box;
}

CopyWork make_flat(const CUDA_MEMCPY2D* flat) {
  current_context();
  need(flat, "the description of the copy");
  return make_copy(widen(*flat));
}

CopyWork make_box(const CUDA_MEMCPY3D* box) {
  current_context();
  need(box, "the description of the copy");
  return make_copy(*box);
}

CopyWork make_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::size_t bytes) {
  current_context();
  Registry<Context>::get().at(to_context, "context", CUDA_ERROR_INVALID_CONTEXT)->check();
  Registry<Context>::get().at(from_context, "context", CUDA_ERROR_INVALID_CONTEXT)->check();
  return make_copy(at(from), Side::kDevice, at(to), Side::kDevice, bytes);
}

}  // namespace

BASCULE_CUDA_ENTRY cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return call("cuMemcpy", [&] { copy_now(make_copy(at(src), Side::kAny, at(dst), Side::kAny, ByteCount)); });
}

BASCULE_CUDA_ENTRY cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount) {
  return call("cuMemcpyPeer", [&] { copy_now(make_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount)); });
}

BASCULE_CUDA_ENTRY cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  return call("cuMemcpyHtoD_v2", [&] { copy_now(make_copy(srcHost, Side::kHost, at(dstDevice), Side::kDevice, ByteCount)); });
}

BASCULE_CUDA_ENTRY cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return call("cuMemcpyDtoH_v2", [&] { copy_now(make_copy(at(srcDevice), Side::kDevice, dstHost, Side::kHost, ByteCount)); });
}

BASCULE_CUDA_ENTRY cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return call("cuMemcpyDtoD_v2", [&] { copy_now(make_copy(at(srcDevice), Side::kDevice, at(dstDevice), Side::kDevice, ByteCount)); });
}

BASCULE_CUDA_ENTRY cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) {
  return call("cuMemcpy2D_v2", [&] { copy_now(make_flat(pCopy)); });
}

BASCULE_CUDA_ENTRY cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) {
  return call("cuMemcpy2DUnaligned_v2", [&] { copy_now(make_flat(pCopy)); });
}

BASCULE_CUDA_ENTRY cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) {
  return call("cuMemcpy3D_v2", [&] { copy_now(make_box(pCopy)); });
}

BASCULE_CUDA_ENTRY cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return call("cuMemcpyAsync", [&] { copy_async(make_copy(at(src), Side::kAny, at(dst), Side::kAny, ByteCount), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount,
    CUstream hStream) {
  return call("cuMemcpyPeerAsync", [&] { copy_async(make_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
  return call("cuMemcpyHtoDAsync_v2", [&] { copy_async(make_copy(srcHost, Side::kHost, at(dstDevice), Side::kDevice, ByteCount), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return call("cuMemcpyDtoHAsync_v2", [&] { copy_async(make_copy(at(srcDevice), Side::kDevice, dstHost, Side::kHost, ByteCount), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return call("cuMemcpyDtoDAsync_v2", [&] { copy_async(make_copy(at(srcDevice), Side::kDevice, at(dstDevice), Side::kDevice, ByteCount), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  return call("cuMemcpy2DAsync_v2", [&] { copy_async(make_flat(pCopy), hStream); });
}

BASCULE_CUDA_ENTRY cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  return call("cuMemcpy3DAsync_v2", [&] { copy_async(make_box(pCopy), hStream); });
}
