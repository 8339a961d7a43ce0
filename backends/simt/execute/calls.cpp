// Calls, returns, and the stack in local memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <string>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/control.hpp"

namespace bascule::simt {
namespace {

// One warp's registers and local memory in one frame.
struct Side {
  std::byte* registers;
  std::byte* local;  // of lane 0, from the frame's start
};

const std::byte* source_of(const Side& side, const std::byte* constants, Slot slot) {
  return (slot & kConstant) != 0 ? constants + (slot & ~kConstant) : side.registers + slot;
}

template <class F>
void each_lane_of(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<unsigned>(__builtin_ctz(mask)));
}

void copy_piece(const Side& to, Slot to_slot, const std::byte* from, std::uint32_t bytes, std::uint32_t mask) {
  std::byte* const at = to.registers + to_slot;
  if (bytes == 0) {
    std::uint32_t now, next;
    std::memcpy(&now, at, sizeof now);
    std::memcpy(&next, from, sizeof next);
    now = (now & ~mask) | (next & mask);
    std::memcpy(at, &now, sizeof now);
  } else if (mask == kAllLanes) {
    std::memmove(at, from, std::size_t{bytes} * kLanes);
  } else {
    each_lane_of(mask, [&](unsigned lane) { std::memcpy(at + lane * bytes, from + lane * bytes, bytes); });
  }
}

// Moves parameters or results between frames, for some lanes of one warp.
class Mover {
 public:
  Mover(const std::byte* constants, std::uint32_t local_stride, std::uint32_t mask)
      : constants_(constants), stride_(local_stride), mask_(mask) {}

  // `stage`: where in the callee's part of local memory the value lies while its parts differ.
  void move(const Formal& from, const Side& from_side, const Formal& to, const Side& to_side, std::byte* stage) const {
    if (!from.in_memory && !to.in_memory && from.pieces == to.pieces) {
      for (std::size_t i = 0; i < to.pieces.size(); ++i) {
        copy_piece(to_side, to.pieces[i].slot, source_of(from_side, constants_, from.pieces[i].slot), to.pieces[i].bytes, mask_);
      }
      return;
    }
    const std::uint32_t bytes = std::min(from.bytes, to.bytes);
    if (from.in_memory) {
      each_lane_of(mask_, [&](unsigned lane) {
        std::memmove(stage + lane * stride_, from_side.local + from.offset + lane * stride_, bytes);
      });
    } else {
      for (const Formal::Piece& piece : from.pieces) {
        const std::byte* const source = source_of(from_side, constants_, piece.slot);
        each_lane_of(mask_, [&](unsigned lane) {
          std::memcpy(stage + lane * stride_ + piece.offset, source + lane * piece.bytes, piece.bytes);
        });
      }
    }
    if (to.in_memory) {
      each_lane_of(mask_, [&](unsigned lane) {
        std::memmove(to_side.local + to.offset + lane * stride_, stage + lane * stride_, bytes);
      });
    } else {
      for (const Formal::Piece& piece : to.pieces) {
        std::byte* const destination = to_side.registers + piece.slot;
        each_lane_of(mask_, [&](unsigned lane) {
          std::memcpy(destination + lane * piece.bytes, stage + lane * stride_ + piece.offset, piece.bytes);
        });
      }
    }
  }

 private:
  const std::byte* constants_;
  std::size_t stride_;
  std::uint32_t mask_;
};

Side side_of(const WarpGroup& group, const Frame& frame, unsigned warp) {
  return {frame.registers + std::size_t{warp} * frame.code->frame_bytes,
          group.local != nullptr ? group.local_of(warp, 0) + frame.local_frame : nullptr};
}

std::uint32_t next_frame(const Context& context, const WarpGroup& group, const Frame& frame, const LaneMasks& lanes) {
  const Slot top = frame.code->stack_top;
  if (top == kNoSlot) return frame.local_frame + frame.code->local_bytes;
  std::uint32_t highest = frame.local_frame;
  for (unsigned w = 0; w < context.warps; ++w) {
    each_lane_of(lanes[w], [&](unsigned lane) {
      highest = std::max(highest, static_cast<std::uint32_t>(read_lane(
                                      context.registers + std::size_t{w} * context.frame_bytes, nullptr, top, 4, lane)));
    });
  }
  const std::uint32_t alignment = group.program().local_alignment;
  return (highest + alignment - 1) / alignment * alignment;
}

const Op* stack_overflow(const Op* op, Context& context, const LaneMasks& lanes, std::uint64_t needed) {
  const WarpGroup& group = group_of(context);
  unsigned warp = 0;
  while (warp + 1 < context.warps && lanes[warp] == 0) ++warp;
  return fail(op, context, warp, static_cast<unsigned>(__builtin_ctz(lanes[warp])), "stack_overflow",
              "the stack of " + std::to_string(group.local_bytes) + " bytes per thread is used up: " + std::to_string(needed) +
                  " bytes would be needed here; give more (option stack_bytes), or end the recursion");
}

const Op* call(const Op* op, Context& context, const CallSite& site, const FunctionCode& callee, const LaneMasks& lanes) {
  WarpGroup& group = group_of(context);
  Frame& caller = group.frame();
  const std::uint32_t local_frame = next_frame(context, group, caller, lanes);
  context.active = lanes;
  if (!group.enter(callee, op, local_frame, lanes)) {
    return stack_overflow(op, context, lanes, std::uint64_t{local_frame} + callee.local_bytes);
  }
  for (unsigned w = 0; w < context.warps; ++w) {
    if (lanes[w] == 0) continue;
    const Mover mover(context.constants, group.local_bytes, lanes[w]);
    const Side from = side_of(group, caller, w), to = side_of(group, group.frame(), w);
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) {
      mover.move(site.arguments[i], from, callee.parameters[i], to, to.local + callee.parameters[i].offset);
    }
  }
  return callee.ops.data();
}

}  // namespace

const Op* run_call(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const auto& site = *static_cast<const CallSite*>(op->side);
  const LaneMasks lanes = lanes_of(*op, context);
  LaneMasks rest{};
  for (unsigned w = 0; w < context.warps; ++w) rest[w] = context.active[w] & ~lanes[w];
  if (any_lane(rest)) {
    if (!any_lane(lanes)) return op + 1;
    group.add(op + 1, &group.frame(), rest);
  }
  return call(op, context, site, *group.program().functions[*site.callee], lanes);
}

const Op* run_indirect_call(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  const auto& site = *static_cast<const CallSite*>(op->side);
  const Program& program = group.program();
  const LaneMasks lanes = lanes_of(*op, context);
  LaneMasks chosen{}, later{}, rest{};
  std::uint64_t pointer = 0;
  unsigned first_warp = 0, first_lane = 0;
  bool found = false;
  for (unsigned w = 0; w < context.warps; ++w) {
    rest[w] = context.active[w] & ~lanes[w];
    each_lane_of(lanes[w], [&](unsigned lane) {
      const std::uint64_t value =
          read_lane(context.registers + std::size_t{w} * context.frame_bytes, context.constants, site.pointer, 8, lane);
      if (!found) {
        found = true;
        pointer = value;
        first_warp = w;
        first_lane = lane;
      }
      (value == pointer ? chosen : later)[w] |= 1u << lane;
    });
  }
  if (!found) return op + 1;
  const std::uint64_t index = (pointer - program.function_addresses) / kFunctionStride;
  const bool known = pointer >= program.function_addresses && index < program.functions.size() &&
                     program.functions[index] != nullptr && pointer % kFunctionStride == program.function_addresses % kFunctionStride;
  if (!known || (!site.targets.empty() &&
                 std::find(site.targets.begin(), site.targets.end(), index) == site.targets.end())) {
    return fail(op, context, first_warp, first_lane, "bad_call",
                known ? "a call through a pointer to " + program.functions[index]->function->name +
                            ", which is not in the list of the call's targets"
                      : "a call through a pointer that holds the address of no function");
  }
  const FunctionCode& callee = *program.functions[index];
  if (callee.parameters.size() != site.arguments.size() || callee.results.size() != site.results.size()) {
    return fail(op, context, first_warp, first_lane, "bad_call",
                "a call of " + callee.function->name + " through a pointer with " + std::to_string(site.arguments.size()) +
                    " arguments and " + std::to_string(site.results.size()) + " results; the function has " +
                    std::to_string(callee.parameters.size()) + " and " + std::to_string(callee.results.size()));
  }
  if (any_lane(later)) group.add(op, &group.frame(), later);
  if (any_lane(rest)) group.add(op + 1, &group.frame(), rest);
  return call(op, context, site, callee, chosen);
}

const Op* run_return(const Op* op, Context& context) {
  WarpGroup& group = group_of(context);
  Frame& callee = group.frame();
  if (callee.call == nullptr) return run_exit(op, context);
  const LaneMasks lanes = lanes_of(*op, context);
  if (!any_lane(lanes)) return op + 1;
  Frame& caller = *callee.parent;
  const Op* const after = callee.call + 1;
  const auto& site = *static_cast<const CallSite*>(callee.call->side);
  LaneMasks rest{};
  for (unsigned w = 0; w < context.warps; ++w) {
    rest[w] = context.active[w] & ~lanes[w];
    if (lanes[w] == 0) continue;
    const Mover mover(context.constants, group.local_bytes, lanes[w]);
    const Side from = side_of(group, callee, w), to = side_of(group, caller, w);
    for (std::size_t i = 0; i < site.results.size(); ++i) {
      mover.move(callee.code->results[i], from, site.results[i], to, from.local + callee.code->results[i].offset);
    }
  }
  group.leave_frame(&callee, lanes, false);
  if (!any_lane(rest) && group.alone()) {
    group.show(caller);
    return after;
  }
  group.add(after, &caller, lanes);
  context.active = rest;
  return leave(op + 1, context, any_lane(rest) ? Event::split : Event::blocked);
}

const Op* run_frame_addresses(const Op* op, Context& context) {
  const WarpGroup& group = group_of(context);
  const Frame& frame = group_of(context).frame();
  for (unsigned w = 0; w < context.warps; ++w) {
    std::byte* const registers = context.registers + std::size_t{w} * context.frame_bytes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((context.active[w] >> lane & 1u) == 0) continue;
      const std::uint64_t host =
          group.local != nullptr ? reinterpret_cast<std::uint64_t>(group.local_of(w, lane)) + frame.local_frame : 0;
      const std::uint64_t offset = frame.local_frame;
      const std::uint32_t top = frame.local_frame + frame.code->local_bytes;
      if (op->operands[0] != kNoSlot) std::memcpy(registers + op->operands[0] + lane * 8, &host, 8);
      if (op->operands[1] != kNoSlot) std::memcpy(registers + op->operands[1] + lane * 8, &offset, 8);
      if (op->operands[2] != kNoSlot) std::memcpy(registers + op->operands[2] + lane * 4, &top, 4);
    }
  }
  return op + 1;
}

namespace {

template <class F>
const Op* each_active_lane(const Op* op, Context& context, F f) {
  const LaneMasks lanes = lanes_of(*op, context);
  for (unsigned w = 0; w < context.warps; ++w) {
    std::byte* const registers = context.registers + std::size_t{w} * context.frame_bytes;
    for (std::uint32_t left = lanes[w]; left != 0; left &= left - 1) {
      if (!f(w, static_cast<unsigned>(__builtin_ctz(left)), registers)) return nullptr;
    }
  }
  return op + 1;
}

}  // namespace

const Op* run_alloca(const Op* op, Context& context) {
  const std::uint64_t alignment = op->immediate & 0xffffffffu;
  const auto width = static_cast<unsigned>(op->immediate >> 32);
  const std::uint64_t limit = context.group->local_bytes;
  return each_active_lane(op, context, [&](unsigned warp, unsigned lane, std::byte* registers) {
    const std::uint64_t size = read_lane(registers, context.constants, op->operands[2], width, lane);
    const std::uint64_t top = read_lane(registers, context.constants, op->operands[3], 4, lane);
    const std::uint64_t begin = (top + alignment - 1) / alignment * alignment;
    if (size > limit || begin + size > limit) {
      LaneMasks one{};
      one[warp] = 1u << lane;
      stack_overflow(op, context, one, begin + size);
      return false;
    }
    const auto end = static_cast<std::uint32_t>(begin + size);
    std::memcpy(registers + op->operands[0] + lane * width, &begin, width);
    std::memcpy(registers + op->operands[1] + lane * 4, &end, 4);
    return true;
  });
}

const Op* run_stack_save(const Op* op, Context& context) {
  const auto width = static_cast<unsigned>(op->immediate);
  return each_active_lane(op, context, [&](unsigned, unsigned lane, std::byte* registers) {
    const std::uint64_t top = read_lane(registers, context.constants, op->operands[1], 4, lane);
    std::memcpy(registers + op->operands[0] + lane * width, &top, width);
    return true;
  });
}

const Op* run_stack_restore(const Op* op, Context& context) {
  const auto width = static_cast<unsigned>(op->immediate);
  return each_active_lane(op, context, [&](unsigned warp, unsigned lane, std::byte* registers) {
    const std::uint64_t top = read_lane(registers, context.constants, op->operands[1], width, lane);
    const Frame& frame = group_of(context).frame();
    if (top < frame.local_frame || top > context.group->local_bytes) {
      fail(op, context, warp, lane, "bad_stack", "stackrestore with " + std::to_string(top) + ", which no stacksave gave");
      return false;
    }
    std::memcpy(registers + op->operands[0] + lane * 4, &top, 4);
    return true;
  });
}

}  // namespace bascule::simt
