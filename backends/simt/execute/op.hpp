// What the interpreter runs: one decoded operation, and the state it works on.
//
// The unit of execution is a group: up to kMaxWarps warps of one block that run the same operation together, so that
// fetching and dispatching it is paid once for up to 256 lanes. Each warp has a register file of its own (frame_bytes apart);
// a slot lies at the same offset in each of them, 32 lanes side by side. Constants, broadcast over 32 lanes, are shared by all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt {

inline constexpr unsigned kLanes = 32;    // of a warp
inline constexpr unsigned kMaxWarps = 8;  // of a group
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

struct Op;
struct Context;
class Group;

/// Runs one operation for every active lane of the group and returns the next one; nullptr hands control back to the
/// group's scheduler, which finds the reason in Context::event.
using Handler = const Op* (*)(const Op*, Context&);

/// Where an operand is: a byte offset in each warp's register file, or, with kConstant set, in the constants.
using Slot = std::uint32_t;
inline constexpr Slot kConstant = 0x80000000u;
inline constexpr Slot kNoSlot = 0x7fffffffu;  // a sink, or an optional operand that was not written

/// Two slots that every register file has. Slot 0 is a predicate of all ones: the guard of what has none. The slot after it is
/// the carry flag (CC.CF) of each lane, a 32-bit mask like a predicate, zero when a frame starts: the operations with .cc write
/// it and addc, subc, madc read it, by themselves. Lowering keeps both free of other use.
inline constexpr Slot kTrueSlot = 0;
inline constexpr Slot kCarrySlot = 4;
inline constexpr Slot kFirstFreeSlot = 64;

struct alignas(64) Op {
  Handler run = nullptr;
  const ptx::Instruction* instruction = nullptr;  // for messages; null for what lowering adds (joins, checks)
  union {
    const Op* target = nullptr;  // branches
    const Slot* slots;           // operations with more than six operands: all of them
    const void* side;            // anything else that an operation needs, owned by the program
  };
  std::uint64_t immediate = 0;   // an address offset, a packed modifier: the operation's own business
  Slot guard = 0;                // a predicate; slot 0 is always all ones
  std::uint32_t guard_flip = 0;  // kAllLanes for @!p
  std::array<Slot, 6> operands{kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};  // destinations first, as in the IR
};
static_assert(sizeof(Op) == 64);

enum class Event : std::uint8_t {
  none,      // the budget is used up; run again
  split,     // the group's scheduler must look again at who runs what
  blocked,   // the fragment waits (barrier, warp synchronisation, mbarrier)
  done,      // the fragment's last lanes have exited
  fault,     // the launch has failed; Launch holds the finding
};

inline constexpr std::uintptr_t kNobodyWaits = UINTPTR_MAX;

struct Context {
  std::byte* registers = nullptr;        // of the first warp of the group, in the current frame
  const std::byte* constants = nullptr;
  std::uint32_t frame_bytes = 0;         // from one warp's register file to the next
  std::uint32_t warps = 0;               // from the group's first one up to the last with an active lane: others are not looked at
  std::int64_t budget = 0;               // backward branches left before others get their turn
  Event event = Event::none;
  const Op* running = nullptr;           // for messages about a fault in it
  const Op* resume = nullptr;            // where the fragment goes on, when a handler returned nullptr
  std::uintptr_t join = kNobodyWaits;    // address of the first operation at which another fragment waits to be joined
  alignas(32) std::array<std::uint32_t, kMaxWarps> active{};  // lanes of the running fragment, per warp
  Group* group = nullptr;                // everything else: block, launch, memory, frames (group.hpp)
};

/// How a handler hands control back to the scheduler: `return leave(op + 1, context, Event::none);`. With Event::none the
/// fragment has used up its turn (it sleeps, or looked in vain for what others do) and goes on at `next` after they had theirs.
[[nodiscard]] inline const Op* leave(const Op* next, Context& context, Event event) {
  context.resume = next;
  context.event = event;
  return nullptr;
}

}  // namespace bascule::simt
