// What the tests of the emulated driver share: a context for each test, and kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda.h>
#include <doctest/doctest.h>

#include <string>
#include <vector>

#define CU_CHECK(call) CHECK_MESSAGE((call) == CUDA_SUCCESS, #call)
#define CU_REQUIRE(call) REQUIRE_MESSAGE((call) == CUDA_SUCCESS, #call)

namespace cuda_test {

/// A context that is current while it lives.
class Context {
 public:
  explicit Context(unsigned flags = 0) {
    CU_REQUIRE(cuInit(0));
    CU_REQUIRE(cuCtxCreate(&handle, nullptr, flags, 0));
  }
  ~Context() { cuCtxDestroy(handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  CUcontext handle = nullptr;
};

/// A kernel of a text without header.
inline CUfunction kernel(const std::string& body, const char* name, CUmodule* out_module = nullptr) {
  const std::string text = ".version 7.8\n.target sm_80\n.address_size 64\n" + body;
  CUmodule module = nullptr;
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const CUresult loaded = cuModuleLoadDataEx(&module, text.c_str(), 2, options, values);
  REQUIRE_MESSAGE(loaded == CUDA_SUCCESS, log);
  CUfunction function = nullptr;
  CU_REQUIRE(cuModuleGetFunction(&function, module, name));
  if (out_module != nullptr) *out_module = module;
  return function;
}

/// out[i] = out[i] * factor + summand, i below the number of threads.
inline constexpr const char* kAffine = R"(
.visible .entry affine(.param .u64 out, .param .u32 factor, .param .u32 summand) {
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [factor]; ld.param.u32 %r2, [summand];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.u32 %r6, %r3, %r4, %r5;
  mul.wide.u32 %d2, %r6, 4; add.u64 %d3, %d1, %d2;
  ld.global.u32 %r7, [%d3];
  mad.lo.u32 %r7, %r7, %r1, %r2;
  st.global.u32 [%d3], %r7;
  ret;
})";

inline CUresult launch_affine(CUfunction function, CUdeviceptr out, unsigned factor, unsigned summand, unsigned count, CUstream stream) {
  void* arguments[] = {&out, &factor, &summand};
  return cuLaunchKernel(function, (count + 31) / 32, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
}

inline std::vector<unsigned> read(CUdeviceptr from, std::size_t count) {
  std::vector<unsigned> values(count);
  CU_REQUIRE(cuMemcpyDtoH(values.data(), from, count * sizeof(unsigned)));
  return values;
}

}  // namespace cuda_test
