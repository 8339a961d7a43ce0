// Memory, copies and fills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "cuda_test.hpp"

using namespace cuda_test;

TEST_CASE("device memory is counted against the card's, and given back") {
  const Context context;
  std::size_t free = 0, total = 0, later = 0;
  CU_REQUIRE(cuMemGetInfo(&free, &total));
  CHECK(total == std::size_t{4096} << 20);
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 1000));
  CU_CHECK(cuMemGetInfo(&later, nullptr));
  CHECK(later == free - 1000);
  CHECK(cuMemAlloc(&memory, total) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(cuMemAlloc(&memory, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree(memory + 4) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuMemFree(memory));
  CHECK(cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuMemFree(0));
  CU_CHECK(cuMemGetInfo(&later, nullptr));
  CHECK(later == free);
}

TEST_CASE("a copy that ends beyond an allocation is refused, one that ends with it is not") {
  const Context context;
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 100));
  std::vector<unsigned char> bytes(200, 7), back(100);
  CHECK(cuMemcpyHtoD(memory, bytes.data(), 101) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyHtoD(memory + 50, bytes.data(), 51) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(back.data()), bytes.data(), 1) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuMemcpyHtoD(memory, bytes.data(), 100));
  CU_CHECK(cuMemcpyDtoH(back.data(), memory, 100));
  CHECK(std::all_of(back.begin(), back.end(), [](unsigned char byte) { return byte == 7; }));
  CU_CHECK(cuMemcpyHtoD(memory, bytes.data(), 0));
  CU_CHECK(cuMemFree(memory));
}

TEST_CASE("fills of 1, 2 and 4 bytes write what they should and nothing else, in rows too") {
  const Context context;
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  CU_REQUIRE(cuMemAllocPitch(&memory, &pitch, 100, 3, 4));
  CHECK(pitch == 512);
  CU_CHECK(cuMemsetD8(memory, 0x11, pitch * 3));
  CU_CHECK(cuMemsetD2D16(memory, pitch, 0x2233, 10, 3));
  CU_CHECK(cuMemsetD32(memory + 40, 0x44556677, 2));
  std::vector<unsigned char> rows(pitch * 3);
  CU_REQUIRE(cuMemcpyDtoH(rows.data(), memory, rows.size()));
  for (std::size_t row = 0; row < 3; ++row) {
    CHECK(rows[row * pitch] == 0x33);
    CHECK(rows[row * pitch + 19] == 0x22);
    CHECK(rows[row * pitch + 20] == 0x11);
  }
  CHECK(rows[40] == 0x77);
  CHECK(rows[47] == 0x44);
  CHECK(rows[48] == 0x11);
  CHECK(cuMemsetD32(memory + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemsetD8(memory, 0, pitch * 3 + 1) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuMemFree(memory));
}

TEST_CASE("a box is copied between pitches, from an offset") {
  const Context context;
  unsigned char host[4][10];
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 10; ++x) host[y][x] = static_cast<unsigned char>(10 * y + x);
  }
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 64));
  CU_REQUIRE(cuMemsetD8(memory, 0xff, 64));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 10;
  copy.srcXInBytes = 3;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = 16;
  copy.WidthInBytes = 5;
  copy.Height = 3;
  CU_CHECK(cuMemcpy2D(&copy));
  unsigned char back[64];
  CU_REQUIRE(cuMemcpyDtoH(back, memory, 64));
  CHECK(back[0] == 13);
  CHECK(back[4] == 17);
  CHECK(back[5] == 0xff);
  CHECK(back[16 + 2] == 25);
  CHECK(back[32 + 4] == 37);
  copy.dstPitch = 4;
  CHECK(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);
  copy.dstPitch = 32;
  CHECK(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);  // its last row would end at 69
  CU_CHECK(cuMemFree(memory));
}

TEST_CASE("an asynchronous copy from ordinary memory leaves that free for reuse") {
  const Context context;
  CUstream stream = nullptr;
  CU_REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAlloc(&memory, 4096));
  std::vector<unsigned> values(1024, 5);
  CU_REQUIRE(cuLaunchHostFunc(stream, [](void*) {}, nullptr));
  CU_CHECK(cuMemcpyHtoDAsync(memory, values.data(), 4096, stream));
  std::fill(values.begin(), values.end(), 6u);
  std::vector<unsigned> back(1024);
  CU_CHECK(cuMemcpyDtoHAsync(back.data(), memory, 4096, stream));
  CHECK(std::count(back.begin(), back.end(), 5u) == 1024);  // and to ordinary memory it is done when the call returns
  CU_CHECK(cuStreamDestroy(stream));
  CU_CHECK(cuMemFree(memory));
}

TEST_CASE("pointers say what they are") {
  const Context context;
  CUdeviceptr device = 0, managed = 0;
  void* host = nullptr;
  std::vector<int> plain(10), registered(1000);
  CU_REQUIRE(cuMemAlloc(&device, 64));
  CU_REQUIRE(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  CU_REQUIRE(cuMemAllocHost(&host, 64));
  CU_REQUIRE(cuMemHostRegister(registered.data(), registered.size() * sizeof(int), 0));
  CHECK(cuMemHostRegister(registered.data() + 1, 4, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  const auto type = [](const void* pointer) {
    CUmemorytype found = CU_MEMORYTYPE_ARRAY;
    const CUresult result = cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pointer));
    return result == CUDA_SUCCESS ? static_cast<int>(found) : -static_cast<int>(result);
  };
  CHECK(type(reinterpret_cast<void*>(device + 63)) == CU_MEMORYTYPE_DEVICE);
  CHECK(type(reinterpret_cast<void*>(managed)) == CU_MEMORYTYPE_DEVICE);
  CHECK(type(host) == CU_MEMORYTYPE_HOST);
  CHECK(type(registered.data() + 500) == CU_MEMORYTYPE_HOST);
  CHECK(type(plain.data()) == -CUDA_ERROR_INVALID_VALUE);
  unsigned is_managed = 0;
  CU_CHECK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  CHECK(is_managed == 1);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  CU_CHECK(cuMemGetAddressRange(&base, &bytes, device + 10));
  CHECK(base == device);
  CHECK(bytes == 64);
  CU_CHECK(cuMemHostUnregister(registered.data()));
  CHECK(cuMemHostUnregister(registered.data()) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  CU_CHECK(cuMemFreeHost(host));
  CU_CHECK(cuMemFree(managed));
  CU_CHECK(cuMemFree(device));
}

TEST_CASE("pools count what is used, in the order of the stream") {
  const Context context;
  CUmemoryPool pool = nullptr;
  CU_REQUIRE(cuDeviceGetDefaultMemPool(&pool, 0));
  const auto used = [&] {
    cuuint64_t bytes = 0;
    CU_CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &bytes));
    return bytes;
  };
  const cuuint64_t before = used();
  CUstream stream = nullptr;
  CU_REQUIRE(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CUdeviceptr memory = 0;
  CU_REQUIRE(cuMemAllocAsync(&memory, 4096, stream));
  CHECK(used() == before + 4096);
  CU_CHECK(cuMemsetD8Async(memory, 1, 4096, stream));
  CU_CHECK(cuMemFreeAsync(memory, stream));
  CU_CHECK(cuStreamSynchronize(stream));
  CHECK(used() == before);
  CHECK(cuMemFreeAsync(memory, stream) == CUDA_ERROR_INVALID_VALUE);
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.maxSize = 1 << 20;
  CUmemoryPool own = nullptr;
  CU_REQUIRE(cuMemPoolCreate(&own, &properties));
  CHECK(cuMemAllocFromPoolAsync(&memory, (1 << 20) + 1, own, stream) == CUDA_ERROR_OUT_OF_MEMORY);
  CU_CHECK(cuMemAllocFromPoolAsync(&memory, 1 << 20, own, stream));
  CU_CHECK(cuMemFreeAsync(memory, stream));
  CU_CHECK(cuMemPoolDestroy(own));
  CHECK(cuMemPoolDestroy(pool) == CUDA_ERROR_INVALID_VALUE);
  CU_CHECK(cuStreamDestroy(stream));
}
