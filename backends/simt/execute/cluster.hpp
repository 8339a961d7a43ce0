// A cluster while it is resident: its blocks, the barrier that they share. A launch without clusters has clusters of one block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/simt/execute/block.hpp"

namespace bascule::simt {

/// Run by one host thread at a time, block after block, so that shared memory of any of its blocks is as the own one.
struct ClusterRun : Cluster {
  using Progress = BlockRun::Progress;

  std::vector<std::unique_ptr<BlockRun>> runs;  // the first `count` are in use
  bool barrier_used = false;                    // somebody has arrived at it
  std::uint32_t busy_turns = 0;
  std::uint64_t random = 0;  // state of the order of blocks; 0: in turn

  void start(Launch& of, std::uint64_t index_in_grid, std::uint32_t worker);
  /// A turn for each block.
  Progress run();

  /// After threads have arrived or exited: lets who waits go on where nobody is missing.
  void complete_barrier();
  [[nodiscard]] bool barrier_complete() const;

 private:
  Progress run_several();
};

/// Every fragment waits: a finding that names each place.
void report_deadlock(const ClusterRun& cluster);

/// The next number of a pseudo-random sequence (splitmix64).
[[nodiscard]] inline std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace bascule::simt
