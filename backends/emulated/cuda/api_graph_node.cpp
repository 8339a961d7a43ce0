// Entries that read and write what nodes of graphs do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/copies.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/graph_words.hpp"
#include "backends/emulated/cuda/launches.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace bascule::emulated {
namespace {

template <class Parameters>
KernelWork make_kernel(CUfunction function, const Parameters& p) {
  return make_launch({function, {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}, {}, p.sharedMemBytes, false, p.kernelParams, p.extra});
}

}  // namespace

std::shared_ptr<GraphNode> node_of(CUgraphNode handle) { return Registry<GraphNode>::get().at(handle, "node of a graph", CUDA_ERROR_INVALID_VALUE); }

KernelWork kernel_from(const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  need(parameters, "the node's parameters");
  return make_kernel(parameters->func, *parameters);
}

KernelWork kernel_from(const CUDA_KERNEL_NODE_PARAMS* parameters) {
  need(parameters, "the node's parameters");
  return make_kernel(parameters->func != nullptr ? parameters->func : reinterpret_cast<CUfunction>(parameters->kern), *parameters);
}

CopyWork copy_from(const CUDA_MEMCPY3D* parameters) {
  need(parameters, "the node's parameters");
  return make_copy(*parameters);
}

FillWork fill_from(const CUDA_MEMSET_NODE_PARAMS* parameters) {
  need(parameters, "the node's parameters");
  return make_fill(*parameters);
}

HostWork host_from(const CUDA_HOST_NODE_PARAMS* parameters) {
  need(parameters, "the node's parameters");
  if (parameters->fn == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "the node's function is null");
  return HostWork{parameters->fn, parameters->userData, nullptr, nullptr};
}

}  // namespace bascule::emulated

namespace {

template <class Kind>
const Kind& work_of(const GraphNode& node) {
  const auto* const work = std::get_if<Kind>(&node.work);
  if (work == nullptr) refuse(CUDA_ERROR_INVALID_VALUE, "the node is of another type ({})", static_cast<int>(node.type));
  return *work;
}

template <class Kind>
void set(CUgraphNode handle, Kind work) {
  const auto node = node_of(handle);
  work_of<Kind>(*node);
  node->work = std::move(work);
}

template <class Parameters>
void kernel_to(CUgraphNode handle, Parameters* out) {
  need(out, "where the parameters go");
  const auto node = node_of(handle);
  const KernelWork& kernel = work_of<KernelWork>(*node);
  node->argument_pointers.clear();
  for (const bsc_simt_parameter& parameter : kernel.function->parameters) {
    node->argument_pointers.push_back(const_cast<std::byte*>(kernel.arguments.data() + parameter.offset));
  }
  *out = {};
  out->func = reinterpret_cast<CUfunction>(kernel.function.get());
  out->gridDimX = kernel.grid[0];
  out->gridDimY = kernel.grid[1];
  out->gridDimZ = kernel.grid[2];
  out->blockDimX = kernel.block[0];
  out->blockDimY = kernel.block[1];
  out->blockDimZ = kernel.block[2];
  out->sharedMemBytes = kernel.shared_bytes;
  out->kernelParams = node->argument_pointers.data();
}

}  // namespace

BASCULE_CUDA_ENTRY cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
  return call("cuGraphKernelNodeGetParams", [&] { kernel_to(hNode, nodeParams); });
}

BASCULE_CUDA_ENTRY cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return call("cuGraphKernelNodeGetParams_v2", [&] { kernel_to(hNode, nodeParams); });
}

BASCULE_CUDA_ENTRY cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
  return call("cuGraphKernelNodeSetParams", [&] { set(hNode, kernel_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return call("cuGraphKernelNodeSetParams_v2", [&] { set(hNode, kernel_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams) {
  return call("cuGraphMemcpyNodeGetParams", [&] {
    need(nodeParams, "where the parameters go");
    *nodeParams = work_of<CopyWork>(*node_of(hNode)).asked;
  });
}

BASCULE_CUDA_ENTRY cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams) {
  return call("cuGraphMemcpyNodeSetParams", [&] { set(hNode, copy_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  return call("cuGraphMemsetNodeGetParams", [&] {
    need(nodeParams, "where the parameters go");
    *nodeParams = work_of<FillWork>(*node_of(hNode)).asked;
  });
}

BASCULE_CUDA_ENTRY cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams) {
  return call("cuGraphMemsetNodeSetParams", [&] { set(hNode, fill_from(nodeParams)); });
}

BASCULE_CUDA_ENTRY cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call("cuGraphHostNodeGetParams", [&] {
    need(nodeParams, "where the parameters go");
    const auto node = node_of(hNode);
    const HostWork& host = work_of<HostWork>(*node);
    *nodeParams = {host.function, host.data};
  });
}

BASCULE_CUDA_ENTRY cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call("cuGraphHostNodeSetParams", [&] { set(hNode, host_from(nodeParams)); });
}
