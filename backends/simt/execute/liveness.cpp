// Backward data flow over the blocks, from the last to the first until nothing changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/liveness.hpp"

namespace bascule::simt {
namespace {

struct BlockUse {
  ValueSet used;     // before any definition in the block
  ValueSet defined;  // for all lanes
};

BlockUse summarise(const Drafts& drafts, std::uint32_t begin, std::uint32_t end) {
  BlockUse block{ValueSet(drafts.widths.size()), ValueSet(drafts.widths.size())};
  const auto use = [&](Reference reference) {
    if (is_value(reference) && !block.defined.contains(reference)) block.used.insert(reference);
  };
  for (std::uint32_t i = begin; i < end; ++i) {
    const Draft& draft = drafts.list[i];
    const bool partial = draft.guard != kNoGuard;
    if (partial) use(draft.guard);
    for (unsigned k = partial ? 0 : draft.destinations; k < draft.count; ++k) use(drafts.references[draft.first + k]);
    if (partial) continue;
    for (unsigned k = 0; k < draft.destinations; ++k) {
      const Reference destination = drafts.references[draft.first + k];
      if (is_value(destination)) block.defined.insert(destination);
    }
  }
  return block;
}

}  // namespace

Liveness find_liveness(const Drafts& drafts, const FlowGraph& graph) {
  const std::size_t values = drafts.widths.size();
  Liveness live{std::vector<ValueSet>(graph.blocks.size()), std::vector<ValueSet>(graph.blocks.size())};
  std::vector<BlockUse> uses(graph.blocks.size());
  for (const std::uint32_t b : graph.order) {
    uses[b] = summarise(drafts, drafts.block_begin[b], drafts.block_end[b]);
    live.in[b] = uses[b].used;
    live.out[b] = ValueSet(values);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = graph.order.size(); i-- > 0;) {
      const std::uint32_t b = graph.order[i];
      for (const std::uint32_t successor : graph.blocks[b].successors) live.out[b].add(live.in[successor]);
      changed = live.in[b].add_without(live.out[b], uses[b].defined) || changed;
    }
  }
  return live;
}

}  // namespace bascule::simt
