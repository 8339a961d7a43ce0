// Clusters of blocks on an emulated GPU that has them: the program's GPU is sm_90 (see CMakeLists.txt).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "cuda_test.hpp"

using namespace cuda_test;

namespace {

// Each block puts its number into the shared memory of the next one of its cluster, which writes what it got, its place and the
// cluster's size: out[3 b], out[3 b + 1], out[3 b + 2].
constexpr const char* kRing = R"(.version 7.8
.target sm_90
.address_size 64
.visible .entry ring(.param .u64 out) {
  .shared .align 4 .b32 box;
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;
  add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2;
  mov.u32 %r4, box; mapa.shared::cluster.u32 %r4, %r4, %r3;
  mov.u32 %r5, %ctaid.x;
  barrier.cluster.arrive; barrier.cluster.wait;
  st.shared::cluster.u32 [%r4], %r5;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared.u32 %r6, [box];
  ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r5, 12; add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r6; st.global.u32 [%d1+4], %r1; st.global.u32 [%d1+8], %r2;
  ret;
})";

CUresult launch(CUfunction function, unsigned grid, CUlaunchAttribute* attributes, unsigned count, CUdeviceptr out) {
  CUlaunchConfig config = {};
  config.gridDimX = grid;
  config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = count;
  void* arguments[] = {&out};
  return cuLaunchKernelEx(&config, function, arguments, nullptr);
}

CUlaunchAttribute cluster_of(unsigned blocks) {
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {blocks, 1, 1};
  return attribute;
}

}  // namespace

TEST_CASE("blocks of a cluster reach each other's shared memory; other sizes than whole clusters of at most 8 are refused") {
  const Context context;
  int clusters = 0;
  CU_REQUIRE(cuDeviceGetAttribute(&clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
  REQUIRE(clusters == 1);
  CUmodule module = nullptr;
  CU_REQUIRE(cuModuleLoadData(&module, kRing));
  CUfunction ring = nullptr;
  CU_REQUIRE(cuModuleGetFunction(&ring, module, "ring"));
  CUdeviceptr out = 0;
  constexpr unsigned kBlocks = 24;
  CU_REQUIRE(cuMemAlloc(&out, kBlocks * 12));
  for (const unsigned size : {1u, 2u, 3u, 8u}) {
    CAPTURE(size);
    CUlaunchAttribute attributes[] = {cluster_of(size), {}};
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[1].value.programmaticStreamSerializationAllowed = 1;
    CU_REQUIRE(cuMemsetD8(out, 0xff, kBlocks * 12));
    CU_REQUIRE(launch(ring, kBlocks, attributes, 2, out));
    const std::vector<unsigned> values = read(out, kBlocks * 3);
    for (unsigned block = 0; block < kBlocks; ++block) {
      CAPTURE(block);
      const unsigned first = block / size * size;
      CHECK(values[3 * block] == first + (block - first + size - 1) % size);
      CHECK(values[3 * block + 1] == block - first);
      CHECK(values[3 * block + 2] == size);
    }
  }
  CUlaunchAttribute wrong = cluster_of(5);
  CHECK(launch(ring, kBlocks, &wrong, 1, out) == CUDA_ERROR_INVALID_VALUE);
  wrong = cluster_of(12);
  CHECK(launch(ring, kBlocks, &wrong, 1, out) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  wrong.value.clusterDim = {2, 0, 1};
  CHECK(launch(ring, kBlocks, &wrong, 1, out) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CU_CHECK(cuCtxSynchronize());
  CU_CHECK(cuMemFree(out));
}
