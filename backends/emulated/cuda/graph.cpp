// See graph.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/graph.hpp"

#include <algorithm>
#include <map>

#include "backends/emulated/cuda/call.hpp"
#include "backends/emulated/cuda/registry.hpp"
#include "backends/emulated/cuda/stream.hpp"

namespace bascule::emulated {
namespace {

// Nodes in the order in which they can be run; empty if there is none.
std::vector<const GraphNode*> in_order(const Graph& graph) {
  std::vector<const GraphNode*> order;
  std::map<const GraphNode*, std::size_t> missing;
  for (const auto& node : graph.nodes) missing[node.get()] = node->after.size();
  for (;;) {
    const std::size_t before = order.size();
    for (const auto& node : graph.nodes) {
      const auto found = missing.find(node.get());
      if (found == missing.end()) continue;
      const bool ready = std::all_of(node->after.begin(), node->after.end(), [&](const GraphNode* other) { return !missing.contains(other); });
      if (!ready) continue;
      order.push_back(node.get());
      missing.erase(found);
    }
    if (missing.empty()) return order;
    if (order.size() == before) return {};
  }
}

// Appends the graph's nodes, those without predecessors behind `roots`; gives the places of those without successors.
std::vector<std::size_t> append(const Graph& graph, const std::vector<std::size_t>& roots, std::vector<GraphExec::Node>& nodes) {
  const auto order = in_order(graph);
  if (order.size() != graph.nodes.size()) refuse(CUDA_ERROR_INVALID_VALUE, "the graph's dependencies go in a circle");
  std::map<const GraphNode*, std::vector<std::size_t>> ends;  // what runs after a node runs after these
  std::map<const GraphNode*, bool> has_followers;
  for (const GraphNode* node : order) {
    std::vector<std::size_t> after = node->after.empty() ? roots : std::vector<std::size_t>();
    for (const GraphNode* other : node->after) {
      const auto& places = ends[other];
      after.insert(after.end(), places.begin(), places.end());
      has_followers[other] = true;
    }
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      ends[node] = append(*child->graph, after, nodes);
      if (ends[node].empty()) ends[node] = after;
    } else {
      nodes.push_back({node->work, after, node});
      ends[node] = {nodes.size() - 1};
    }
  }
  std::vector<std::size_t> leaves;
  for (const GraphNode* node : order) {
    if (!has_followers[node]) leaves.insert(leaves.end(), ends[node].begin(), ends[node].end());
  }
  return leaves;
}

}  // namespace

CUgraphNodeType type_of(const Work& work) {
  if (std::holds_alternative<KernelWork>(work)) return CU_GRAPH_NODE_TYPE_KERNEL;
  if (std::holds_alternative<CopyWork>(work)) return CU_GRAPH_NODE_TYPE_MEMCPY;
  if (std::holds_alternative<FillWork>(work)) return CU_GRAPH_NODE_TYPE_MEMSET;
  if (std::holds_alternative<HostWork>(work)) return CU_GRAPH_NODE_TYPE_HOST;
  if (std::holds_alternative<ChildWork>(work)) return CU_GRAPH_NODE_TYPE_GRAPH;
  if (std::holds_alternative<RecordWork>(work)) return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  if (std::holds_alternative<WaitWork>(work)) return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

std::shared_ptr<GraphNode> Graph::add(Work work, const std::vector<GraphNode*>& after) {
  for (const GraphNode* other : after) {
    if (std::none_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.get() == other; })) {
      refuse(CUDA_ERROR_INVALID_VALUE, "a dependency is no node of the graph");
    }
  }
  auto node = std::make_shared<GraphNode>();
  node->type = type_of(work);
  node->work = std::move(work);
  node->after = after;
  node->graph = weak_from_this();
  nodes.push_back(node);
  Registry<GraphNode>::get().add<CUgraphNode>(node);
  return node;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    Work work = node->work;
    if (auto* const child = std::get_if<ChildWork>(&work)) child->graph = child->graph->clone();
    copies[node.get()] = copy->add(std::move(work), {}).get();
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const GraphNode* other : nodes[i]->after) copy->nodes[i]->after.push_back(copies[other]);
  }
  return copy;
}

void Graph::unregister() {
  for (const auto& node : nodes) {
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) child->graph->unregister();
    Registry<GraphNode>::get().remove(node.get());
  }
  Registry<Graph>::get().remove(this);
}

std::shared_ptr<GraphExec> GraphExec::instantiate(const Graph& graph, unsigned long long flags) {
  auto executable = std::make_shared<GraphExec>();
  append(graph, {}, executable->nodes);
  executable->flags = flags;
  executable->context = current_context();
  return executable;
}

void GraphExec::launch(Stream& stream) {
  const auto of = stream.context();
  of->check();
  const std::lock_guard lock(mutex);
  Operations before = stream.predecessors();
  before.push_back(last);  // launches of one executable graph run one after the other
  Operations operations;
  for (const Node& node : nodes) {
    Operations after;
    for (const std::size_t other : node.after) after.push_back(operations[other]);
    if (node.after.empty()) after = before;
    std::shared_ptr<Operation> operation;
    if (const auto* const record = std::get_if<RecordWork>(&node.work)) {
      operation = std::make_shared<Marker>();
      const std::lock_guard event_lock(record->event->mutex);
      record->event->recorded = operation;
    } else if (const auto* const wait = std::get_if<WaitWork>(&node.work)) {
      operation = std::make_shared<Marker>();
      const std::lock_guard event_lock(wait->event->mutex);
      after.push_back(wait->event->recorded);
    } else if (std::holds_alternative<EmptyWork>(node.work)) {
      operation = std::make_shared<Marker>();
    } else {
      operation = std::make_shared<WorkOperation>(of, node.work);
    }
    Executor::get().submit(operation, after);
    operations.push_back(std::move(operation));
  }
  auto end = std::make_shared<Marker>();
  stream.enqueue(end, operations);
  last = std::move(end);
}

CUgraphExecUpdateResult GraphExec::update(const Graph& graph, GraphNode*& error_node) {
  error_node = nullptr;
  std::vector<Node> fresh;
  append(graph, {}, fresh);
  if (fresh.size() != nodes.size()) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    error_node = const_cast<GraphNode*>(fresh[i].source);
    if (fresh[i].work.index() != nodes[i].work.index()) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    if (fresh[i].after != nodes[i].after) return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    const auto* const kernel = std::get_if<KernelWork>(&fresh[i].work);
    if (kernel != nullptr && kernel->function->module.context() != std::get<KernelWork>(nodes[i].work).function->module.context()) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    }
  }
  error_node = nullptr;
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].work = std::move(fresh[i].work);
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

GraphExec::Node& GraphExec::node_of(const GraphNode* source) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.source == source; });
  if (found == nodes.end()) refuse(CUDA_ERROR_INVALID_VALUE, "the executable graph was not made from this node");
  return *found;
}

}  // namespace bascule::emulated
