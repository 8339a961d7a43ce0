// Graphs: work and what it runs after, built by calls or captured from streams; and their executable form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/emulated/cuda/include/cuda_structs.h"
#include "backends/emulated/cuda/work.hpp"

namespace bascule::emulated {

class Stream;

struct GraphNode {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Work work;
  std::vector<GraphNode*> after;
  std::weak_ptr<Graph> graph;
  std::vector<void*> argument_pointers;  // for GetParams: into the work's arguments
};

using GraphNodes = std::vector<std::shared_ptr<GraphNode>>;

struct Graph : std::enable_shared_from_this<Graph> {
  GraphNodes nodes;
  bool is_child = false;  // belongs to a node of another graph

  /// Registers the node. Throws Refusal for dependencies that are not in the graph.
  std::shared_ptr<GraphNode> add(Work work, const std::vector<GraphNode*>& after);
  std::shared_ptr<Graph> clone() const;
  void unregister();
};

[[nodiscard]] CUgraphNodeType type_of(const Work& work);

/// An instantiated graph: children put in place, in an order in which each node stands behind those it runs after.
struct GraphExec {
  struct Node {
    Work work;
    std::vector<std::size_t> after;
    const GraphNode* source = nullptr;
  };

  std::vector<Node> nodes;
  unsigned long long flags = 0;
  std::shared_ptr<Context> context;
  std::mutex mutex;
  std::shared_ptr<Operation> last;  // of the launch before

  /// Throws Refusal (INVALID_VALUE) if the graph goes in a circle.
  static std::shared_ptr<GraphExec> instantiate(const Graph& graph, unsigned long long flags);
  void launch(Stream& stream);
  /// Takes over the other graph's parameters if it has the same form; says what is different otherwise.
  CUgraphExecUpdateResult update(const Graph& graph, GraphNode*& error_node);
  /// The node made from `source`. Throws Refusal.
  Node& node_of(const GraphNode* source);
};

}  // namespace bascule::emulated
