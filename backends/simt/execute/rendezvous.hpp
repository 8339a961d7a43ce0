// Where lanes of a warp meet: `.sync` operations run when all lanes of their member mask that have not exited are there, be
// it that they come in several fragments or even from different places of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

#include "backends/simt/execute/group.hpp"

namespace bascule::simt {

/// What a `.sync` operation's lanes must say when they meet.
struct Meeting {
  Slot members = kNoSlot;        // u32 per lane: who takes part; kNoSlot: every lane of the warp (`.aligned` operations)
  Slot value = kNoSlot;          // what each lane brings for the others to read; kNoSlot: nothing
  std::uint8_t value_bytes = 0;  // 4 or 8; 0: a predicate
};

/// What lanes from different places brought along, while one of these places runs. See Group::exchange.
struct Exchange {
  std::uint32_t members = 0;                            // who has met: the member mask without exited lanes
  alignas(64) std::array<std::uint64_t, kLanes> values{};  // of each of them, zero-extended; predicates as 0 and 1
};

/// A handler calls this, before it has changed anything, when in some warp lanes that `op` must wait for are not among the
/// active ones, and returns what this returns (nullptr). It parks each lane that the operation's guard lets through, under
/// (warp, operation with its modifiers and types, member mask), and sends the others on. When all members that have not
/// exited are there (an exit can be what was missing),
///   - lanes that stand at the same operation in the same frame become one fragment again, which runs `op` anew;
///   - where a meeting's lanes stand at different places, each place's handler is run, one after the other, with
///     Group::exchange set and Context::active holding that place's lanes of this one warp alone; all go on behind it.
/// Lanes that wait for each other in a circle are a deadlock, which the scheduler reports.
const Op* await_members(const Op* op, Context& context, const Meeting& meeting);

}  // namespace bascule::simt
