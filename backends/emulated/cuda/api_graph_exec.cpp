// Entries that instantiate, change and launch graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/capture.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/graph_words.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

std::shared_ptr<Graph> graph_of(CUgraph handle) { return Registry<Graph>::get().at(handle, "graph", CUDA_ERROR_INVALID_VALUE); }
std::shared_ptr<GraphExec> exec_of(CUgraphExec handle) { return Registry<GraphExec>::get().at(handle, "executable graph", CUDA_ERROR_INVALID_VALUE); }

void instantiate(CUgraphExec* out, CUgraph graph, unsigned long long flags) {
  need(out, "where the executable graph goes");
  constexpr unsigned long long kTaken =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) refuse(CUDA_ERROR_NOT_SUPPORTED, "kernels cannot launch graphs here");
  if ((flags & ~kTaken) != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}", flags);
  *out = Registry<GraphExec>::get().add<CUgraphExec>(GraphExec::instantiate(*graph_of(graph), flags));
}

template <class Kind>
void set(CUgraphExec handle, CUgraphNode node, Kind work) {
  const auto executable = exec_of(handle);
  const std::lock_guard lock(executable->mutex);
  GraphExec::Node& own = executable->node_of(node_of(node).get());
  if (!std::holds_alternative<Kind>(own.work)) refuse(CUDA_ERROR_INVALID_VALUE, "the node is of another type");
  own.work = std::move(work);
}

CUgraphExecUpdateResult update(CUgraphExec handle, CUgraph graph, GraphNode*& error_node) {
  return exec_of(handle)->update(*graph_of(graph), error_node);
}

}  // namespace

BASCULE_CUDA_ENTRY cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer, size_t bufferSize) {
  return call("cuGraphInstantiate_v2", [&] {
    if (phErrorNode != nullptr) *phErrorNode = nullptr;
    if (logBuffer != nullptr && bufferSize != 0) *logBuffer = '\0';
    instantiate(phGraphExec, hGraph, 0);
  });
}

BASCULE_CUDA_ENTRY cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", [&] { instantiate(phGraphExec, hGraph, flags); });
}

BASCULE_CUDA_ENTRY cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph, CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams) {
  return call("cuGraphInstantiateWithParams", [&] {
    need(instantiateParams, "the parameters");
    instantiateParams->hErrNode_out = nullptr;
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    instantiate(phGraphExec, hGraph, instantiateParams->flags);
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  });
}

BASCULE_CUDA_ENTRY cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags) {
  return call("cuGraphExecGetFlags", [&] {
    need(flags, "where the flags go");
    *flags = exec_of(hGraphExec)->flags;
  });
}

BASCULE_CUDA_ENTRY cuGraphExecDestroy(CUgraphExec hGraphExec) {
  return call("cuGraphExecDestroy", [&] { Registry<GraphExec>::get().remove(exec_of(hGraphExec).get()); });
}

BASCULE_CUDA_ENTRY cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
  return call("cuGraphExecKernelNodeSetParams", [&] { set(hGraphExec, hNode, kernel_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return call("cuGraphExecKernelNodeSetParams_v2", [&] { set(hGraphExec, hNode, kernel_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams, CUcontext) {
  return call("cuGraphExecMemcpyNodeSetParams", [&] { set(hGraphExec, hNode, copy_from(copyParams)); });
}

BASCULE_CUDA_ENTRY cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext) {
  return call("cuGraphExecMemsetNodeSetParams", [&] { set(hGraphExec, hNode, fill_from(memsetParams)); });
}

BASCULE_CUDA_ENTRY cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call("cuGraphExecHostNodeSetParams", [&] { set(hGraphExec, hNode, host_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
    CUgraphExecUpdateResult *updateResult_out) {
  return call("cuGraphExecUpdate", [&] {
    need(updateResult_out, "where the result goes");
    GraphNode* error_node = nullptr;
    *updateResult_out = update(hGraphExec, hGraph, error_node);
    if (hErrorNode_out != nullptr) *hErrorNode_out = reinterpret_cast<CUgraphNode>(error_node);
    if (*updateResult_out != CU_GRAPH_EXEC_UPDATE_SUCCESS) refuse(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graphs differ ({})", static_cast<int>(*updateResult_out));
  });
}

BASCULE_CUDA_ENTRY cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo) {
  return call("cuGraphExecUpdate_v2", [&] {
    need(resultInfo, "where the result goes");
    *resultInfo = {};
    GraphNode* error_node = nullptr;
    resultInfo->result = update(hGraphExec, hGraph, error_node);
    resultInfo->errorNode = reinterpret_cast<CUgraphNode>(error_node);
    if (resultInfo->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) refuse(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graphs differ ({})", static_cast<int>(resultInfo->result));
  });
}

// Nothing has to be brought anywhere before a launch.
BASCULE_CUDA_ENTRY cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream) {
  return call("cuGraphUpload", [&] {
    exec_of(hGraphExec);
    const auto stream = current_context()->stream(hStream);
    refuse_if_captured(*stream, "uploading a graph");
  });
}

BASCULE_CUDA_ENTRY cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream) {
  return call("cuGraphLaunch", [&] {
    const auto executable = exec_of(hGraphExec);
    const auto stream = current_context()->stream(hStream);
    refuse_if_captured(*stream, "launching a graph");
    executable->launch(*stream);
  });
}
