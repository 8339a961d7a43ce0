// C = A B by tiles of 16 x 16 in dynamic shared memory, in a context that the program creates; the size of the tile comes from a
// constant of the module that the host writes.
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
.visible .const .align 4 .f32 scale;
.extern .shared .align 16 .b8 tiles[];
.visible .entry multiply(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 width_a, .param .u32 width_b) {
  .reg .pred %p;
  .reg .b32 %r<24>;
  .reg .f32 %f<6>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [width_a];
  ld.param.u32 %r2, [width_b];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %tid.y;
  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ctaid.y;
  mad.lo.u32 %r7, %r6, 16, %r4;       // row
  mad.lo.u32 %r8, %r5, 16, %r3;       // column
  mad.lo.u32 %r9, %r4, 16, %r3;
  shl.b32 %r9, %r9, 2;
  mov.u32 %r10, tiles;
  add.u32 %r11, %r10, %r9;            // &A[ty][tx]; B lies 1024 bytes behind
  shl.b32 %r12, %r4, 6;
  add.u32 %r12, %r10, %r12;           // &A[ty][0]
  shl.b32 %r13, %r3, 2;
  add.u32 %r13, %r10, %r13;
  add.u32 %r13, %r13, 1024;           // &B[0][tx]
  mov.f32 %f1, 0f00000000;
  mov.u32 %r14, 0;
tile:
  mad.lo.u32 %r15, %r7, %r1, %r14;
  add.u32 %r15, %r15, %r3;
  mul.wide.u32 %d4, %r15, 4;
  add.u64 %d4, %d1, %d4;
  ld.global.f32 %f2, [%d4];
  st.shared.f32 [%r11], %f2;
  add.u32 %r16, %r14, %r4;
  mad.lo.u32 %r16, %r16, %r2, %r8;
  mul.wide.u32 %d5, %r16, 4;
  add.u64 %d5, %d2, %d5;
  ld.global.f32 %f3, [%d5];
  st.shared.f32 [%r11+1024], %f3;
  bar.sync 0;
  mov.u32 %r17, 0;
  mov.u32 %r18, %r12;
  mov.u32 %r19, %r13;
step:
  ld.shared.f32 %f2, [%r18];
  ld.shared.f32 %f3, [%r19];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  add.u32 %r18, %r18, 4;
  add.u32 %r19, %r19, 64;
  add.u32 %r17, %r17, 1;
  setp.lt.u32 %p, %r17, 16;
  @%p bra step;
  bar.sync 0;
  add.u32 %r14, %r14, 16;
  setp.lt.u32 %p, %r14, %r1;
  @%p bra tile;
  ld.const.f32 %f4, [scale];
  mul.f32 %f1, %f1, %f4;
  mad.lo.u32 %r20, %r7, %r2, %r8;
  mul.wide.u32 %d6, %r20, 4;
  add.u64 %d6, %d3, %d6;
  st.global.f32 [%d6], %f1;
  ret;
}
)";

}  // namespace

int main() {
  const CUdevice device = open_device();
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUmodule module;
  CHECK(cuModuleLoadDataEx(&module, kModule, 0, nullptr, nullptr));
  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "multiply"));
  CUdeviceptr scale_at;
  std::size_t scale_bytes = 0;
  CHECK(cuModuleGetGlobal(&scale_at, &scale_bytes, module, "scale"));
  const float scale = 0.5f;
  CHECK(cuMemcpyHtoD(scale_at, &scale, scale_bytes));

  constexpr unsigned kRows = 48, kInner = 64, kColumns = 80;
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(kRows * kInner), b(kInner * kColumns), c(kRows * kColumns);
  for (float& value : a) value = uniform(random);
  for (float& value : b) value = uniform(random);
  CUdeviceptr device_a, device_b, device_c;
  CHECK(cuMemAlloc(&device_a, a.size() * 4));
  CHECK(cuMemAlloc(&device_b, b.size() * 4));
  CHECK(cuMemAlloc(&device_c, c.size() * 4));
  CHECK(cuMemcpyHtoD(device_a, a.data(), a.size() * 4));
  CHECK(cuMemcpyHtoD(device_b, b.data(), b.size() * 4));

  struct Arguments {
    CUdeviceptr a, b, c;
    unsigned width_a, width_b;
  } arguments = {device_a, device_b, device_c, kInner, kColumns};
  std::size_t size = sizeof arguments;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(function, kColumns / 16, kRows / 16, 1, 16, 16, 1, 2 * 16 * 16 * 4, nullptr, nullptr, extra));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(c.data(), device_c, c.size() * 4));

  double worst = 0;
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      double sum = 0;
      for (unsigned k = 0; k < kInner; ++k) sum += double{a[row * kInner + k]} * b[k * kColumns + column];
      worst = std::fmax(worst, std::fabs(c[row * kColumns + column] - scale * sum));
    }
  }
  CHECK(cuMemFree(device_a));
  CHECK(cuMemFree(device_b));
  CHECK(cuMemFree(device_c));
  CHECK(cuCtxDestroy(context));
  std::printf("%u x %u x %u, largest error %.2g: %s\n", kRows, kInner, kColumns, worst, worst < 1e-5 ? "PASSED" : "FAILED");
  return worst < 1e-5 ? 0 : 1;
}
