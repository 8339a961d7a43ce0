// Lanes that wait for each other at `.sync` operations, and what happens when the last one comes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/rendezvous.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/scheduler.hpp"

namespace bascule::simt {
namespace {

// Operations meet across places where they are the same in all that the text says but their operands.
bool same_operation(const Op* a, const Op* b) {
  if (a == b) return true;
  const ptx::Instruction *x = a->instruction, *y = b->instruction;
  if (x == nullptr || y == nullptr) return false;
  return x->operation == y->operation && x->modifier_count == y->modifier_count && x->modifiers == y->modifiers &&
         x->type_count == y->type_count && x->types == y->types;
}

// The lanes of one fragment that belong to a meeting.
struct Place {
  std::size_t fragment;
  std::uint32_t lanes;
};

}  // namespace

class Meetings {
 public:
  explicit Meetings(WarpGroup& group) : group_(group) {}

  bool resolve() {
    for (unsigned warp = 0; warp < group_.warps; ++warp) {
      // New fragments are put behind, and are ready.
      const std::size_t count = group_.waiting_.size();
      for (std::size_t i = 0; i < count; ++i) {
        for (;;) {
          const Fragment& fragment = group_.waiting_[i];
          if (fragment.state != Fragment::State::meeting || fragment.lanes[warp] == 0 || !gather(warp, i, count)) break;
          if (!meet(warp)) return false;
        }
      }
    }
    auto& waiting = group_.waiting_;
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                 [](const Fragment& f) { return f.state == Fragment::State::meeting && !any_lane(f.lanes); }),
                  waiting.end());
    return true;
  }

 private:
  std::uint32_t members_of(const Fragment& fragment, unsigned warp, unsigned lane) const {
    if (fragment.meeting.members == kNoSlot) return kAllLanes;
    return static_cast<std::uint32_t>(read_lane(registers_of(fragment, warp), group_.context_.constants,
                                                fragment.meeting.members, 4, lane));
  }
  static const std::byte* registers_of(const Fragment& fragment, unsigned warp) {
    return fragment.frame->registers + std::size_t{warp} * fragment.frame->code->frame_bytes;
  }

  // Finds a meeting of lanes of the fragment `first` all of whose members are there.
  bool gather(unsigned warp, std::size_t first, std::size_t count) {
    const Fragment& fragment = group_.waiting_[first];
    std::uint32_t seen = 0;
    for (std::uint32_t left = fragment.lanes[warp]; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      if ((seen >> lane & 1u) != 0) continue;
      const std::uint32_t mask = members_of(fragment, warp, lane);
      members_ = mask & group_.alive(warp);
      places_.clear();
      std::uint32_t there = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t lanes = lanes_with(group_.waiting_[i], warp, *fragment.at, mask);
        if (i == first) seen |= lanes;
        if ((lanes & members_) == 0) continue;
        there |= lanes;
        places_.push_back({i, lanes & members_});
      }
      if (members_ != 0 && (members_ & ~there) == 0) return true;
    }
    return false;
  }

  std::uint32_t lanes_with(const Fragment& fragment, unsigned warp, const Op& op, std::uint32_t mask) const {
    if (fragment.state != Fragment::State::meeting || !same_operation(fragment.at, &op)) return 0;
    std::uint32_t lanes = 0;
    for (std::uint32_t left = fragment.lanes[warp]; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      if (members_of(fragment, warp, lane) == mask) lanes |= 1u << lane;
    }
    return lanes;
  }

  bool meet(unsigned warp) {
    if (places_.size() == 1) {
      take(places_[0], warp, 0);
      return true;
    }
    const Fragment& first = group_.waiting_[places_[0].fragment];
    const bool same = std::all_of(places_.begin(), places_.end(), [&](const Place& place) {
      const Fragment& other = group_.waiting_[place.fragment];
      return other.at == first.at && other.frame == first.frame;
    });
    if (same) {
      for (const Place& place : places_) take(place, warp, 0);
      return true;
    }
    return exchange(warp);
  }

  // The lanes go on, as a fragment of their own, so many operations behind where they waited.
  void take(const Place& place, unsigned warp, std::ptrdiff_t behind) {
    group_.waiting_[place.fragment].lanes[warp] &= ~place.lanes;
    const Fragment& from = group_.waiting_[place.fragment];
    Fragment ready;
    ready.at = from.at + behind;
    ready.frame = from.frame;
    ready.lanes[warp] = place.lanes;
    group_.waiting_.push_back(ready);
  }

  bool exchange(unsigned warp) {
    Exchange shared;
    shared.members = members_;
    for (const Place& place : places_) {
      const Fragment& fragment = group_.waiting_[place.fragment];
      if (fragment.meeting.value == kNoSlot) continue;
      for (std::uint32_t left = place.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        shared.values[lane] = read_lane(registers_of(fragment, warp), group_.context_.constants, fragment.meeting.value,
                                        fragment.meeting.value_bytes, lane);
      }
    }
    for (const Place& place : places_) {
      const Fragment fragment = group_.waiting_[place.fragment];
      Context context = group_.context_;
      context.registers = fragment.frame->registers;
      context.frame_bytes = fragment.frame->code->frame_bytes;
      context.warps = group_.warps;
      context.active.fill(0);
      context.active[warp] = place.lanes;
      context.event = Event::none;
      group_.show(*fragment.frame);  // for messages
      group_.exchange = &shared;
      const Op* const next = fragment.at->run(fragment.at, context);
      group_.exchange = nullptr;
      if (next == nullptr && context.event == Event::fault) return false;
      take(place, warp, 1);
    }
    return true;
  }

  WarpGroup& group_;
  std::uint32_t members_ = 0;
  std::vector<Place> places_;
};

bool resolve_meetings(WarpGroup& group) { return Meetings(group).resolve(); }

const Op* run_warp_barrier(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  if (group.exchange != nullptr) return op + 1;  // all have come, from different places
  const LaneMasks lanes = lanes_of(*op, context);
  bool complete = true;
  for (unsigned w = 0; w < context.warps; ++w) {
    const std::byte* const registers = context.registers + std::size_t{w} * context.frame_bytes;
    for (std::uint32_t left = lanes[w]; left != 0;) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      const auto members = static_cast<std::uint32_t>(read_lane(registers, context.constants, op->operands[0], 4, lane));
      if ((members >> lane & 1u) == 0) {
        return fail(op, context, w, lane, "bad_mask",
                    "bar.warp.sync by lane " + std::to_string(lane) + ", which its member mask leaves out");
      }
      complete = complete && (members & group.alive(w) & ~lanes[w]) == 0;
      // With a constant mask one lane speaks for all of its members.
      left &= (op->operands[0] & kConstant) != 0 ? ~members : left - 1;
    }
  }
  if (complete) return op + 1;
  return await_members(op, context, {op->operands[0], kNoSlot, 0});
}

const Op* await_members(const Op* op, Context& context, const Meeting& meeting) {
  WarpGroup& group = group_of(context);
  Fragment parked;
  parked.at = op;
  parked.frame = &group.frame();
  parked.lanes = lanes_of(*op, context);
  parked.state = Fragment::State::meeting;
  parked.meeting = meeting;
  bool rest = false;
  for (unsigned w = 0; w < context.warps; ++w) {
    context.active[w] &= ~parked.lanes[w];
    rest = rest || context.active[w] != 0;
  }
  group.add(parked);
  group.meetings_changed();
  return leave(op + 1, context, rest ? Event::split : Event::blocked);
}

}  // namespace bascule::simt
