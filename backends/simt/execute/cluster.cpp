// Starting the blocks of a cluster together, and giving each its turns until the last one has ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/cluster.hpp"

#include <algorithm>

#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

constexpr unsigned kPassesOfATurn = 64;  // over blocks that pass each other on at the cluster's barrier

using Index = std::array<std::uint32_t, 3>;

Index index_of(std::uint64_t linear, const std::array<std::uint64_t, 3>& extent) {
  if (linear < extent[0]) return {static_cast<std::uint32_t>(linear), 0, 0};  // three divisions that a short kernel would notice
  return {static_cast<std::uint32_t>(linear % extent[0]), static_cast<std::uint32_t>(linear / extent[0] % extent[1]),
          static_cast<std::uint32_t>(linear / extent[0] / extent[1])};
}

}  // namespace

void ClusterRun::start(Launch& of, std::uint64_t index_in_grid, std::uint32_t worker) {
  const LaunchShape& shape = of.shape;
  count = shape.cluster_blocks();
  busy_turns = 0;
  random = of.options.seed == 0 ? 0 : of.options.seed * 0x9e3779b97f4a7c15u + index_in_grid + 1;
  extension.reset();
  while (runs.size() < count) runs.push_back(std::make_unique<BlockRun>());
  for (std::uint32_t rank = 0; rank < count; ++rank) blocks[rank] = runs[rank].get();
  if (count == 1) {
    runs[0]->start(*this, of, index_of(index_in_grid, shape.grid), 0, worker);
  } else {
    const Index at = index_of(index_in_grid, {shape.grid[0] / shape.cluster[0], shape.grid[1] / shape.cluster[1],
                                              shape.grid[2] / shape.cluster[2]});
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      const Index inside = index_of(rank, {shape.cluster[0], shape.cluster[1], shape.cluster[2]});
      Index index;
      for (std::size_t d = 0; d < 3; ++d) index[d] = at[d] * shape.cluster[d] + inside[d];
      runs[rank]->start(*this, of, index, rank, worker);
    }
  }
  barrier_used = false;
}

ClusterRun::Progress ClusterRun::run() {
  const Progress progress = count == 1 ? runs[0]->run() : run_several();
  if (progress == Progress::busy) ++busy_turns;
  if (progress != Progress::waiting) return progress;
  report_deadlock(*this);
  return Progress::fault;
}

ClusterRun::Progress ClusterRun::run_several() {
  for (unsigned pass = 0; pass < kPassesOfATurn; ++pass) {
    bool spinning = false, busy = false, running = false;
    const std::uint32_t first = random == 0 ? 0 : static_cast<std::uint32_t>(next_random(random) % count);
    for (std::uint32_t i = 0; i < count; ++i) {
      BlockRun& block = *runs[(first + i) % count];
      if (block.ended) continue;
      running = true;
      switch (block.run()) {
        case Progress::done: block.ended = true; break;
        case Progress::fault: return Progress::fault;
        case Progress::spinning: spinning = true; break;
        case Progress::busy: busy = true; break;
        case Progress::waiting:
          // Who waits for its own block only will not be helped by another one.
          if (!block.waits_for_cluster()) return Progress::waiting;
          break;
      }
    }
    if (!running) return Progress::done;
    if (spinning || busy) return spinning ? Progress::spinning : Progress::busy;
    const bool stuck = std::none_of(runs.begin(), runs.begin() + count, [](const auto& block) { return block->has_ready(); });
    const bool all_ended = std::all_of(runs.begin(), runs.begin() + count, [](const auto& block) { return block->ended; });
    if (all_ended) return Progress::done;
    if (stuck) return Progress::waiting;
  }
  return Progress::busy;  // the launch may have ended, or its time be up
}

}  // namespace bascule::simt
