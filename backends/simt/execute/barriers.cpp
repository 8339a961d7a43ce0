// bar and barrier: who has arrived, who waits, and when it is complete.
//
// Threads arrive one by one, as on sm_70 and later; a warp all of whose running threads have arrived counts as 32, however many
// threads it has. Where the count is not said, or is that of the block, threads that have exited are not waited for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <string>

#include "backends/simt/execute/cluster.hpp"
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/instrument.hpp"
#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

unsigned first_lane(std::uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

bool is_red(BarrierOp::Kind kind) { return kind >= BarrierOp::Kind::red_popc; }

// Operands by position: sync, arrive {id, count}; red {d, id, count, p}.
Slot id_slot(const Op& op, BarrierOp what) { return op.operands[is_red(what.kind) ? 1 : 0]; }
Slot count_slot(const Op& op, BarrierOp what) { return op.operands[is_red(what.kind) ? 2 : 1]; }

// Writes what a reduction gave to the lanes that waited for it.
void write_result(const Fragment& fragment, const BarrierState& state, std::uint32_t warps) {
  const BarrierOp what = BarrierOp::unpack(fragment.at->immediate);
  if (!is_red(what.kind) || fragment.at->operands[0] == kNoSlot) return;
  for (unsigned w = 0; w < warps; ++w) {
    std::byte* const at =
        fragment.frame->registers + std::size_t{w} * fragment.frame->code->frame_bytes + fragment.at->operands[0];
    if (what.kind == BarrierOp::Kind::red_popc) {
      for (std::uint32_t left = fragment.lanes[w]; left != 0; left &= left - 1) {
        std::memcpy(at + first_lane(left) * sizeof state.sum, &state.sum, sizeof state.sum);
      }
      continue;
    }
    const bool truth = what.kind == BarrierOp::Kind::red_and ? state.all : state.any;
    std::uint32_t mask;
    std::memcpy(&mask, at, sizeof mask);
    mask = truth ? mask | fragment.lanes[w] : mask & ~fragment.lanes[w];
    std::memcpy(at, &mask, sizeof mask);
  }
}

// What the lanes of one (barrier, count) do together.
struct Arrival {
  std::uint32_t number = 0;
  std::uint32_t expected = 0;
  LaneMasks lanes{};
};

// One of these for each pair that occurs among the lanes; empty after a finding.
std::vector<Arrival> read_arrivals(const Op* op, Context& context, BarrierOp what, const LaneMasks& lanes) {
  const BlockRun& block = group_of(context).run_of_block();
  const std::uint32_t full = (block.threads + kLanes - 1) / kLanes * kLanes;
  const bool uniform = (id_slot(*op, what) & kConstant) != 0 &&
                       (count_slot(*op, what) == kNoSlot || (count_slot(*op, what) & kConstant) != 0);
  std::vector<Arrival> arrivals;
  for (unsigned w = 0; w < context.warps; ++w) {
    const std::byte* const registers = context.registers + std::size_t{w} * context.frame_bytes;
    for (std::uint32_t left = lanes[w]; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      if (uniform && !arrivals.empty()) {
        arrivals.front().lanes[w] = left;
        break;
      }
      const auto number = static_cast<std::uint32_t>(read_lane(registers, context.constants, id_slot(*op, what), 4, lane));
      std::uint32_t expected = 0;
      if (count_slot(*op, what) != kNoSlot) {
        expected = static_cast<std::uint32_t>(read_lane(registers, context.constants, count_slot(*op, what), 4, lane));
        if (expected == 0 || expected % kLanes != 0 || expected > full) {
          fail(op, context, w, lane, "bad_barrier",
               "a barrier for " + std::to_string(expected) + " threads; the count must be a multiple of 32 from 32 to " +
                   std::to_string(full) + " in this block");
          return {};
        }
        if (expected == full) expected = 0;
      }
      if (number >= kNamedBarriers) {
        fail(op, context, w, lane, "bad_barrier", "barrier " + std::to_string(number) + "; there are 0 to 15");
        return {};
      }
      const auto same = std::find_if(arrivals.begin(), arrivals.end(), [&](const Arrival& known) {
        return known.number == number && known.expected == expected;
      });
      Arrival& arrival = same != arrivals.end() ? *same : arrivals.emplace_back(Arrival{number, expected, {}});
      arrival.lanes[w] |= 1u << lane;
      if (uniform) {
        arrival.lanes[w] = left;
        break;
      }
    }
  }
  return arrivals;
}

// Lanes of the warp that wait for the same barrier at another instruction. Lanes that are merely late are no fault: where a
// branch ends just before a barrier, one side may reach it while the other still runs.
const Fragment* waits_elsewhere(WarpGroup& group, const Op* op, std::uint32_t number, unsigned warp) {
  for (const Fragment& other : group.waiting()) {
    if (other.state != Fragment::State::barrier || other.barrier != number || other.at == op) continue;
    if (other.lanes[warp] != 0) return &other;
  }
  return nullptr;
}

bool arrive(const Op* op, Context& context, BarrierOp what, const Arrival& arrival) {
  WarpGroup& group = group_of(context);
  BarrierState& state = group.run_of_block().barriers[arrival.number];
  for (unsigned w = 0; w < context.warps; ++w) {
    const std::uint32_t lanes = arrival.lanes[w];
    if (lanes == 0) continue;
    if (state.arrived != 0 && state.expected != arrival.expected) {
      const auto text = [&](std::uint32_t count) {
        return count == 0 ? "all threads of the block" : std::to_string(count) + " threads";
      };
      fail(op, context, w, first_lane(lanes), "bad_barrier",
           "barrier " + std::to_string(arrival.number) + " for " + text(arrival.expected) + ", while others wait at it for " +
               text(state.expected));
      return false;
    }
    if (what.aligned && group.block->launch->options.sanitize) {
      if (const Fragment* other = waits_elsewhere(group, op, arrival.number, w); other != nullptr) {
        fail(op, context, w, first_lane(lanes), "divergent_barrier",
             "an aligned barrier is executed by a part of the warp only: lane " +
                 std::to_string(first_lane(other->lanes[w])) + " waits for barrier " + std::to_string(arrival.number) +
                 " at line " + std::to_string(other->at->instruction->location.line));
        return false;
      }
    }
    group.run_of_block().barriers_used = true;
    state.expected = arrival.expected;
    state.arrived += static_cast<std::uint32_t>(__builtin_popcount(lanes));
    state.lanes[group.first_warp + w] |= lanes;
    if (is_red(what.kind)) {
      const std::byte* const registers = context.registers + std::size_t{w} * context.frame_bytes;
      for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const bool truth =
            (read_lane(registers, context.constants, op->operands[3], 0, first_lane(left)) != 0) != what.negated;
        state.sum += truth ? 1 : 0;
        state.all = state.all && truth;
        state.any = state.any || truth;
      }
    }
  }
  return true;
}

// Whether everyone whom a barrier of the whole block waits for is in these lanes: then nobody has to wait.
bool completes_at_once(const Op& op, Context& context, BarrierOp what, const LaneMasks& lanes, std::uint32_t& number) {
  WarpGroup& group = group_of(context);
  const BlockRun& block = group.run_of_block();
  const Slot id = id_slot(op, what);
  if (what.kind != BarrierOp::Kind::sync || block.group_count != 1 || !group.alone()) return false;
  if ((id & kConstant) == 0 || count_slot(op, what) != kNoSlot) return false;
  for (unsigned w = 0; w < group.warps; ++w) {
    if (lanes[w] != group.alive(w)) return false;
  }
  number = static_cast<std::uint32_t>(read_lane(nullptr, context.constants, id, 4, 0));
  return number < kNamedBarriers && block.barriers[number].arrived == 0;
}

}  // namespace

bool BlockRun::barrier_complete(std::uint32_t number) const {
  const BarrierState& state = barriers[number];
  if (state.arrived == 0) return false;
  if (state.expected == 0) {
    // Threads that have arrived and then exited do not stand for others that still run.
    for (std::uint32_t g = 0; g < group_count; ++g) {
      for (unsigned w = 0; w < groups[g].warps; ++w) {
        if ((groups[g].alive(w) & ~state.lanes[groups[g].first_warp + w]) != 0) return false;
      }
    }
    return true;
  }
  std::uint32_t count = state.arrived;
  for (std::uint32_t g = 0; g < group_count; ++g) {
    for (unsigned w = 0; w < groups[g].warps; ++w) {
      const std::uint32_t lanes = state.lanes[groups[g].first_warp + w];
      if (lanes != 0 && (groups[g].alive(w) & ~lanes) == 0) {
        count += kLanes - static_cast<std::uint32_t>(__builtin_popcount(lanes));
      }
    }
  }
  return count >= state.expected;
}

void BlockRun::release_barrier(std::uint32_t number) {
  BarrierState& state = barriers[number];
  for (std::uint32_t g = 0; g < group_count; ++g) {
    for (Fragment& fragment : groups[g].waiting()) {
      if (fragment.state != Fragment::State::barrier || fragment.barrier != number) continue;
      write_result(fragment, state, groups[g].warps);
      fragment.state = Fragment::State::ready;
      fragment.at = fragment.at + 1;
      fragment.turn = 0;
      fragment.slices = 0;
    }
  }
  state = BarrierState{};
  tell_barrier_completed(number);
}

void BlockRun::tell_barrier_completed(std::uint32_t number) {
  if (auto* observer = extensions[static_cast<std::size_t>(ExtensionKind::shared_shadow)].get(); observer != nullptr) {
    static_cast<BlockObserver*>(observer)->barrier_completed(number);
  }
}

void BlockRun::release_complete_barriers() {
  if (barriers_used) {
    for (std::uint32_t number = 0; number < kNamedBarriers; ++number) {
      if (barrier_complete(number)) release_barrier(number);
    }
  }
  if (run_of_cluster->barrier_used) run_of_cluster->complete_barrier();
}

const Op* run_barrier(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  BlockRun& block = group.run_of_block();
  const BarrierOp what = BarrierOp::unpack(op->immediate);
  const LaneMasks lanes = lanes_of(*op, context);
  if (!any_lane(lanes)) return op + 1;
  if (std::uint32_t number = 0; completes_at_once(*op, context, what, lanes, number)) {
    block.tell_barrier_completed(number);
    return op + 1;
  }
  const std::vector<Arrival> arrivals = read_arrivals(op, context, what, lanes);
  if (arrivals.empty()) return nullptr;
  for (const Arrival& arrival : arrivals) {
    if (!arrive(op, context, what, arrival)) return nullptr;
    if (what.kind != BarrierOp::Kind::arrive) {
      Fragment fragment;
      fragment.at = op;
      fragment.frame = &group.frame();
      fragment.lanes = arrival.lanes;
      fragment.state = Fragment::State::barrier;
      fragment.barrier = arrival.number;
      group.add(fragment);
    }
    if (block.barrier_complete(arrival.number)) block.release_barrier(arrival.number);
  }
  if (what.kind == BarrierOp::Kind::arrive) return group.alone() ? op + 1 : leave(op + 1, context, Event::split);
  bool rest = false;
  for (unsigned w = 0; w < context.warps; ++w) {
    context.active[w] &= ~lanes[w];
    rest = rest || context.active[w] != 0;
  }
  return leave(op + 1, context, rest ? Event::split : Event::blocked);
}

}  // namespace bascule::simt
