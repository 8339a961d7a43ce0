// Where in a warp's register file each value lies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/execute/draft.hpp"
#include "backends/simt/execute/flow.hpp"
#include "backends/simt/execute/liveness.hpp"

namespace bascule::simt {

struct SlotLayout {
  std::vector<Slot> slots;           // by value; kNoSlot where a value is never used
  std::uint32_t frame_bytes = 0;
  std::uint32_t cleared_bytes = 0;   // what may be read before it is written lies before this
  std::uint32_t live_registers = 0;  // 32-bit ones that are live at most
};

/// Linear scan over the laid-out operations. A destination lies exactly on a source of the same width that ends there, or
/// apart from all sources. `at_start`: values that are given to the function (its register parameters).
/// What else is live at the start may be read before it is written: it shares its slot with nothing, and is cleared.
[[nodiscard]] SlotLayout assign_slots(const Drafts& drafts, const FlowGraph& graph, const Liveness& live,
                                      const std::vector<std::uint32_t>& at_start);

}  // namespace bascule::simt
