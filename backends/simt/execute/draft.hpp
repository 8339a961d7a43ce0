// Operations before they have slots: what lowering writes first, and what liveness and slot allocation read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// An operand of a draft: a constant's slot (kConstant set), kNoSlot, or the number of a value that is to get a slot.
using Reference = std::uint32_t;
[[nodiscard]] inline bool is_value(Reference reference) { return (reference & kConstant) == 0 && reference != kNoSlot; }

inline constexpr Reference kNoGuard = kNoSlot;

struct Draft {
  Handler run = nullptr;
  const ptx::Instruction* instruction = nullptr;
  const void* side = nullptr;
  std::uint64_t immediate = 0;
  Reference guard = kNoGuard;
  bool guard_negated = false;
  bool lane_by_lane = false;   // one destination, written lane by lane from the same lanes: it may lie on a source
  bool own = false;            // what its instruction does, not something on the way to it
  bool bare = false;           // references are for liveness; the operation has no operands of its own
  std::uint32_t first = 0;     // in Drafts::references: destinations first
  std::uint16_t count = 0;
  std::uint16_t destinations = 0;
  std::uint32_t target = UINT32_MAX;  // the block that Op::target is the start of
};

/// A function's operations in the order of its text.
struct Drafts {
  std::vector<Draft> list;
  std::vector<Reference> references;
  std::vector<std::uint8_t> widths;      // of each value: 1, 8, 16, 32, 64, 128 bits
  std::vector<std::uint32_t> block_begin;  // by block of the flow graph: its first draft
  std::vector<std::uint32_t> block_end;
};

}  // namespace bascule::simt
