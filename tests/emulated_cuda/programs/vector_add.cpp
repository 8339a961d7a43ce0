// c = a + b, the way a first program of the driver API does it: pinned and pageable memory, a stream, events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <random>
#include <vector>

#include "sample.hpp"

namespace {

constexpr const char* kModule = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra end;
  mul.wide.u32 %d4, %r5, 4;
  add.u64 %d5, %d1, %d4;
  ld.global.f32 %f1, [%d5];
  add.u64 %d6, %d2, %d4;
  ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  add.u64 %d7, %d3, %d4;
  st.global.f32 [%d7], %f3;
end:
  ret;
}
)";

}  // namespace

int main() {
  const CUdevice device = open_device();
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, kModule));
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "vector_add"));

  unsigned n = 50001;
  const std::size_t bytes = n * sizeof(float);
  std::mt19937 random(std::random_device{}());
  std::vector<float> a(n), b(n);
  for (float& value : a) value = static_cast<float>(random()) / 4e9f;
  for (float& value : b) value = static_cast<float>(random()) / 4e9f;
  float* c = nullptr;
  CHECK(cuMemAllocHost(reinterpret_cast<void**>(&c), bytes));
  CUdeviceptr device_a, device_b, device_c;
  CHECK(cuMemAlloc(&device_a, bytes));
  CHECK(cuMemAlloc(&device_b, bytes));
  CHECK(cuMemAlloc(&device_c, bytes));
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUevent start, end;
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));

  CHECK(cuMemcpyHtoDAsync(device_a, a.data(), bytes, stream));
  CHECK(cuMemcpyHtoDAsync(device_b, b.data(), bytes, stream));
  CHECK(cuEventRecord(start, stream));
  void* arguments[] = {&device_a, &device_b, &device_c, &n};
  CHECK(cuLaunchKernel(function, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuMemcpyDtoHAsync(c, device_c, bytes, stream));
  CHECK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, start, end));

  unsigned wrong = 0;
  for (unsigned i = 0; i < n; ++i) wrong += std::fabs(c[i] - (a[i] + b[i])) > 1e-6f ? 1 : 0;
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuMemFree(device_a));
  CHECK(cuMemFree(device_b));
  CHECK(cuMemFree(device_c));
  CHECK(cuMemFreeHost(c));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::printf("%u elements, %u wrong: %s\n", n, wrong, wrong == 0 && milliseconds >= 0 ? "PASSED" : "FAILED");
  return wrong == 0 && milliseconds >= 0 ? 0 : 1;
}
