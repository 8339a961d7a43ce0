// Linear scan: each value is live from its first to its last position in the laid-out order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/slots.hpp"

#include <algorithm>
#include <array>

namespace bascule::simt {
namespace {

constexpr std::uint32_t kNever = UINT32_MAX;

struct Interval {
  std::uint32_t value = 0;
  std::uint32_t begin = kNever;
  std::uint32_t end = 0;
  void include(std::uint32_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

unsigned class_of(unsigned width) {
  switch (width) {
    case 1: return 0;
    case 8: return 1;
    case 16: return 2;
    case 32: return 3;
    case 64: return 4;
    default: return 5;
  }
}
constexpr std::array<std::uint32_t, 6> kClassBytes = {4, kLanes, kLanes * 2, kLanes * 4, kLanes * 8, kLanes * 16};
constexpr std::array<std::uint32_t, 6> kClassRegisters = {0, 1, 1, 1, 2, 4};

// Fresh slots from the end of the frame, released ones first. Small slots are cut out of a cache line of their own kind.
class Frame {
 public:
  Slot take(unsigned size_class) {
    auto& released = released_[size_class];
    if (!released.empty()) {
      const Slot slot = released.back();
      released.pop_back();
      return slot;
    }
    const std::uint32_t bytes = kClassBytes[size_class];
    if (bytes >= 64) return grow(bytes);
    Slot& line = lines_[size_class];
    if (line % 64 == 0) line = grow(64);
    const Slot slot = line;
    line += bytes;
    return slot;
  }
  void release(unsigned size_class, Slot slot) { released_[size_class].push_back(slot); }
  // What was taken so far is never cut further.
  void close_lines() { lines_.fill(0); }
  [[nodiscard]] std::uint32_t end() const { return end_; }

 private:
  Slot grow(std::uint32_t bytes) {
    const Slot slot = end_;
    end_ += bytes;
    return slot;
  }
  std::uint32_t end_ = kFirstFreeSlot;
  std::array<Slot, 6> lines_{};
  std::array<std::vector<Slot>, 6> released_;
};

// A draft reads at twice its position and writes one after; one whose destinations must keep clear of its sources reads
// there too.
std::vector<Interval> find_intervals(const Drafts& drafts, const FlowGraph& graph, const Liveness& live) {
  std::vector<Interval> intervals(drafts.widths.size());
  for (std::uint32_t v = 0; v < intervals.size(); ++v) intervals[v].value = v;
  std::uint32_t position = 2;
  for (const std::uint32_t b : graph.order) {
    live.in[b].each([&](std::uint32_t value) { intervals[value].include(position); });
    for (std::uint32_t i = drafts.block_begin[b]; i < drafts.block_end[b]; ++i, position += 2) {
      const Draft& draft = drafts.list[i];
      if (draft.guard != kNoGuard) intervals[draft.guard].include(position + (draft.lane_by_lane ? 0 : 1));
      for (unsigned k = 0; k < draft.count; ++k) {
        const Reference reference = drafts.references[draft.first + k];
        if (!is_value(reference)) continue;
        const bool late = k < draft.destinations || !draft.lane_by_lane;
        intervals[reference].include(position + (late ? 1 : 0));
      }
    }
    live.out[b].each([&](std::uint32_t value) { intervals[value].include(position + 1); });
    position += 2;
  }
  return intervals;
}

}  // namespace

SlotLayout assign_slots(const Drafts& drafts, const FlowGraph& graph, const Liveness& live,
                        const std::vector<std::uint32_t>& at_start) {
  SlotLayout layout;
  layout.slots.assign(drafts.widths.size(), kNoSlot);
  std::vector<Interval> intervals = find_intervals(drafts, graph, live);
  for (const std::uint32_t value : at_start) intervals[value].include(0);

  Frame frame;
  live.in[graph.order.front()].each([&](std::uint32_t value) {
    if (std::find(at_start.begin(), at_start.end(), value) != at_start.end()) return;
    layout.slots[value] = frame.take(class_of(drafts.widths[value]));
  });
  frame.close_lines();
  layout.cleared_bytes = frame.end();

  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin != b.begin ? a.begin < b.begin : a.value < b.value; });
  const auto ends_later = [](const Interval& a, const Interval& b) { return a.end > b.end; };
  std::vector<Interval> active;  // a heap: the one that ends first is in front
  std::uint32_t registers = 0;
  for (const Interval& interval : intervals) {
    if (interval.begin == kNever) break;
    const unsigned size_class = class_of(drafts.widths[interval.value]);
    while (!active.empty() && active.front().end < interval.begin) {
      std::pop_heap(active.begin(), active.end(), ends_later);
      const std::uint32_t ended = active.back().value;
      active.pop_back();
      const unsigned ended_class = class_of(drafts.widths[ended]);
      registers -= kClassRegisters[ended_class];
      frame.release(ended_class, layout.slots[ended]);
    }
    if (layout.slots[interval.value] != kNoSlot) continue;  // live at the start
    layout.slots[interval.value] = frame.take(size_class);
    registers += kClassRegisters[size_class];
    layout.live_registers = std::max(layout.live_registers, registers);
    active.push_back(interval);
    std::push_heap(active.begin(), active.end(), ends_later);
  }
  // Warps' files one page apart would all fall into the same cache sets.
  layout.frame_bytes = frame.end() + (frame.end() % 4096 == 0 ? 64 : 0);
  return layout;
}

}  // namespace bascule::simt
