// Capture and graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_test.hpp"

using namespace cuda_test;

namespace {

struct Fixture {
  Fixture() {
    affine = kernel(kAffine, "affine");
    CU_REQUIRE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU_REQUIRE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU_REQUIRE(cuMemAlloc(&memory, 128));
    CU_REQUIRE(cuMemsetD32(memory, 1, 32));
    CU_REQUIRE(cuCtxSynchronize());
  }
  CUgraph capture(unsigned factor, unsigned summand) {
    CU_REQUIRE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    CU_REQUIRE(launch_affine(affine, memory, factor, 0, 32, stream));
    CU_REQUIRE(launch_affine(affine, memory, 1, summand, 32, stream));
    CUgraph graph = nullptr;
    CU_REQUIRE(cuStreamEndCapture(stream, &graph));
    return graph;
  }
  unsigned value() { return read(memory, 32)[31]; }

  Context context;
  CUfunction affine = nullptr;
  CUstream stream = nullptr, other = nullptr;
  CUdeviceptr memory = 0;
};

}  // namespace

TEST_CASE("captured work runs when the graph is launched, as often as it is, and can be updated in place") {
  Fixture f;
  CUgraph graph = f.capture(3, 4);
  CU_CHECK(cuStreamSynchronize(f.stream));
  CHECK(f.value() == 1);
  std::size_t nodes = 0, roots = 0;
  CU_CHECK(cuGraphGetNodes(graph, nullptr, &nodes));
  CU_CHECK(cuGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(nodes == 2);
  CHECK(roots == 1);
  CUgraphExec executable = nullptr;
  CU_REQUIRE(cuGraphInstantiate(&executable, graph, 0));
  CU_CHECK(cuGraphLaunch(executable, f.stream));
  CU_CHECK(cuGraphLaunch(executable, f.other));  // the second launch of a graph waits for the first, in any stream
  CU_CHECK(cuStreamSynchronize(f.other));
  CHECK(f.value() == 3 * (3 * 1 + 4) + 4);
  CUgraph changed = f.capture(0, 9);
  CUgraphExecUpdateResultInfo info = {};
  CU_CHECK(cuGraphExecUpdate(executable, changed, &info));
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CU_CHECK(cuGraphDestroy(changed));
  CU_CHECK(cuGraphDestroy(graph));
  CU_CHECK(cuGraphLaunch(executable, f.stream));
  CU_CHECK(cuStreamSynchronize(f.stream));
  CHECK(f.value() == 9);
  CU_CHECK(cuGraphExecDestroy(executable));
  CHECK(cuGraphLaunch(executable, f.stream) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a graph of another form does not update an executable one") {
  Fixture f;
  CUgraph graph = f.capture(3, 4);
  CUgraphExec executable = nullptr;
  CU_REQUIRE(cuGraphInstantiate(&executable, graph, 0));
  CUgraph single = nullptr;
  CU_REQUIRE(cuGraphCreate(&single, 0));
  CUgraphNode empty = nullptr;
  CU_REQUIRE(cuGraphAddEmptyNode(&empty, single, nullptr, 0));
  CUgraphExecUpdateResultInfo info = {};
  CHECK(cuGraphExecUpdate(executable, single, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CU_REQUIRE(cuGraphAddEmptyNode(&empty, single, &empty, 1));
  CHECK(cuGraphExecUpdate(executable, single, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
}

TEST_CASE("streams join a capture through events and must come back") {
  Fixture f;
  CUevent forked = nullptr, joined = nullptr;
  CU_REQUIRE(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
  CU_REQUIRE(cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
  for (const bool join : {true, false}) {
    CU_REQUIRE(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CU_CHECK(cuMemsetD32Async(f.memory, 5, 32, f.stream));
    CU_CHECK(cuEventRecord(forked, f.stream));
    CU_CHECK(cuStreamWaitEvent(f.other, forked, 0));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CU_CHECK(cuStreamIsCapturing(f.other, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CU_CHECK(launch_affine(f.affine, f.memory, 2, 1, 32, f.other));
    CU_CHECK(cuEventRecord(joined, f.other));
    if (join) CU_CHECK(cuStreamWaitEvent(f.stream, joined, 0));
    CUgraph graph = nullptr;
    const CUresult ended = cuStreamEndCapture(f.stream, &graph);
    CU_CHECK(cuStreamIsCapturing(f.other, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    if (!join) {
      CHECK(ended == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
      CHECK(graph == nullptr);
      continue;
    }
    REQUIRE(ended == CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    CU_REQUIRE(cuGraphInstantiate(&executable, graph, 0));
    CU_CHECK(cuGraphLaunch(executable, nullptr));
    CU_CHECK(cuCtxSynchronize());
    CHECK(f.value() == 11);
  }
}

TEST_CASE("what a capture cannot take invalidates it") {
  Fixture f;
  CUgraph graph = nullptr;
  CU_REQUIRE(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK(cuStreamSynchronize(f.stream) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(launch_affine(f.affine, f.memory, 2, 1, 32, f.stream) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamEndCapture(f.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamEndCapture(f.stream, &graph) == CUDA_ERROR_ILLEGAL_STATE);

  CUdeviceptr memory = 0;
  CU_REQUIRE(cuStreamBeginCapture(f.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuMemAlloc(&memory, 16) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(cuStreamEndCapture(f.stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  CUstream blocking = nullptr;
  CU_REQUIRE(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
  CU_REQUIRE(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  CHECK(cuMemsetD8Async(f.memory, 0, 4, nullptr) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(cuStreamEndCapture(blocking, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(f.value() == 1);
}

TEST_CASE("a graph is built by calls, asked about, cloned, and changed node by node") {
  Fixture f;
  CUgraph graph = nullptr, child = nullptr, clone = nullptr;
  CU_REQUIRE(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill = {f.memory, 0, 7, 4, 32, 1};
  CUgraphNode fill_node = nullptr, kernel_node = nullptr, child_node = nullptr;
  CU_REQUIRE(cuGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill, f.context.handle));
  unsigned factor = 2, summand = 1;
  void* arguments[] = {&f.memory, &factor, &summand};
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = f.affine;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
  launch.blockDimX = 32;
  launch.kernelParams = arguments;
  CU_REQUIRE(cuGraphAddKernelNode(&kernel_node, graph, nullptr, 0, &launch));
  CU_REQUIRE(cuGraphAddDependencies(graph, &fill_node, &kernel_node, nullptr, 1));
  CHECK(cuGraphAddDependencies(graph, &fill_node, &kernel_node, nullptr, 1) == CUDA_ERROR_INVALID_VALUE);
  CU_REQUIRE(cuGraphCreate(&child, 0));
  static unsigned called = 0;
  called = 0;
  const CUDA_HOST_NODE_PARAMS host = {[](void* count) { ++*static_cast<unsigned*>(count); }, &called};
  CUgraphNode host_node = nullptr;
  CU_REQUIRE(cuGraphAddHostNode(&host_node, child, nullptr, 0, &host));
  CU_REQUIRE(cuGraphAddChildGraphNode(&child_node, graph, &kernel_node, 1, child));
  CU_CHECK(cuGraphDestroy(child));

  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  CU_CHECK(cuGraphNodeGetType(kernel_node, &type));
  CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphNode before = nullptr;
  std::size_t count = 1;
  CU_CHECK(cuGraphNodeGetDependencies(kernel_node, &before, nullptr, &count));
  CHECK(before == fill_node);
  CUDA_KERNEL_NODE_PARAMS found = {};
  CU_CHECK(cuGraphKernelNodeGetParams(kernel_node, &found));
  CHECK(found.func == f.affine);
  CHECK(*static_cast<unsigned*>(found.kernelParams[1]) == 2);
  CHECK(cuGraphMemsetNodeGetParams(kernel_node, &fill) == CUDA_ERROR_INVALID_VALUE);

  CU_CHECK(cuGraphClone(&clone, graph));
  CUgraphExec executable = nullptr;
  CU_REQUIRE(cuGraphInstantiate(&executable, graph, 0));
  CU_CHECK(cuGraphLaunch(executable, f.stream));
  CU_CHECK(cuStreamSynchronize(f.stream));
  CHECK(f.value() == 15);
  CHECK(called == 1);
  summand = 100;
  CU_CHECK(cuGraphExecKernelNodeSetParams(executable, kernel_node, &launch));
  CU_CHECK(cuGraphLaunch(executable, f.stream));
  CU_CHECK(cuStreamSynchronize(f.stream));
  CHECK(f.value() == 114);
  CU_CHECK(cuGraphDestroy(graph));
  CUgraphExec second = nullptr;
  CU_REQUIRE(cuGraphInstantiate(&second, clone, 0));
  CU_CHECK(cuGraphLaunch(second, f.stream));
  CU_CHECK(cuStreamSynchronize(f.stream));
  CHECK(f.value() == 15);
  CHECK(called == 3);

  CUgraphNode ring[2] = {};
  CU_REQUIRE(cuGraphCreate(&graph, 0));
  CU_REQUIRE(cuGraphAddEmptyNode(&ring[0], graph, nullptr, 0));
  CU_REQUIRE(cuGraphAddEmptyNode(&ring[1], graph, &ring[0], 1));
  CU_REQUIRE(cuGraphAddDependencies(graph, &ring[1], &ring[0], nullptr, 1));
  CHECK(cuGraphInstantiate(&second, graph, 0) == CUDA_ERROR_INVALID_VALUE);
}
