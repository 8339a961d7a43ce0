// Blocks from labels and branches; their order from strongly connected components, loop by loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/flow.hpp"

#include <algorithm>
#include <utility>

namespace bascule::simt {
namespace {

using ptx::Operation;

// Loops nested deeper than this are laid out without regard to their inner structure: only hostile code is.
constexpr unsigned kMaxLoopDepth = 64;

bool ends_block(const ptx::Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::bra:
    case Operation::brx_idx:
    case Operation::ret:
    case Operation::exit: return true;
    default: return false;
  }
}

std::vector<std::uint32_t> targets_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  if (instruction.operation == Operation::bra) return {function.operand(instruction, 0).index};
  if (instruction.operation == Operation::brx_idx) return function.branch_lists[instruction.side];
  return {};
}

void split_into_blocks(const ptx::Function& function, FlowGraph& graph) {
  const auto count = static_cast<std::uint32_t>(function.instructions.size());
  std::vector<bool> leader(count + 1, false);
  leader[0] = leader[count] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    if (!ends_block(instruction)) continue;
    leader[i + 1] = true;
    for (const std::uint32_t target : targets_of(function, instruction)) leader[target] = true;
  }
  graph.block_of.resize(count + 1);
  graph.blocks.emplace_back();  // the start, which nobody branches to
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (leader[i]) {
      graph.blocks.back().end = i;
      graph.blocks.emplace_back().begin = i;
    }
    graph.block_of[i] = static_cast<std::uint32_t>(graph.blocks.size() - 1);
  }
  graph.blocks.back().end = count;
}

void connect(const ptx::Function& function, FlowGraph& graph) {
  for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
    FlowBlock& block = graph.blocks[b];
    const bool last = b + 1 == graph.blocks.size();
    if (block.begin != block.end) {
      const ptx::Instruction& instruction = function.instructions[block.end - 1];
      for (const std::uint32_t target : targets_of(function, instruction)) {
        const std::uint32_t successor = graph.block_of[target];
        if (std::find(block.successors.begin(), block.successors.end(), successor) == block.successors.end()) {
          block.successors.push_back(successor);
        }
      }
      if (ends_flow(instruction)) continue;
    }
    if (last) continue;
    block.falls_to = b + 1;
    if (std::find(block.successors.begin(), block.successors.end(), b + 1) == block.successors.end()) {
      block.successors.push_back(b + 1);
    }
  }
  for (const FlowBlock& block : graph.blocks) {
    for (const std::uint32_t successor : block.successors) ++graph.blocks[successor].predecessors;
  }
}

// Tarjan's strongly connected components of a part of the graph, without recursion. Components come out in reverse
// topological order.
class Components {
 public:
  Components(const FlowGraph& graph, std::vector<std::uint32_t>& region)
      : graph_(graph), region_(region), number_(graph.blocks.size()), low_(graph.blocks.size()), stacked_(graph.blocks.size()) {}

  // Of the blocks whose region is `id`, from `roots` on. A block's component is listed with the block first by which it was
  // entered.
  std::vector<std::vector<std::uint32_t>> find(std::uint32_t id, const std::vector<std::uint32_t>& roots,
                                               const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t member : members) number_[member] = 0;
    std::vector<std::vector<std::uint32_t>> found;
    for (const std::uint32_t root : roots) {
      if (region_[root] == id && number_[root] == 0) visit(id, root, found);
    }
    return found;
  }

 private:
  struct Step {
    std::uint32_t block;
    std::size_t next;
  };

  void enter(std::uint32_t block) {
    number_[block] = low_[block] = ++counter_;
    stack_.push_back(block);
    stacked_[block] = true;
    steps_.push_back({block, 0});
  }

  void visit(std::uint32_t id, std::uint32_t root, std::vector<std::vector<std::uint32_t>>& found) {
    enter(root);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      const std::uint32_t block = step.block;
      const auto& successors = graph_.blocks[block].successors;
      if (step.next < successors.size()) {
        const std::uint32_t successor = successors[step.next++];
        if (region_[successor] != id) continue;
        if (number_[successor] == 0) {
          enter(successor);
        } else if (stacked_[successor]) {
          low_[block] = std::min(low_[block], number_[successor]);
        }
        continue;
      }
      steps_.pop_back();
      if (!steps_.empty()) low_[steps_.back().block] = std::min(low_[steps_.back().block], low_[block]);
      if (low_[block] == number_[block]) found.push_back(take(block));
    }
  }

  std::vector<std::uint32_t> take(std::uint32_t first) {
    const auto at = std::find(stack_.rbegin(), stack_.rend(), first);
    std::vector<std::uint32_t> component(at.base() - 1, stack_.end());
    stack_.erase(at.base() - 1, stack_.end());
    for (const std::uint32_t block : component) stacked_[block] = false;
    return component;
  }

  const FlowGraph& graph_;
  const std::vector<std::uint32_t>& region_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> stacked_;
  std::vector<std::uint32_t> stack_;
  std::vector<Step> steps_;
  std::uint32_t counter_ = 0;
};

// A piece of the order: blocks that are to be ordered yet, or (depth over the limit, or a single one) are in order.
struct Piece {
  std::vector<std::uint32_t> blocks;  // the first one is where the piece is entered
  unsigned depth = 0;
};

bool is_loop(const FlowGraph& graph, const std::vector<std::uint32_t>& component) {
  if (component.size() > 1) return true;
  const auto& successors = graph.blocks[component.front()].successors;
  return std::find(successors.begin(), successors.end(), component.front()) != successors.end();
}

void lay_out(FlowGraph& graph) {
  std::vector<std::uint32_t> region(graph.blocks.size(), 0);
  Components components(graph, region);
  std::vector<std::uint32_t> all(graph.blocks.size());
  for (std::uint32_t b = 0; b < all.size(); ++b) all[b] = b;
  std::vector<Piece> work;  // a stack: the last piece is laid out next
  const auto push = [&](std::vector<std::vector<std::uint32_t>> found, unsigned depth) {
    for (auto& component : found) work.push_back({std::move(component), depth});  // last found is first in order
  };
  push(components.find(0, {0}, all), 0);
  std::uint32_t regions = 0;
  while (!work.empty()) {
    Piece piece = std::move(work.back());
    work.pop_back();
    const std::uint32_t header = piece.blocks.front();
    if (piece.depth > kMaxLoopDepth || !is_loop(graph, piece.blocks)) {
      graph.order.insert(graph.order.end(), piece.blocks.begin(), piece.blocks.end());
      continue;
    }
    graph.order.push_back(header);
    ++regions;
    piece.blocks.erase(piece.blocks.begin());
    for (const std::uint32_t block : piece.blocks) region[block] = regions;
    region[header] = UINT32_MAX;
    std::vector<std::uint32_t> roots = graph.blocks[header].successors;
    roots.insert(roots.end(), piece.blocks.begin(), piece.blocks.end());
    push(components.find(regions, roots, piece.blocks), piece.depth + 1);
  }
}

}  // namespace

bool ends_flow(const ptx::Instruction& instruction) { return ends_block(instruction) && !instruction.guarded; }

FlowGraph make_flow_graph(const ptx::Function& function) {
  FlowGraph graph;
  split_into_blocks(function, graph);
  connect(function, graph);
  lay_out(graph);
  return graph;
}

}  // namespace bascule::simt
