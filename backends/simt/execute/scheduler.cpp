// Which fragment of a group runs, and the frames that they run in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/scheduler.hpp"

#include <algorithm>
#include <cstring>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/fault_guard.hpp"
#include "backends/simt/execute/launch.hpp"

namespace bascule::simt {
namespace {

constexpr std::int64_t kBudget = 1024;        // jumps backwards in a turn
constexpr std::uint8_t kSlicesOfATurn = 8;    // then a fragment lets others of its group go first

[[gnu::noinline]] void run_operations(const Op* op, Context& context) {
  while (op != nullptr) {
    context.running = op;
    op = op->run(op, context);
  }
}

std::size_t lines(std::size_t bytes) { return (bytes + sizeof(ConstantPool::Line) - 1) / sizeof(ConstantPool::Line); }

}  // namespace

bool comes_before(const Fragment& a, const Fragment& b) {
  const Op *at_a = a.at, *at_b = b.at;
  const Frame *frame_a = a.frame, *frame_b = b.frame;
  const auto up = [](const Frame*& frame, const Op*& at) {
    at = frame->call;
    frame = frame->parent;
  };
  while (frame_a->depth > frame_b->depth) up(frame_a, at_a);
  while (frame_b->depth > frame_a->depth) up(frame_b, at_b);
  while (frame_a != frame_b) {
    up(frame_a, at_a);
    up(frame_b, at_b);
  }
  if (at_a != at_b) return at_a < at_b;
  return a.frame->depth > b.frame->depth;
}

std::uint64_t read_lane(const std::byte* registers, const std::byte* constants, Slot slot, unsigned bytes, unsigned lane) {
  const std::byte* const at = (slot & kConstant) != 0 ? constants + (slot & ~kConstant) : registers + slot;
  std::uint64_t value = 0;
  if (bytes == 0) {
    std::uint32_t mask;
    std::memcpy(&mask, at, sizeof mask);
    return mask >> lane & 1u;
  }
  std::memcpy(&value, at + std::size_t{lane} * bytes, bytes);
  return value;
}

void WarpGroup::start(BlockRun& owner, const Program& program, const std::byte* constants, std::uint32_t first,
                      std::uint32_t count, std::byte* local_memory) {
  if (program_ != &program) {
    frames_.clear();
    free_frames_.clear();
    storage_.clear();
    free_registers_.assign(program.functions.size(), {});
  }
  run_ = &owner;
  program_ = &program;
  block = &owner;
  first_warp = first;
  warps = count;
  local = local_memory;
  local_bytes = program.local_bytes;
  exchange = nullptr;
  present.fill(0);
  exited.fill(0);
  waiting_.clear();
  turns_ = 0;
  executed_operations = executed_lanes = 0;
  meetings_changed_ = false;
  for (unsigned w = 0; w < count; ++w) {
    const std::uint32_t before = (first + w) * kLanes;
    const std::uint32_t threads = std::min(owner.threads - before, kLanes);
    present[w] = threads == kLanes ? kAllLanes : (1u << threads) - 1;
  }
  context_ = Context{};
  context_.constants = constants;
  context_.warps = count;
  context_.group = this;
  const FunctionCode& code = *program.functions[program.entry];
  Frame& root = new_frame(code);
  root.parent = nullptr;
  root.call = nullptr;
  root.depth = 0;
  root.local_frame = 0;
  root.lanes = present;
  add(code.ops.data(), &root, present);
}

Frame& WarpGroup::new_frame(const FunctionCode& code) {
  if (free_frames_.empty()) {
    frames_.push_back(std::make_unique<Frame>());
    free_frames_.push_back(frames_.back().get());
  }
  Frame& frame = *free_frames_.back();
  auto& registers = free_registers_[code.index];
  if (registers.empty()) {
    storage_.push_back(std::make_unique<ConstantPool::Line[]>(lines(std::size_t{code.frame_bytes} * kMaxWarps)));
    registers.push_back(storage_.back()[0].bytes.data());
  }
  free_frames_.pop_back();
  frame = Frame{};
  frame.code = &code;
  frame.registers = registers.back();
  registers.pop_back();
  std::byte* file = frame.registers;
  for (unsigned w = 0; w < warps; ++w, file += code.frame_bytes) {
    std::memset(file, 0, code.cleared_bytes);
    std::memcpy(file + kTrueSlot, &kAllLanes, sizeof kAllLanes);
  }
  return frame;
}

bool WarpGroup::enter(const FunctionCode& code, const Op* call, std::uint32_t new_local_frame, const LaneMasks& lanes) {
  if (std::uint64_t{new_local_frame} + code.local_bytes > local_bytes) return false;
  Frame& caller = frame();
  Frame& callee = new_frame(code);
  callee.parent = &caller;
  callee.call = call;
  callee.depth = caller.depth + 1;
  callee.local_frame = new_local_frame;
  callee.lanes = lanes;
  context_.join = kNobodyWaits;
  show(callee);
  return true;
}

void WarpGroup::show(Frame& to) {
  current_.frame = &to;
  context_.registers = to.registers;
  context_.frame_bytes = to.code->frame_bytes;
  local_frame = to.local_frame;
}

void WarpGroup::leave_frame(Frame* from, const LaneMasks& lanes, bool all_the_way) {
  for (Frame* frame = from; frame != nullptr;) {
    Frame* const parent = frame->parent;
    for (unsigned w = 0; w < warps; ++w) frame->lanes[w] &= ~lanes[w];
    if (!any_lane(frame->lanes)) {
      free_registers_[frame->code->index].push_back(frame->registers);
      free_frames_.push_back(frame);
    }
    if (!all_the_way) return;
    frame = parent;
  }
}

void WarpGroup::add(const Op* at, Frame* in, const LaneMasks& lanes) {
  Fragment& fragment = waiting_.emplace_back();
  fragment.at = at;
  fragment.frame = in;
  fragment.lanes = lanes;
  fragment.turn = current_.turn;
  fragment.slices = current_.slices;
}

void WarpGroup::load(Fragment fragment) {
  current_ = std::move(fragment);
  show(*current_.frame);
  context_.active = current_.lanes;
  fit_warps(context_, warps);
  context_.event = Event::none;
  context_.join = kNobodyWaits;
  for (const Fragment& other : waiting_) {
    if (other.state != Fragment::State::ready || other.frame != current_.frame || other.at <= current_.at) continue;
    context_.join = std::min(context_.join, reinterpret_cast<std::uintptr_t>(other.at));
  }
}

bool WarpGroup::meet(const Op* at) {
  if (meetings_changed_) return false;
  for (const Fragment& other : waiting_) {
    if (other.state != Fragment::State::ready) continue;
    if (other.frame != current_.frame || other.turn != current_.turn || other.at < at) return false;
  }
  context_.join = kNobodyWaits;
  for (std::size_t i = 0; i < waiting_.size();) {
    const Fragment& other = waiting_[i];
    if (other.state == Fragment::State::ready && other.at == at) {
      for (unsigned w = 0; w < warps; ++w) context_.active[w] |= other.lanes[w];
      waiting_[i] = std::move(waiting_.back());
      waiting_.pop_back();
      continue;
    }
    if (other.state == Fragment::State::ready) {
      context_.join = std::min(context_.join, reinterpret_cast<std::uintptr_t>(other.at));
    }
    ++i;
  }
  fit_warps(context_, warps);
  return true;
}

bool WarpGroup::pick() {
  const auto better = [](const Fragment& a, const Fragment& b) {
    return a.turn != b.turn ? a.turn < b.turn : comes_before(a, b);
  };
  std::size_t best = waiting_.size();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].state != Fragment::State::ready) continue;
    if (best == waiting_.size() || better(waiting_[i], waiting_[best])) best = i;
  }
  if (best == waiting_.size()) return false;
  Fragment chosen = std::move(waiting_[best]);
  waiting_[best] = std::move(waiting_.back());
  waiting_.pop_back();
  for (std::size_t i = 0; i < waiting_.size();) {
    const Fragment& other = waiting_[i];
    if (other.state != Fragment::State::ready || other.at != chosen.at || other.frame != chosen.frame) {
      ++i;
      continue;
    }
    for (unsigned w = 0; w < warps; ++w) chosen.lanes[w] |= other.lanes[w];
    waiting_[i] = std::move(waiting_.back());
    waiting_.pop_back();
  }
  load(std::move(chosen));
  return true;
}

void WarpGroup::put_back(std::uint8_t slices, std::uint64_t turn) {
  if (!any_lane(context_.active)) return;
  Fragment fragment;
  fragment.at = context_.resume;
  fragment.frame = current_.frame;
  fragment.lanes = context_.active;
  fragment.slices = slices;
  fragment.turn = turn;
  waiting_.push_back(fragment);
}

bool WarpGroup::interpret() {
  FaultGuard guard;
  if (BSC_SIMT_CATCH_FAULT(guard)) {
    const Op* const at = context_.running;
    unsigned warp = 0;
    while (warp + 1 < warps && context_.active[warp] == 0) ++warp;
    const std::uint32_t lanes = context_.active[warp];
    fail(at, context_, warp, lanes != 0 ? static_cast<unsigned>(__builtin_ctz(lanes)) : 0, "memory_fault", guard.message());
    return false;
  }
  run_operations(current_.at, context_);
  return true;
}

WarpGroup::Progress WarpGroup::run() {
  context_.budget = kBudget;
  for (;;) {
    if (meetings_changed_) {
      meetings_changed_ = false;
      if (!waiting_.empty() && !resolve_meetings(*this)) return Progress::fault;
    }
    if (!pick()) {
      current_ = Fragment{};
      return waiting_.empty() ? Progress::done : Progress::waiting;
    }
    if (!interpret()) return Progress::fault;
    switch (context_.event) {
      case Event::none: {
        const bool gave_up_turn = context_.budget > 0, looks_at_others = context_.budget < -1;
        // Who looks at memory in a loop waits for others, mostly: nothing is gained by looking eight times as long.
        const bool loses_turn = gave_up_turn || looks_at_others || ++current_.slices >= kSlicesOfATurn;
        put_back(loses_turn ? 0 : current_.slices, loses_turn ? ++turns_ : current_.turn);
        current_ = Fragment{};
        return gave_up_turn || looks_at_others ? Progress::spinning : Progress::busy;
      }
      case Event::split: put_back(current_.slices, current_.turn); break;
      case Event::blocked:
      case Event::done: break;
      case Event::fault: return Progress::fault;
    }
  }
}

}  // namespace bascule::simt
