// Checks beside operations by which threads synchronise: barriers, fences, member masks, mbarriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/synchronisation_checks.hpp"

#include <fmt/format.h>

#include <string>

#include "backends/simt/operations/mbarrier.hpp"
#include "backends/simt/sanitizer/access_check.hpp"
#include "backends/simt/sanitizer/block_sanitizer.hpp"
#include "backends/simt/sanitizer/lanes_of_op.hpp"

namespace bascule::simt {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Operation;

unsigned slots_in_all(const Instruction& instruction, const ptx::Function& function) {
  unsigned slots = 0;
  for (unsigned i = 0; i < instruction.operand_count; ++i) {
    const ptx::Operand& operand = function.operand(instruction, i);
    slots += operand.kind == ptx::Operand::Kind::vector ? operand.count : 1;
  }
  return slots;
}

bool reduces(const Instruction& instruction) {
  return instruction.operation == Operation::bar_red || instruction.operation == Operation::barrier_red;
}
bool only_arrives(const Instruction& instruction) {
  return instruction.operation == Operation::bar_arrive || instruction.operation == Operation::barrier_arrive;
}

/// The object that a lane names: whose shared memory it is in, and where; or nothing sensible, which the operation itself reports.
struct MbarrierOperand {
  MbarrierOperand(const Op* op, const Context& context, const ptx::Function& function) : context_(context) {
    const Instruction& instruction = *op->instruction;
    switch (instruction.operation) {
      case Operation::mbarrier_arrive:
      case Operation::mbarrier_arrive_drop:
      case Operation::mbarrier_test_wait:
      case Operation::mbarrier_try_wait: position_ = 1; break;
      default: break;
    }
    slot_ = op->operands[position_];
    wide_ = is_wide(function, function.operand(instruction, position_));
    space_ = instruction.space();
    offset_ = op->immediate;
  }
  [[nodiscard]] bool find(unsigned warp, unsigned lane, std::uint64_t& offset, BlockSanitizer*& sanitizer) const {
    const std::uint64_t address = AddressLanes{lanes_at(context_, slot_, warp), wide_, offset_}[lane];
    Block& own = *context_.group->block;
    Block* block = &own;
    if (space_ == ptx::Space::generic) block = shared_owner(own, address);
    if (space_ == ptx::Space::shared_cluster) block = peer(own, address >> kSharedWindowBits);
    if (block == nullptr) return false;
    offset = address - (space_ == ptx::Space::generic ? reinterpret_cast<std::uintptr_t>(block->shared) : shared_window(*block));
    sanitizer = &sanitizer_of(*block);
    return offset % 8 == 0 && offset + 8 <= block->shared_bytes;
  }

 private:
  const Context& context_;
  unsigned position_ = 0;
  Slot slot_ = kNoSlot;
  bool wide_ = false;
  ptx::Space space_ = ptx::Space::generic;
  std::uint64_t offset_ = 0;
};

/// Notices phases that have ended.
MbarrierRecord& follow(BlockSanitizer& sanitizer, std::uint64_t offset) {
  MbarrierRecord& record = sanitizer.mbarriers[offset];
  const Mbarrier object = Mbarrier::load(sanitizer.block.shared + offset);
  if (object.valid && object.phase != (record.phases & 3u)) {
    record.phases += (object.phase - record.phases) & 3u;
    record.completed = std::move(record.arriving);
    record.arriving = {};
  }
  return record;
}

Scope scope_of(const Instruction& instruction) { return instruction.has(Modifier::cluster) ? Scope::cluster : Scope::block; }

/// What the arriving thread hands on, all that it knows or what its last fence did: to threads of its own block, and of the
/// cluster where its scope is that.
void hand_on(MbarrierRecord& record, const BlockSanitizer& owner, BlockSanitizer& arriving, std::uint32_t thread,
             const Instruction& instruction) {
  const bool relaxed = instruction.has(Modifier::relaxed);
  const Message released = relaxed ? Message{} : arriving.hand_over(thread);
  const MessageByScope& fenced = arriving.clock(thread).fenced;
  if (&owner == &arriving) join(record.arriving[0], relaxed ? fenced[0] : released);
  if (scope_of(instruction) == Scope::cluster) join(record.arriving[1], relaxed ? fenced[1] : released);
}

/// The object's bytes as an access like any other: init and inval are weak writes, all else is strong.
bool race_on_object(const Op* op, Context& context, unsigned warp, unsigned lane, std::uint64_t offset, BlockSanitizer& owner) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Operation operation = op->instruction->operation;
  const bool weak = operation == Operation::mbarrier_init || operation == Operation::mbarrier_inval;
  const std::uint32_t thread = sanitizer.thread_of(context, warp, lane);
  const ThreadClock& clock = sanitizer.clock(thread);
  const AccessRecord now{sanitizer.number(), sanitizer.cluster_number(), clock.now, static_cast<std::uint16_t>(thread),
                         weak ? Strength::weak : Strength::cluster, false, op->instruction};
  bool go_on = true;
  owner.shared.each(offset, 8, [&](ShadowCell& cell) {
    const AccessRecord* const other = find_race(cell, now, true, clock);
    if (other != nullptr && go_on) {
      go_on = sanitizer.launch.report(
          op, context, warp, lane, "race",
          fmt::format("{} of the mbarrier at shared address {:#x} by thread {}, and line {} by thread {}, without synchronisation "
                      "between them",
                      name_of(operation), offset, thread, other->at->location.line, other->thread),
          other->at);
    }
    record(cell, now, true, clock);
  });
  return go_on;
}

bool starts_object(const Op* op, Context& context, unsigned warp, unsigned lane, std::uint64_t offset) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  if (sanitizer.mbarriers.count(offset) != 0 &&
      !sanitizer.launch.report(op, context, warp, lane, "bad_mbarrier",
                               fmt::format("mbarrier.init at shared address {:#x}, where an mbarrier is that has not been invalidated", offset))) {
    return false;
  }
  sanitizer.unwritten_shared.erase(offset, 8);
  sanitizer.mbarriers[offset] = MbarrierRecord{};
  return true;
}

/// A parity can't tell a phase from the next but one: who comes that late waits for the wrong one.
bool lags(const Op* op, Context& context, unsigned warp, unsigned lane, std::uint64_t offset) {
  if (!op->instruction->has(Modifier::parity)) return true;
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const MbarrierRecord& record = follow(sanitizer, offset);
  const auto seen = record.seen.find(sanitizer.thread_of(context, warp, lane));
  if (seen == record.seen.end()) return true;
  const std::uint32_t wanted = seen->second;  // the phase after the last one that it found complete
  const std::uint32_t parity = lane_of<std::uint32_t>(context, op->operands[2], warp, lane) & 1u;
  if ((wanted & 1u) != parity || record.phases < wanted + 2) return true;
  return sanitizer.launch.report(op, context, warp, lane, "bad_mbarrier",
                                 fmt::format("waits for phase {} of the mbarrier at shared address {:#x} by its parity, but phase {} has "
                                             "begun: the thread is two phases late",
                                             wanted, offset, record.phases));
}

}  // namespace

bool is_warp_synchronisation(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::shfl_sync:
    case Operation::vote_sync:
    case Operation::match_sync:
    case Operation::redux_sync:
    case Operation::elect_sync:
    case Operation::bar_warp_sync: return true;
    default: return false;
  }
}

const Op* check_members(const Op* op, Context& context) {
  const Instruction& instruction = *op->instruction;
  const unsigned count = slots_in_all(instruction, running_function(context));
  const Slot members = slot_of(op, count - 1, count);
  const bool go_on = each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    const auto mask = lane_of<std::uint32_t>(context, members, warp, lane);
    if ((mask >> lane & 1u) != 0) return true;
    fail(op, context, warp, lane, "bad_mask",
         fmt::format("lane {} executes {} with the member mask {:#010x}, which does not name it", lane, name_of(instruction.operation), mask));
    return false;
  });
  if (!go_on) return nullptr;
  if (instruction.operation != Operation::bar_warp_sync) return op + 1;
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Group& group = *context.group;
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    for (std::uint32_t left = running_lanes(op, context, warp); left != 0;) {
      const auto mask = lane_of<std::uint32_t>(context, members, warp, static_cast<unsigned>(__builtin_ctz(left)));
      std::uint32_t same = 0;
      for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        if (lane_of<std::uint32_t>(context, members, warp, lane) == mask) same |= 1u << lane;
      }
      sanitizer.come_to_warp_barrier(group.first_warp + warp, mask & group.alive(warp), same);
      left &= ~same;
    }
  }
  return op + 1;
}

const Op* after_warp_barrier(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    sanitizer.leave_warp_barrier(context.group->first_warp + warp, running_lanes(op, context, warp));
  }
  return op + 1;
}

bool is_barrier(const Instruction& instruction) {
  return instruction.operation == Operation::bar_sync || instruction.operation == Operation::barrier_sync || only_arrives(instruction) ||
         reduces(instruction);
}

const Op* check_barrier(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Slot id = op->operands[reduces(*op->instruction) ? 1 : 0];
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    const std::uint32_t barrier = id == kNoSlot ? 0 : lane_of<std::uint32_t>(context, id, warp, lane);
    sanitizer.come_to_barrier(barrier, sanitizer.thread_of(context, warp, lane), !only_arrives(*op->instruction));
    return true;
  });
  return op + 1;
}

const Op* check_fence(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Instruction& instruction = *op->instruction;
  const Scope scope = instruction.has(Modifier::cta) ? Scope::block : instruction.has(Modifier::cluster) ? Scope::cluster : Scope::everyone;
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    sanitizer.fence(sanitizer.thread_of(context, warp, lane), scope);
    return true;
  });
  return op + 1;
}

bool is_mbarrier(const Instruction& instruction) {
  switch (instruction.operation) {
    case Operation::mbarrier_init:
    case Operation::mbarrier_inval:
    case Operation::mbarrier_expect_tx:
    case Operation::mbarrier_complete_tx:
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_arrive_drop:
    case Operation::mbarrier_test_wait:
    case Operation::mbarrier_try_wait:
    case Operation::cp_async_mbarrier_arrive: return true;
    default: return false;
  }
}

const Op* check_mbarrier(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Instruction& instruction = *op->instruction;
  const MbarrierOperand operand(op, context, running_function(context));
  const bool go_on = each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    std::uint64_t offset = 0;
    BlockSanitizer* owner = nullptr;
    if (!operand.find(warp, lane, offset, owner)) return true;
    const Operation operation = instruction.operation;
    if (operation == Operation::mbarrier_init && !starts_object(op, context, warp, lane, offset)) return false;
    if (operation != Operation::mbarrier_init && owner->mbarriers.count(offset) == 0) return true;  // the operation reports it
    if (!race_on_object(op, context, warp, lane, offset, *owner)) return false;
    const std::uint32_t thread = sanitizer.thread_of(context, warp, lane);
    switch (operation) {
      case Operation::mbarrier_inval: owner->mbarriers.erase(offset); return true;
      case Operation::mbarrier_arrive:
      case Operation::mbarrier_arrive_drop:
      case Operation::cp_async_mbarrier_arrive:
        hand_on(follow(*owner, offset), *owner, sanitizer, thread, instruction);
        return true;
      case Operation::mbarrier_test_wait:
      case Operation::mbarrier_try_wait: return lags(op, context, warp, lane, offset);
      default: return true;
    }
  });
  return go_on ? op + 1 : nullptr;
}

const Op* after_mbarrier(const Op* op, Context& context) {
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Instruction& instruction = *op->instruction;
  const bool waits = instruction.operation == Operation::mbarrier_test_wait || instruction.operation == Operation::mbarrier_try_wait;
  const MbarrierOperand operand(op, context, running_function(context));
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    std::uint64_t offset = 0;
    BlockSanitizer* owner = nullptr;
    if (!operand.find(warp, lane, offset, owner) || owner->mbarriers.count(offset) == 0) return true;
    MbarrierRecord& record = follow(*owner, offset);
    if (!waits || (lane_of<std::uint32_t>(context, op->operands[0], warp, 0) >> lane & 1u) == 0) return true;
    const std::uint32_t thread = sanitizer.thread_of(context, warp, lane);
    record.seen[thread] = record.phases;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(scope_of(instruction)); ++i) {
      if (instruction.has(Modifier::relaxed)) {  // known after a fence
        join(sanitizer.clock(thread).seen[i], record.completed[i]);
      } else {
        join(sanitizer.clock(thread).known, sanitizer.number(), record.completed[i]);
      }
    }
    return true;
  });
  return op + 1;
}

}  // namespace bascule::simt
