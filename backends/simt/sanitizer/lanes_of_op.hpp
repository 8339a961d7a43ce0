// How checks look at the operands of the op that they stand beside. Groups have one warp under the sanitizer, but nothing here
// depends on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

[[nodiscard]] inline const std::byte* lanes_at(const Context& context, Slot slot, unsigned warp) {
  if ((slot & kConstant) != 0) return context.constants + (slot & ~kConstant);
  return context.registers + slot + std::size_t{warp} * context.frame_bytes;
}
template <class T>
[[nodiscard]] T lane_of(const Context& context, Slot slot, unsigned warp, unsigned lane) {
  return reinterpret_cast<const T*>(lanes_at(context, slot, warp))[lane];
}
/// The lanes of a warp that run the op.
[[nodiscard]] inline std::uint32_t running_lanes(const Op* op, const Context& context, unsigned warp) {
  return context.active[warp] & (*reinterpret_cast<const std::uint32_t*>(lanes_at(context, op->guard, warp)) ^ op->guard_flip);
}
/// f(warp, lane) -> false to stop. Whether all said true.
template <class F>
bool each_running_lane(const Op* op, const Context& context, F f) {
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    for (std::uint32_t left = running_lanes(op, context, warp); left != 0; left &= left - 1) {
      if (!f(warp, static_cast<unsigned>(__builtin_ctz(left)))) return false;
    }
  }
  return true;
}
[[nodiscard]] inline Slot slot_of(const Op* op, unsigned index, unsigned count) {
  return count > op->operands.size() ? op->slots[index] : op->operands[index];
}
/// The function that runs.
[[nodiscard]] const ptx::Function& running_function(const Context& context);

}  // namespace bascule::simt
