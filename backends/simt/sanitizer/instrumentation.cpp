// Which check stands beside which instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/instrument.hpp"

#include <fmt/format.h>

#include "backends/simt/execute/scheduler.hpp"
#include "backends/simt/execute/services.hpp"
#include "backends/simt/sanitizer/access_check.hpp"
#include "backends/simt/sanitizer/block_sanitizer.hpp"
#include "backends/simt/sanitizer/cluster_sanitizer.hpp"
#include "backends/simt/sanitizer/lanes_of_op.hpp"
#include "backends/simt/sanitizer/synchronisation_checks.hpp"

namespace bascule::simt {
namespace {

using ptx::Operation;

Handler before(const ptx::Instruction& instruction, const ptx::Function&, bool copies) {
  if (is_checked_access(instruction)) {
    return copies && instruction.operation == Operation::ld ? check_copying_access : check_access;
  }
  if (is_barrier(instruction)) return check_barrier;
  if (is_warp_synchronisation(instruction)) return check_members;
  if (is_mbarrier(instruction)) return check_mbarrier;
  if (instruction.operation == Operation::barrier_cluster_arrive) return check_cluster_arrive;
  if (instruction.operation == Operation::fence || instruction.operation == Operation::membar) return check_fence;
  return nullptr;
}

const Op* after_whole_shared_write(const Op* op, Context& context) {
  // Bulk writes: which bytes they wrote is not followed, so none of them counts as unwritten any more.
  BlockSanitizer& sanitizer = sanitizer_of(context);
  sanitizer.unwritten_shared.erase(0, sanitizer.block.shared_bytes);
  return op + 1;
}

Handler after(const ptx::Instruction& instruction, const ptx::Function&) {
  switch (instruction.operation) {
    case Operation::ld:
    case Operation::atom: return is_strong(instruction) ? after_strong_access : nullptr;
    case Operation::bar_warp_sync: return after_warp_barrier;
    case Operation::barrier_cluster_wait: return after_cluster_wait;
    case Operation::st_bulk: return after_whole_shared_write;
    default: return is_mbarrier(instruction) ? after_mbarrier : nullptr;
  }
}

const Op* function_entered(const Op* op, Context& context) {
  if (op->immediate == 0) return op + 1;
  BlockSanitizer& sanitizer = sanitizer_of(context);
  const Group& group = *context.group;
  each_running_lane(op, context, [&](unsigned warp, unsigned lane) {
    sanitizer.unwritten_local(group, sanitizer.thread_of(context, warp, lane)).insert(group.local_frame, op->immediate);
    return true;
  });
  return op + 1;
}

std::uint32_t& predicate(const Context& context, Slot slot, unsigned warp) {
  return *reinterpret_cast<std::uint32_t*>(context.registers + slot + std::size_t{warp} * context.frame_bytes);
}

const Op* register_written(const Op* op, Context& context) {
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    predicate(context, op->operands[0], warp) |= running_lanes(op, context, warp);
  }
  return op + 1;
}

const Op* register_read(const Op* op, Context& context) {
  for (unsigned warp = 0; warp < context.warps; ++warp) {
    std::uint32_t& written = predicate(context, op->operands[0], warp);
    const std::uint32_t missing = running_lanes(op, context, warp) & ~written;
    if (missing == 0) continue;
    written |= missing;  // once is enough
    const auto lane = static_cast<unsigned>(__builtin_ctz(missing));
    const std::string& name = running_function(context).registers[op->immediate].name;
    if (!sanitizer_of(context).launch.report(op, context, warp, lane, "uninitialised",
                                             fmt::format("the register {} is read, and nothing has written it", name))) {
      return nullptr;
    }
  }
  return op + 1;
}

}  // namespace

const ptx::Function& running_function(const Context& context) {
  return *static_cast<WarpGroup&>(*context.group).frame().code->function;
}

const Instrumentation& instrumentation() {
  static constexpr Instrumentation kHooks{before, after, function_entered, register_written, register_read};
  return kHooks;
}

}  // namespace bascule::simt
