// barrier.cluster: arriving and waiting apart, across all blocks of a cluster.
//
// A thread that waits is held up while its own arrival is not completed by those of all others; threads that have exited are not
// waited for. So a thread that has waited may arrive again while others have yet to find out that the barrier is complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include "backends/simt/execute/cluster.hpp"
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/instrument.hpp"
#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

unsigned first_lane(std::uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

// `.aligned`: all threads of the warp execute the same instruction. Who is merely late is no fault.
bool executed_together(const Op* op, Context& context, unsigned w, std::uint32_t lanes, ClusterArrivals::Together& together) {
  const std::uint32_t alive = group_of(context).alive(w);
  const std::uint32_t others = together.lanes & ~lanes & alive;
  if (together.at != op && others != 0) {
    fail(op, context, w, first_lane(lanes), "divergent_barrier",
         "an aligned barrier.cluster is executed by a part of the warp only: lane " + std::to_string(first_lane(others)) +
             " has executed the one at line " + std::to_string(together.at->instruction->location.line));
    return false;
  }
  together.lanes = others | lanes;
  together.at = op;
  if ((alive & ~together.lanes) == 0) together = {};
  return true;
}

// Whether the warp's lanes may do this now; else the finding is reported.
bool check(const Op* op, Context& context, unsigned w, std::uint32_t lanes, ClusterArrivals& state, bool arrives) {
  const WarpGroup& group = group_of(context);
  const bool sanitize = group.block->launch->options.sanitize;
  const unsigned warp = group.first_warp + w;
  const std::uint32_t wrong = !arrives ? lanes & ~state.due[warp] : lanes & (sanitize ? state.due[warp] : state.arrived[warp]);
  if (wrong != 0) {
    fail(op, context, w, first_lane(wrong), "bad_barrier",
         arrives ? "a second barrier.cluster.arrive of the same thread without a barrier.cluster.wait in between"
                 : "barrier.cluster.wait by a thread that has not executed barrier.cluster.arrive before it");
    return false;
  }
  const bool aligned = (op->immediate & 1u) != 0;
  return !sanitize || !aligned || executed_together(op, context, w, lanes, arrives ? state.arriving[warp] : state.waiting[warp]);
}

}  // namespace

bool ClusterRun::barrier_complete() const {
  bool any = false;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const BlockRun& block = *runs[rank];
    for (std::uint32_t g = 0; g < block.group_count; ++g) {
      const WarpGroup& group = block.groups[g];
      for (unsigned w = 0; w < group.warps; ++w) {
        const std::uint32_t arrived = block.cluster_arrivals.arrived[group.first_warp + w];
        if ((group.alive(w) & ~arrived) != 0) return false;
        any = any || arrived != 0;
      }
    }
  }
  return any;
}

void ClusterRun::complete_barrier() {
  if (!barrier_complete()) return;
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    BlockRun& block = *runs[rank];
    block.cluster_arrivals.arrived.fill(0);
    for (std::uint32_t g = 0; g < block.group_count; ++g) {
      for (Fragment& fragment : block.groups[g].waiting()) {
        if (fragment.state != Fragment::State::barrier || fragment.barrier != kClusterBarrier) continue;
        fragment.state = Fragment::State::ready;
        fragment.at = fragment.at + 1;
        fragment.turn = 0;
        fragment.slices = 0;
      }
    }
  }
  if (extension != nullptr) static_cast<BlockObserver*>(extension.get())->barrier_completed(kClusterBarrier);
}

const Op* run_cluster_arrive(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  BlockRun& block = group.run_of_block();
  const LaneMasks lanes = lanes_of(*op, context);
  if (!any_lane(lanes)) return op + 1;
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] == 0) continue;
    if (!check(op, context, w, lanes[w], block.cluster_arrivals, true)) return nullptr;
    block.cluster_arrivals.arrived[group.first_warp + w] |= lanes[w];
    block.cluster_arrivals.due[group.first_warp + w] |= lanes[w];
  }
  block.run_of_cluster->barrier_used = true;
  block.run_of_cluster->complete_barrier();
  return group.alone() ? op + 1 : leave(op + 1, context, Event::split);
}

const Op* run_cluster_wait(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  ClusterArrivals& state = group.run_of_block().cluster_arrivals;
  const LaneMasks lanes = lanes_of(*op, context);
  Fragment held;
  bool rest = false;
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] != 0 && !check(op, context, w, lanes[w], state, false)) return nullptr;
    held.lanes[w] = lanes[w] & state.arrived[group.first_warp + w];
    state.due[group.first_warp + w] &= ~lanes[w];
  }
  if (!any_lane(held.lanes)) return op + 1;
  held.at = op;
  held.frame = &group.frame();
  held.state = Fragment::State::barrier;
  held.barrier = kClusterBarrier;
  group.add(held);
  for (unsigned w = 0; w < context.warps; ++w) {
    context.active[w] &= ~held.lanes[w];
    rest = rest || context.active[w] != 0;
  }
  return leave(op + 1, context, rest ? Event::split : Event::blocked);
}

}  // namespace bascule::simt
