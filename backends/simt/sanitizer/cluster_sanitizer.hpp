// What the threads of a cluster hand on to each other by barrier.cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "backends/simt/sanitizer/block_sanitizer.hpp"

namespace bascule::simt {

class ClusterSanitizer : public BlockObserver {
 public:
  explicit ClusterSanitizer(Cluster& cluster) : cluster_(cluster) {}

  /// A thread arrives; `releases`: with all that it knows, else with what it knew at its last fence.
  void arrive(BlockSanitizer& block, std::uint32_t thread, bool releases);
  /// A thread has waited for the barrier that was completed last.
  void leave(BlockSanitizer& block, std::uint32_t thread) const;
  void barrier_completed(std::uint32_t barrier) override;

 private:
  Cluster& cluster_;
  std::array<Gathering, kMaxClusterBlocks> arriving_;  // by rank
  Message fenced_;
  Message completed_;
};

/// Handlers: barrier.cluster.arrive before it arrives, barrier.cluster.wait after it has waited.
const Op* check_cluster_arrive(const Op* op, Context& context);
const Op* after_cluster_wait(const Op* op, Context& context);

}  // namespace bascule::simt
