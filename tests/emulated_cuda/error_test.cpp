// What goes wrong: faults of kernels stick, everything else is the call's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "cuda_test.hpp"

using namespace cuda_test;

namespace {

constexpr const char* kFaults = R"(
.global .align 1 .b8 text[2] = {120, 0};
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry store(.param .u64 at) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [at]; mov.u32 %r1, 1; st.global.u32 [%d1], %r1; ret;
}
.visible .entry stop() { trap; ret; }
.visible .entry claim() {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  mov.u64 %d1, text; cvta.global.u64 %d1, %d1; mov.u32 %r1, 7;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %d1; st.param.b64 [b], %d1; st.param.b32 [c], %r1; st.param.b64 [d], %d1; mov.u64 %d1, 1; st.param.b64 [e], %d1;
    call.uni __assertfail, (a, b, c, d, e); }
  ret;
}
.visible .entry bounded() .reqntid 64, 1, 1 { ret; }
.visible .entry shared() { .shared .align 4 .b8 own[1024]; ret; }
)";

CUresult launch_one(CUfunction function, void** arguments = nullptr) {
  return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}

// Launches a kernel that fails and gives the code that the context then answers.
CUresult sticks(const char* name, CUdeviceptr at = 0) {
  const Context context;
  const CUfunction function = kernel(kFaults, name);
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 8192));
  CUdeviceptr target = at == 1 ? memory + 1 : at;
  if (at == 2) target = memory + 8192;
  void* arguments[] = {&target};
  CU_REQUIRE(launch_one(function, at == 0 && std::strcmp(name, "store") != 0 ? nullptr : arguments));
  const CUresult result = cuCtxSynchronize();
  // It sticks: every later call says the same, of another kind too, but what others do is not disturbed.
  CHECK(cuCtxSynchronize() == result);
  CHECK(cuMemAlloc(&memory, 16) == result);
  CHECK(cuStreamQuery(nullptr) == result);
  CHECK(launch_one(function, arguments) == result);
  return result;
}

}  // namespace

TEST_CASE("a kernel's fault is found by the next call that waits, and sticks to the context") {
  CHECK(sticks("store", 0) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(sticks("store", 1) == CUDA_ERROR_MISALIGNED_ADDRESS);
  CHECK(sticks("store", 2) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(sticks("stop") == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(sticks("claim") == CUDA_ERROR_ASSERT);
  const Context fresh;
  CU_CHECK(cuCtxSynchronize());
}

TEST_CASE("a launch beyond limits is refused by the call, and nothing sticks") {
  const Context context;
  const CUfunction stop = kernel(kFaults, "stop"), bounded = kernel(kFaults, "bounded"), shared = kernel(kFaults, "shared");
  const auto launch = [](CUfunction function, unsigned grid, unsigned block, unsigned bytes) {
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, bytes, nullptr, nullptr, nullptr);
  };
  CHECK(launch(stop, 0, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(stop, 1, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(stop, 1, 1025, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuLaunchKernel(stop, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(launch(bounded, 1, 32, 0) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(launch(bounded, 1, 64, 0));
  CHECK(launch(shared, 1, 1, 49152 - 1024 + 1) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(launch(shared, 1, 1, 49152 - 1024));
  CHECK(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 166912) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 166912 - 1024));
  CU_CHECK(launch(shared, 1, 1, 166912 - 1024));
  CHECK(cuLaunchCooperativeKernel(shared, 4 * 32 + 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CU_CHECK(cuLaunchCooperativeKernel(shared, 4 * 32, 1, 1, 64, 1, 1, 0, nullptr, nullptr));
  int nothing = 0;
  CHECK(launch_one(reinterpret_cast<CUfunction>(&nothing)) == CUDA_ERROR_INVALID_HANDLE);
  CU_CHECK(cuCtxSynchronize());
}

TEST_CASE("images that cannot run here are told apart") {
  const Context context;
  CUmodule module = nullptr;
  const unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  CHECK(cuModuleLoadData(&module, cubin) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(cuModuleLoadData(&module, "no image") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(cuModuleLoadData(&module, ".version 9.9\n.target sm_80\n.address_size 64\n") == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  CHECK(cuModuleLoadData(&module, ".version 8.0\n.target sm_90a\n.address_size 64\n") == CUDA_ERROR_INVALID_PTX);
  CHECK(cuModuleLoadData(&module, ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f() { nonsense; }") == CUDA_ERROR_INVALID_PTX);
  CHECK(cuModuleLoad(&module, "/nonexistent/x.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
  CHECK(cuModuleLoadData(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuModuleLoadData(&module, ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry f() { ret; }"));
  CUfunction function = nullptr;
  CHECK(cuModuleGetFunction(&function, module, "g") == CUDA_ERROR_NOT_FOUND);
  CU_CHECK(cuModuleGetFunction(&function, module, "f"));
  CU_CHECK(cuModuleUnload(module));
  CHECK(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch_one(function) == CUDA_ERROR_INVALID_HANDLE);
}
