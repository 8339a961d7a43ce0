// See cluster_sanitizer.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/cluster_sanitizer.hpp"

#include "backends/simt/sanitizer/lanes_of_op.hpp"

namespace bascule::simt {
namespace {

ClusterSanitizer& cluster_sanitizer_of(const Context& context) {
  Cluster& cluster = *context.group->block->cluster;
  if (cluster.extension == nullptr) cluster.extension = std::make_unique<ClusterSanitizer>(cluster);
  return static_cast<ClusterSanitizer&>(*cluster.extension);
}

}  // namespace

void ClusterSanitizer::arrive(BlockSanitizer& block, std::uint32_t thread, bool releases) {
  ThreadClock& clock = block.clock(thread);
  if (!releases) {
    join(fenced_, clock.fenced[static_cast<std::size_t>(Scope::cluster)]);
    return;
  }
  Gathering& gathering = arriving_[block.block.cluster_rank];
  join(gathering.known, clock.known);
  gathering.arrivals.push_back({thread, clock.now++, false});
}

void ClusterSanitizer::barrier_completed(std::uint32_t) {
  completed_ = std::move(fenced_);
  fenced_ = {};
  for (std::uint32_t rank = 0; rank < cluster_.count; ++rank) {
    Gathering& gathering = arriving_[rank];
    if (gathering.arrivals.empty()) continue;
    const BlockSanitizer& block = sanitizer_of(*cluster_.blocks[rank]);
    take_in_arrivals(gathering, block.threads());
    join(completed_, block.number(), gathering.known);
    gathering = Gathering{};
  }
}

void ClusterSanitizer::leave(BlockSanitizer& block, std::uint32_t thread) const {
  join(block.clock(thread).known, block.number(), completed_);
}

const Op* check_cluster_arrive(const Op* op, Context& context) {
  BlockSanitizer& block = sanitizer_of(context);
  ClusterSanitizer& cluster = cluster_sanitizer_of(context);
  const bool releases = !op->instruction->has(ptx::Modifier::relaxed);
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    cluster.arrive(block, block.thread_of(context, warp, lane), releases);
    return true;
  });
  return op + 1;
}

const Op* after_cluster_wait(const Op* op, Context& context) {
  BlockSanitizer& block = sanitizer_of(context);
  const ClusterSanitizer& cluster = cluster_sanitizer_of(context);
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    cluster.leave(block, block.thread_of(context, warp, lane));
    return true;
  });
  return op + 1;
}

}  // namespace bascule::simt
