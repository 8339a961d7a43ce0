// Entries that build graphs and ask about them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/entries.hpp"
#include "backends/emulated/cuda/graph_words.hpp"
#include "backends/emulated/cuda/registry.hpp"

using namespace bascule::emulated;

namespace {

std::shared_ptr<Graph> graph_of(CUgraph handle) {
  if (auto graph = Registry<Graph>::get().find(handle)) return graph;
  // The graph of a child node, or of a capture under way, is nobody's handle: it is found by its nodes.
  for (const auto& node : Registry<GraphNode>::get().all()) {
    auto graph = node->graph.lock();
    if (graph != nullptr && reinterpret_cast<CUgraph>(graph.get()) == handle) return graph;
    const auto* const child = std::get_if<ChildWork>(&node->work);
    if (child != nullptr && reinterpret_cast<CUgraph>(child->graph.get()) == handle) return child->graph;
  }
  refuse(CUDA_ERROR_INVALID_VALUE, "{} is no graph that is alive", reinterpret_cast<const void*>(handle));
}

std::vector<GraphNode*> nodes_of(const CUgraphNode* handles, std::size_t count) {
  std::vector<GraphNode*> nodes;
  if (count != 0) need(handles, "the list of nodes");
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(node_of(handles[i]).get());
  return nodes;
}

void add(CUgraphNode* out, CUgraph graph, const CUgraphNode* dependencies, std::size_t count, Work work) {
  need(out, "where the node goes");
  *out = reinterpret_cast<CUgraphNode>(graph_of(graph)->add(std::move(work), nodes_of(dependencies, count)).get());
}

// Two calls: the first with no place asks for the count.
void hand_out(const std::vector<GraphNode*>& nodes, CUgraphNode* out, std::size_t* count) {
  need(count, "the count");
  if (out == nullptr) {
    *count = nodes.size();
    return;
  }
  for (std::size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? reinterpret_cast<CUgraphNode>(nodes[i]) : nullptr;
  *count = std::min(*count, nodes.size());
}

void add_dependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, std::size_t count) {
  const auto graph = graph_of(handle);
  const auto before = nodes_of(from, count), after = nodes_of(to, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (before[i]->graph.lock() != graph || after[i]->graph.lock() != graph || before[i] == after[i]) {
      refuse(CUDA_ERROR_INVALID_VALUE, "the dependency {} is not one between two nodes of the graph", i);
    }
    if (std::find(after[i]->after.begin(), after[i]->after.end(), before[i]) != after[i]->after.end()) {
      refuse(CUDA_ERROR_INVALID_VALUE, "the dependency {} is there already", i);
    }
  }
  for (std::size_t i = 0; i < count; ++i) after[i]->after.push_back(before[i]);
}

void edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  need(count, "the count");
  std::vector<std::pair<GraphNode*, GraphNode*>> all;
  for (const auto& node : graph_of(handle)->nodes) {
    for (GraphNode* const before : node->after) all.emplace_back(before, node.get());
  }
  if (from != nullptr && to != nullptr) {
    *count = std::min(*count, all.size());
    for (std::size_t i = 0; i < *count; ++i) {
      from[i] = reinterpret_cast<CUgraphNode>(all[i].first);
      to[i] = reinterpret_cast<CUgraphNode>(all[i].second);
    }
    return;
  }
  *count = all.size();
}

void no_edge_data(const CUgraphEdgeData* data, std::size_t count) {
  constexpr CUgraphEdgeData kPlain{};
  for (std::size_t i = 0; data != nullptr && i < count; ++i) {
    if (std::memcmp(&data[i], &kPlain, sizeof kPlain) != 0) refuse(CUDA_ERROR_NOT_SUPPORTED, "dependencies on a part of a node are not supported here");
  }
}

void clear(CUgraphEdgeData* data, const std::size_t* count) {
  if (data != nullptr && count != nullptr) std::memset(data, 0, *count * sizeof *data);
}

}  // namespace

BASCULE_CUDA_ENTRY cuGraphCreate(CUgraph *phGraph, unsigned int flags) {
  return call("cuGraphCreate", [&] {
    need(phGraph, "where the graph goes");
    if (flags != 0) refuse(CUDA_ERROR_INVALID_VALUE, "flags {:#x}; they must be 0", flags);
    *phGraph = Registry<Graph>::get().add<CUgraph>(std::make_shared<Graph>());
  });
}

BASCULE_CUDA_ENTRY cuGraphDestroy(CUgraph hGraph) {
  return call("cuGraphDestroy", [&] { Registry<Graph>::get().at(hGraph, "graph", CUDA_ERROR_INVALID_VALUE)->unregister(); });
}

BASCULE_CUDA_ENTRY cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph) {
  return call("cuGraphClone", [&] {
    need(phGraphClone, "where the graph goes");
    *phGraphClone = Registry<Graph>::get().add<CUgraph>(graph_of(originalGraph)->clone());
  });
}

BASCULE_CUDA_ENTRY cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams) {
  return call("cuGraphAddKernelNode", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(kernel_from(nodeParams))); });
}

BASCULE_CUDA_ENTRY cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return call("cuGraphAddKernelNode_v2", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(kernel_from(nodeParams))); });
}

BASCULE_CUDA_ENTRY cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    const CUDA_MEMCPY3D *copyParams, CUcontext) {
  return call("cuGraphAddMemcpyNode", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(copy_from(copyParams))); });
}

BASCULE_CUDA_ENTRY cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext) {
  return call("cuGraphAddMemsetNode", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(fill_from(memsetParams))); });
}

BASCULE_CUDA_ENTRY cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    const CUDA_HOST_NODE_PARAMS *nodeParams) {
  return call("cuGraphAddHostNode", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(host_from(nodeParams))); });
}

BASCULE_CUDA_ENTRY cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies) {
  return call("cuGraphAddEmptyNode", [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(EmptyWork())); });
}

BASCULE_CUDA_ENTRY cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
    CUgraph childGraph) {
  return call("cuGraphAddChildGraphNode",
              [&] { add(phGraphNode, hGraph, dependencies, numDependencies, Work(ChildWork{graph_of(childGraph)->clone()})); });
}

BASCULE_CUDA_ENTRY cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies) {
  return call("cuGraphAddDependencies", [&] { add_dependencies(hGraph, from, to, numDependencies); });
}

BASCULE_CUDA_ENTRY cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edgeData,
    size_t numDependencies) {
  return call("cuGraphAddDependencies_v2", [&] {
    no_edge_data(edgeData, numDependencies);
    add_dependencies(hGraph, from, to, numDependencies);
  });
}

BASCULE_CUDA_ENTRY cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes) {
  return call("cuGraphGetNodes", [&] {
    std::vector<GraphNode*> all;
    for (const auto& node : graph_of(hGraph)->nodes) all.push_back(node.get());
    hand_out(all, nodes, numNodes);
  });
}

BASCULE_CUDA_ENTRY cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes) {
  return call("cuGraphGetRootNodes", [&] {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph_of(hGraph)->nodes) {
      if (node->after.empty()) roots.push_back(node.get());
    }
    hand_out(roots, rootNodes, numRootNodes);
  });
}

BASCULE_CUDA_ENTRY cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges) {
  return call("cuGraphGetEdges", [&] { edges(hGraph, from, to, numEdges); });
}

BASCULE_CUDA_ENTRY cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges) {
  return call("cuGraphGetEdges_v2", [&] {
    edges(hGraph, from, to, numEdges);
    clear(edgeData, numEdges);
  });
}

BASCULE_CUDA_ENTRY cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type) {
  return call("cuGraphNodeGetType", [&] {
    need(type, "where the type goes");
    *type = node_of(hNode)->type;
  });
}

BASCULE_CUDA_ENTRY cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies) {
  return call("cuGraphNodeGetDependencies", [&] { hand_out(node_of(hNode)->after, dependencies, numDependencies); });
}

BASCULE_CUDA_ENTRY cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData, size_t *numDependencies) {
  return call("cuGraphNodeGetDependencies_v2", [&] {
    hand_out(node_of(hNode)->after, dependencies, numDependencies);
    clear(edgeData, numDependencies);
  });
}
