// Entries that fill memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/context.hpp"
#include "backends/emulated/cuda/copies.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/stream.hpp"

using namespace bascule::emulated;

namespace {

void fill_async(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element_bytes, std::size_t width, std::size_t height, CUstream stream) {
  const auto context = current_context();
  context->stream(stream)->enqueue(Work(make_fill({to, pitch, value, element_bytes, width, height})));
}

// Of device memory, these do not wait for the device; of host memory they would.
void fill(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element_bytes, std::size_t width, std::size_t height) {
  fill_async(to, pitch, value, element_bytes, width, height, nullptr);
  const auto allocation = Memory::get().find(to);
  if (allocation == nullptr || allocation->kind == Allocation::Kind::kDevice) return;
  const auto context = current_context();
  context->stream(nullptr)->wait();
  context->check();
}

}  // namespace

BASCULE_CUDA_ENTRY cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return call("cuMemsetD8_v2", [&] { fill(dstDevice, 0, uc, 1, N, 1); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
  return call("cuMemsetD2D8_v2", [&] { fill(dstDevice, dstPitch, uc, 1, Width, Height); });
}

BASCULE_CUDA_ENTRY cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return call("cuMemsetD8Async", [&] { fill_async(dstDevice, 0, uc, 1, N, 1, hStream); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height, CUstream hStream) {
  return call("cuMemsetD2D8Async", [&] { fill_async(dstDevice, dstPitch, uc, 1, Width, Height, hStream); });
}

BASCULE_CUDA_ENTRY cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return call("cuMemsetD16_v2", [&] { fill(dstDevice, 0, us, 2, N, 1); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height) {
  return call("cuMemsetD2D16_v2", [&] { fill(dstDevice, dstPitch, us, 2, Width, Height); });
}

BASCULE_CUDA_ENTRY cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return call("cuMemsetD16Async", [&] { fill_async(dstDevice, 0, us, 2, N, 1, hStream); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height, CUstream hStream) {
  return call("cuMemsetD2D16Async", [&] { fill_async(dstDevice, dstPitch, us, 2, Width, Height, hStream); });
}

BASCULE_CUDA_ENTRY cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return call("cuMemsetD32_v2", [&] { fill(dstDevice, 0, ui, 4, N, 1); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
  return call("cuMemsetD2D32_v2", [&] { fill(dstDevice, dstPitch, ui, 4, Width, Height); });
}

BASCULE_CUDA_ENTRY cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return call("cuMemsetD32Async", [&] { fill_async(dstDevice, 0, ui, 4, N, 1, hStream); });
}

BASCULE_CUDA_ENTRY cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream hStream) {
  return call("cuMemsetD2D32Async", [&] { fill_async(dstDevice, dstPitch, ui, 4, Width, Height, hStream); });
}
