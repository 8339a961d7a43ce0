// Modules, libraries, linking, and what functions say about themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "cuda_test.hpp"

using namespace cuda_test;

namespace {

constexpr const char* kTwo = R"(.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry one(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[16]) { .shared .align 4 .b8 s[100]; ret; }
.visible .entry two(.param .u64 out) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [out]; ld.global.u32 %r1, [counter]; st.global.u32 [%d1], %r1; ret;
})";

unsigned run_two(CUfunction function) {
  CUdeviceptr out = 0;
  CU_REQUIRE(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  CU_CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  const unsigned value = read(out, 1)[0];
  CU_CHECK(cuMemFree(out));
  return value;
}

}  // namespace

TEST_CASE("a module lists its functions with their parameters and attributes, and its variables") {
  const Context context;
  CUmodule module = nullptr;
  CU_REQUIRE(cuModuleLoadData(&module, kTwo));
  unsigned count = 0;
  CU_CHECK(cuModuleGetFunctionCount(&count, module));
  REQUIRE(count == 2);
  CUfunction functions[2] = {}, one = nullptr;
  CU_CHECK(cuModuleEnumerateFunctions(functions, 2, module));
  CU_CHECK(cuModuleGetFunction(&one, module, "one"));
  CHECK((functions[0] == one || functions[1] == one));
  const char* name = nullptr;
  CU_CHECK(cuFuncGetName(&name, one));
  CHECK(std::strcmp(name, "one") == 0);
  std::size_t offset = 0, bytes = 0;
  CU_CHECK(cuFuncGetParamInfo(one, 2, &offset, &bytes));
  CHECK(offset == 16);
  CHECK(bytes == 16);
  CHECK(cuFuncGetParamInfo(one, 3, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  const auto attribute = [&](CUfunction_attribute which) {
    int value = -1;
    CU_CHECK(cuFuncGetAttribute(&value, which, one));
    return value;
  };
  CHECK(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) == 100);
  CHECK(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) == 1024);
  CHECK(attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION) == 80);
  CHECK(attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION) == 80);
  CHECK(attribute(CU_FUNC_ATTRIBUTE_NUM_REGS) > 0);
  int value = 0;
  CHECK(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), one) == CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr counter = 0;
  CU_CHECK(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  CHECK(bytes == 4);
  CHECK(cuModuleGetGlobal(&counter, &bytes, module, "none") == CUDA_ERROR_NOT_FOUND);
  const unsigned eight = 8;
  CU_CHECK(cuMemcpyHtoD(counter, &eight, 4));
  CHECK(cuMemcpyHtoD(counter, kTwo, 8) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree(counter) == CUDA_ERROR_INVALID_VALUE);
  CUfunction two = nullptr;
  CU_CHECK(cuModuleGetFunction(&two, module, "two"));
  CHECK(run_two(two) == 8);
  CU_CHECK(cuModuleUnload(module));
}

TEST_CASE("a library's kernels run in whatever context is current, also by their own handles") {
  const Context context;
  CUlibrary library = nullptr;
  CU_REQUIRE(cuLibraryLoadData(&library, kTwo, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = nullptr;
  CU_REQUIRE(cuLibraryGetKernel(&kernel, library, "two"));
  CHECK(run_two(reinterpret_cast<CUfunction>(kernel)) == 5);
  {
    const Context other;
    CUfunction function = nullptr;
    CU_REQUIRE(cuKernelGetFunction(&function, kernel));
    CHECK(run_two(function) == 5);
    CUmodule module = nullptr, same = nullptr;
    CU_CHECK(cuLibraryGetModule(&module, library));
    CU_CHECK(cuFuncGetModule(&same, function));
    CHECK(module == same);
  }
  unsigned count = 0;
  CU_CHECK(cuLibraryGetKernelCount(&count, library));
  CHECK(count == 2);
  CU_CHECK(cuLibraryUnload(library));
  CHECK(cuLibraryGetKernel(&kernel, library, "two") == CUDA_ERROR_INVALID_HANDLE);
  CUfunction function = nullptr;
  CHECK(cuKernelGetFunction(&function, kernel) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("links are refused with a log that names what is missing or defined twice") {
  const Context context;
  const auto link = [](std::initializer_list<const char*> texts, std::string& log) {
    char errors[2000] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
    CUlinkState state = nullptr;
    CU_REQUIRE(cuLinkCreate(2, options, values, &state));
    CUresult result = CUDA_SUCCESS;
    for (const char* body : texts) {
      const std::string text = std::string(".version 7.8\n.target sm_80\n.address_size 64\n") + body;
      result = cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()), text.size(), body, 0, nullptr, nullptr);
      if (result != CUDA_SUCCESS) break;
    }
    void* image = nullptr;
    if (result == CUDA_SUCCESS) result = cuLinkComplete(state, &image, nullptr);
    log = errors;
    CHECK(reinterpret_cast<std::size_t>(values[1]) == log.size());
    CU_CHECK(cuLinkDestroy(state));
    return result;
  };
  std::string log;
  CHECK(link({".visible .func f() { ret; }", ".visible .func f() { ret; }"}, log) == CUDA_ERROR_INVALID_IMAGE);
  CHECK_MESSAGE(log.find("multiple definition of 'f'") != std::string::npos, log);
  CHECK(link({".extern .func g();\n.visible .entry k() { call g; ret; }"}, log) == CUDA_ERROR_INVALID_IMAGE);
  CHECK_MESSAGE(log.find("undefined reference to 'g'") != std::string::npos, log);
  CHECK(link({".visible .entry k() { foo; }"}, log) == CUDA_ERROR_INVALID_PTX);
  CHECK_MESSAGE(log.find("foo") != std::string::npos, log);
  CHECK(link({".extern .func g();\n.visible .entry k() { call g; ret; }", ".weak .func g() { ret; }", ".visible .func g() { ret; }"}, log) == CUDA_SUCCESS);
  CHECK(link({}, log) == CUDA_ERROR_INVALID_VALUE);
  CUlinkState state = nullptr;
  CU_REQUIRE(cuLinkCreate(0, nullptr, nullptr, &state));
  unsigned char cubin[64] = {0x7f, 'E', 'L', 'F'};
  CHECK(cuLinkAddData(state, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "", 0, nullptr, nullptr) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CU_CHECK(cuLinkDestroy(state));
}

TEST_CASE("occupancy follows threads, registers and shared memory of the device") {
  const Context context;
  const CUfunction affine = kernel(kAffine, "affine");
  const auto blocks = [&](int threads, std::size_t shared) {
    int count = -1;
    CU_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, affine, threads, shared));
    return count;
  };
  CHECK(blocks(1024, 0) == 2);
  CHECK(blocks(32, 0) == 32);
  CHECK(blocks(256, 0) == 8);
  CHECK(blocks(32, 40000) == 4);  // 167936 / (40000 + 1024)
  CHECK(blocks(1025, 0) == 0);
  int grid = 0, block = 0;
  CU_CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, affine, nullptr, 0, 0));
  CHECK(block == 1024);
  CHECK(grid == 8);
  CU_CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, affine, nullptr, 0, 128));
  CHECK(block == 128);
}

TEST_CASE("entries are found by name and version, and those that are not there are not found") {
  const Context context;
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const auto find = [&](const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
    return cuGetProcAddress(name, &function, version, flags, &status);
  };
  CU_CHECK(find("cuMemAlloc", 3020));
  CHECK(function == reinterpret_cast<void*>(&cuMemAlloc));
  CU_CHECK(find("cuMemAlloc", 2000));
  CHECK(function == nullptr);
  CHECK(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  CU_CHECK(find("cuTexRefCreate", 12000));
  CHECK(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CHECK(function == nullptr);
  CU_CHECK(find("cuCtxCreate", 12000));
  void* const older = function;
  CU_CHECK(find("cuCtxCreate", 12050));
  CHECK(function == reinterpret_cast<void*>(&cuCtxCreate));
  CHECK(older != function);
  CU_CHECK(find("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  CHECK(function != reinterpret_cast<void*>(&cuLaunchKernel));
  CHECK(find("cuInit", 99000) == CUDA_ERROR_INVALID_VALUE);
  const char* text = nullptr;
  CU_CHECK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  CHECK(std::strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
  CU_CHECK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  CHECK(std::strcmp(text, "illegal address") == 0);
  CHECK(cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("the device is the described one and says that it is emulated") {
  const Context context;
  char name[64];
  CU_CHECK(cuDeviceGetName(name, sizeof name, 0));
  CHECK(std::strstr(name, "emulated") != nullptr);
  CUuuid uuid = {};
  CU_CHECK(cuDeviceGetUuid(&uuid, 0));
  CHECK(std::memcmp(uuid.bytes, "emulated", 8) == 0);
  int value = 0;
  CU_CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  CHECK(value == 166912);
  CHECK(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(5000), 0) == CUDA_ERROR_INVALID_VALUE);
  char pci[20];
  CU_CHECK(cuDeviceGetPCIBusId(pci, sizeof pci, 0));
  CUdevice device = -1;
  CU_CHECK(cuDeviceGetByPCIBusId(&device, pci));
  CHECK(device == 0);
  CHECK(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
  int version = 0;
  CU_CHECK(cuDriverGetVersion(&version));
  CHECK(version == 13000);
}
