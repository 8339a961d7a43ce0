// Two PTX texts joined by the driver's linker at run time: a kernel that calls a function of the other text, which has a private
// variable of the same name as the kernel's text. The logs are asked for; a broken text must fail with one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <cstring>
#include <vector>

#include "sample.hpp"

namespace {

constexpr const char* kKernel = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) transform(.param .b32 value);
.global .align 4 .u32 offset = 1000;
.visible .entry apply(.param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  { .param .b32 value; .param .b32 result;
    st.param.b32 [value], %r1;
    call.uni (result), transform, (value);
    ld.param.b32 %r2, [result]; }
  ld.global.u32 %r3, [offset];
  add.u32 %r2, %r2, %r3;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

constexpr const char* kFunction = R"(
.version 7.1
.target sm_75
.address_size 64
.global .align 4 .u32 offset = 7;
.visible .func (.param .b32 result) transform(.param .b32 value) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [value];
  ld.global.u32 %r2, [offset];
  mad.lo.u32 %r3, %r1, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
}
)";

constexpr unsigned kLogBytes = 4096;

struct Log {
  char information[kLogBytes] = {};
  char errors[kLogBytes] = {};
  CUjit_option options[4] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[4] = {information, reinterpret_cast<void*>(std::uintptr_t{kLogBytes}), errors, reinterpret_cast<void*>(std::uintptr_t{kLogBytes})};
};

}  // namespace

int main() {
  const CUdevice device = open_device();
  CUcontext context;
  CHECK(cuCtxCreate(&context, nullptr, 0, device));

  Log log;
  CUlinkState link;
  CHECK(cuLinkCreate(4, log.options, log.values, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kKernel), std::strlen(kKernel) + 1, "kernel", 0, nullptr, nullptr));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kFunction), std::strlen(kFunction) + 1, "function", 0, nullptr, nullptr));
  void* image = nullptr;
  std::size_t bytes = 0;
  CHECK(cuLinkComplete(link, &image, &bytes));
  CUmodule module;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuLinkDestroy(link));

  CUfunction function;
  CHECK(cuModuleGetFunction(&function, module, "apply"));
  constexpr unsigned kThreads = 64;
  CUdeviceptr out;
  CHECK(cuMemAlloc(&out, kThreads * 4));
  void* arguments[] = {&out};
  CHECK(cuLaunchKernel(function, 1, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr));
  std::vector<unsigned> result(kThreads);
  CHECK(cuMemcpyDtoH(result.data(), out, kThreads * 4));
  unsigned wrong = 0;
  for (unsigned i = 0; i < kThreads; ++i) wrong += result[i] != i * i + 7 + 1000 ? 1 : 0;

  Log broken_log;
  CUmodule broken;
  const CUresult refused = cuModuleLoadDataEx(&broken, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f() { frobnicate.u32 %r1; }\n", 4,
                                              broken_log.options, broken_log.values);
  const bool explained = refused == CUDA_ERROR_INVALID_PTX && std::strstr(broken_log.errors, "frobnicate") != nullptr;
  std::printf("a broken text is refused with:\n%s\n", broken_log.errors);

  CHECK(cuMemFree(out));
  CHECK(cuModuleUnload(module));
  CHECK(cuCtxDestroy(context));
  const bool passed = wrong == 0 && explained;
  std::printf("%u threads, %u wrong: %s\n", kThreads, wrong, passed ? "PASSED" : "FAILED");
  return passed ? 0 : 1;
}
