// Branches and the ends of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/control.hpp"

namespace bascule::simt {
namespace {

std::uintptr_t address(const Op* op) { return reinterpret_cast<std::uintptr_t>(op); }

// Goes on at `target`. A jump backwards is paid for; a jump to where somebody may wait is the scheduler's business.
const Op* go(const Op* target, const Op* from, std::int64_t cost, Context& context) {
  if (target <= from && (context.budget -= cost) <= 0) return leave(target, context, Event::none);
  if (address(target) >= context.join && !group_of(context).meet(target)) return leave(target, context, Event::split);
  return target;
}

// The lanes `away` go to `target`, the others to the next operation. The lower place goes first.
const Op* split(const Op* op, const Op* target, const LaneMasks& away, Context& context) {
  WarpGroup& group = group_of(context);
  LaneMasks rest{};
  for (unsigned w = 0; w < context.warps; ++w) rest[w] = context.active[w] & ~away[w];
  const bool forward = target > op;
  const Op* const later = forward ? target : op + 1;
  group.add(later, &group.frame(), forward ? away : rest);
  context.active = forward ? rest : away;
  fit_warps(context, group.warps);
  context.join = std::min(context.join, address(later));
  return go(forward ? op + 1 : target, op, static_cast<std::int64_t>(op->immediate), context);
}

}  // namespace

LaneMasks lanes_of(const Op& op, const Context& context) {
  LaneMasks lanes{};
  const std::byte* guard = context.registers + op.guard;
  for (unsigned w = 0; w < context.warps; ++w, guard += context.frame_bytes) {
    std::uint32_t mask;
    std::memcpy(&mask, guard, sizeof mask);
    lanes[w] = context.active[w] & (mask ^ op.guard_flip);
  }
  return lanes;
}

const Op* run_jump(const Op* op, Context& context) {
  return go(op->target, op, static_cast<std::int64_t>(op->immediate), context);
}

const Op* run_branch(const Op* op, Context& context) {
  LaneMasks away;
  std::uint32_t some = 0, missing = 0;
  const std::byte* guard = context.registers + op->guard;
  for (unsigned w = 0; w < context.warps; ++w, guard += context.frame_bytes) {
    std::uint32_t mask;
    std::memcpy(&mask, guard, sizeof mask);
    away[w] = context.active[w] & (mask ^ op->guard_flip);
    some |= away[w];
    missing |= context.active[w] & ~away[w];
  }
  if (missing == 0) return go(op->target, op, static_cast<std::int64_t>(op->immediate), context);
  if (some == 0) return go(op + 1, op, 0, context);
  for (unsigned w = context.warps; w < kMaxWarps; ++w) away[w] = 0;
  return split(op, op->target, away, context);
}

const Op* run_branch_table(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const auto& targets = *static_cast<const std::vector<const Op*>*>(op->side);
  const LaneMasks lanes = lanes_of(*op, context);
  LaneMasks rest{};
  bool staying = false;
  for (unsigned w = 0; w < context.warps; ++w) {
    rest[w] = context.active[w] & ~lanes[w];
    staying = staying || rest[w] != 0;
  }
  std::vector<LaneMasks> away(targets.size());
  const Op* only = nullptr;
  bool several = staying;
  for (unsigned w = 0; w < context.warps; ++w) {
    for (std::uint32_t left = lanes[w]; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      const std::uint64_t index =
          read_lane(context.registers + std::size_t{w} * context.frame_bytes, context.constants, op->operands[0], 4, lane);
      if (index >= targets.size()) {
        return fail(op, context, w, lane, "bad_branch",
                    "brx.idx with index " + std::to_string(index) + " into a list of " + std::to_string(targets.size()) +
                        " labels");
      }
      away[index][w] |= std::uint32_t{1} << lane;
      several = several || (only != nullptr && only != targets[index]);
      only = targets[index];
    }
  }
  if (!several && only != nullptr) return go(only, op, static_cast<std::int64_t>(op->immediate), context);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (any_lane(away[i])) group.add(targets[i], &group.frame(), away[i]);
  }
  context.active = rest;
  context.budget -= static_cast<std::int64_t>(op->immediate);
  return leave(op + 1, context, Event::split);
}

const Op* run_join(const Op* op, Context& context) { return go(op + 1, op, 0, context); }

const Op* run_exit(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const LaneMasks lanes = lanes_of(*op, context);
  std::uint32_t ended = 0, rest = 0;
  for (unsigned w = 0; w < context.warps; ++w) {
    group.exited[w] |= lanes[w];
    // Mostly whole warps; counting bits is a call on processors of before 2008, for which this file is compiled.
    ended += lanes[w] == kAllLanes ? kLanes : static_cast<std::uint32_t>(__builtin_popcount(lanes[w]));
    context.active[w] &= ~lanes[w];
    rest |= context.active[w];
  }
  if (ended == 0) return op + 1;
  group.leave_frame(&group.frame(), lanes, true);
  group.run_of_block().exited_threads += ended;
  group.run_of_block().release_complete_barriers();
  group.meetings_changed();
  return leave(op + 1, context, rest != 0 ? Event::split : Event::done);
}

const Op* run_trap(const Op* op, Context& context) {
  const LaneMasks lanes = lanes_of(*op, context);
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] == 0) continue;
    return fail(op, context, w, static_cast<unsigned>(__builtin_ctz(lanes[w])), "trap", "the kernel executed trap");
  }
  return op + 1;
}

const Op* run_breakpoint(const Op* op, Context& context) {
  const LaneMasks lanes = lanes_of(*op, context);
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] == 0) continue;
    return fail(op, context, w, static_cast<unsigned>(__builtin_ctz(lanes[w])), "breakpoint",
                "the kernel executed brkpt, and no debugger is attached");
  }
  return op + 1;
}

const Op* run_give_turn(const Op* op, Context& context) {
  return any_lane(lanes_of(*op, context)) ? leave(op + 1, context, Event::none) : op + 1;
}

const Op* run_count(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const LaneMasks lanes = lanes_of(*op, context);
  std::uint64_t count = 0, warps = 0;
  for (unsigned w = 0; w < context.warps; ++w) {
    count += static_cast<std::uint64_t>(__builtin_popcount(lanes[w]));
    warps += lanes[w] != 0 ? 1 : 0;
  }
  group.executed_lanes += count * op->immediate;
  group.executed_operations += warps * op->immediate;
  return op + 1;
}

}  // namespace bascule::simt
