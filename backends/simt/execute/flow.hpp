// The flow graph of a function: blocks, edges, and the order in which blocks are laid out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt {

inline constexpr std::uint32_t kNoBlock = UINT32_MAX;

struct FlowBlock {
  std::uint32_t begin = 0;  // instructions [begin, end)
  std::uint32_t end = 0;
  std::vector<std::uint32_t> successors;  // blocks; targets of branches first, the next block in the text last
  std::uint32_t falls_to = kNoBlock;      // the block that control reaches behind the last instruction
  std::uint32_t predecessors = 0;         // edges
};

/// Block 0 is the function's start, empty and not branched to. The last block is empty and stands for the end of the text, where a function returns.
struct FlowGraph {
  std::vector<FlowBlock> blocks;
  std::vector<std::uint32_t> block_of;  // by instruction, one past the last included
  /// The reachable blocks in reverse post-order, each loop in one piece, so that among lanes that have diverged the lowest
  /// one is the one that the others should wait for.
  std::vector<std::uint32_t> order;
};

[[nodiscard]] FlowGraph make_flow_graph(const ptx::Function& function);

/// Whether control never reaches the instruction behind this one.
[[nodiscard]] bool ends_flow(const ptx::Instruction& instruction);

}  // namespace bascule::simt
