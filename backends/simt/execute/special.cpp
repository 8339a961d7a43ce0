// Special registers whose value is known only while a block runs. The others are constants of the launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>
#include <cstring>

#include "backends/simt/execute/block.hpp"
#include "backends/simt/execute/control.hpp"
#include "backends/simt/execute/launch.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace bascule::simt {
namespace {

using ptx::SpecialRegister;

std::uint64_t clock_now() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

std::uint64_t time_now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::uint64_t value_of(std::uint64_t what, const WarpGroup& group, unsigned warp) {
  const unsigned component = what >> 8 & 3;
  switch (static_cast<SpecialRegister>(what & 0xff)) {
    case SpecialRegister::ctaid: return component < 3 ? group.block->index[component] : 0;
    case SpecialRegister::clusterid:
      return component < 3 ? group.block->index[component] / group.block->launch->shape.cluster[component] : 0;
    case SpecialRegister::warpid: return group.first_warp + warp;
    case SpecialRegister::smid: return group.run_of_block().worker;
    case SpecialRegister::clock: return clock_now() & 0xffffffffu;
    case SpecialRegister::clock_hi: return clock_now() >> 32;
    case SpecialRegister::clock64: return clock_now();
    case SpecialRegister::globaltimer: return time_now();
    case SpecialRegister::globaltimer_lo: return time_now() & 0xffffffffu;
    case SpecialRegister::globaltimer_hi: return time_now() >> 32;
    default: return 0;
  }
}

template <class T>
const Op* special(const Op* op, Context& context) {
  const LaneMasks lanes = lanes_of(*op, context);
  std::byte* destination = context.registers + op->operands[0];
  for (unsigned w = 0; w < context.warps; ++w, destination += context.frame_bytes) {
    const auto value = static_cast<T>(value_of(op->immediate, group_of(context), w));
    auto* const at = reinterpret_cast<T*>(destination);
    if (lanes[w] == kAllLanes) {
      std::fill_n(at, kLanes, value);
      continue;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) at[lane] = (lanes[w] >> lane & 1u) != 0 ? value : at[lane];
  }
  return op + 1;
}

}  // namespace

const Op* run_special32(const Op* op, Context& context) { return special<std::uint32_t>(op, context); }
const Op* run_special64(const Op* op, Context& context) { return special<std::uint64_t>(op, context); }

const Op* run_thread_index(const Op* op, Context& context) {
  const unsigned component = op->immediate >> 8 & 3;
  const LaneMasks lanes = lanes_of(*op, context);
  const auto& indices = context.group->block->launch->thread_indices;
  std::byte* destination = context.registers + op->operands[0];
  for (unsigned w = 0; w < context.warps; ++w, destination += context.frame_bytes) {
    const auto& values = indices[std::size_t{context.group->first_warp + w} * 3 + component];
    if (lanes[w] == kAllLanes) {
      std::memcpy(destination, values.data(), sizeof values);
      continue;
    }
    auto* const at = reinterpret_cast<std::uint32_t*>(destination);
    for (unsigned lane = 0; lane < kLanes; ++lane) at[lane] = (lanes[w] >> lane & 1u) != 0 ? values[lane] : at[lane];
  }
  return op + 1;
}

}  // namespace bascule::simt
