// Handlers that decide who runs next: branches, calls, exits, barriers. Scalar code over lane masks, the same at every level.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// What a jump backwards costs of a turn where the loop looks at memory that others write (atomics, volatile, acquire). Not a
/// divisor of the budget: a turn that ends below 0 was spent waiting.
inline constexpr std::uint64_t kSpinCost = 33;

// Branches (branches.cpp). target; immediate: what a jump backwards costs of the budget.
const Op* run_jump(const Op* op, Context& context);
const Op* run_branch(const Op* op, Context& context);        // guarded
const Op* run_branch_table(const Op* op, Context& context);  // operands[0]: u32 index; side: std::vector<const Op*>; immediate as above
const Op* run_join(const Op* op, Context& context);          // where control falls into a block that others may wait at
const Op* run_exit(const Op* op, Context& context);
const Op* run_trap(const Op* op, Context& context);
const Op* run_breakpoint(const Op* op, Context& context);
const Op* run_give_turn(const Op* op, Context& context);  // nanosleep

// Calls (calls.cpp). side: CallSite
const Op* run_call(const Op* op, Context& context);
const Op* run_indirect_call(const Op* op, Context& context);
const Op* run_return(const Op* op, Context& context);
/// First in a function that asks for them: operands[0]: u64, where its .param variables are for the host; operands[1]: u64,
/// where its .local variables are in local memory; operands[2]: u32, the top of its stack.
const Op* run_frame_addresses(const Op* op, Context& context);
/// d, top, bytes, top; immediate: alignment | bytes of d and of `bytes` << 32
const Op* run_alloca(const Op* op, Context& context);
const Op* run_stack_save(const Op* op, Context& context);     // d, top; immediate: bytes of d
const Op* run_stack_restore(const Op* op, Context& context);  // top, a; immediate: bytes of a

// Barriers (barriers.cpp). immediate: BarrierOp
const Op* run_barrier(const Op* op, Context& context);  // sync, arrive: id, count. red.popc: d, id, count, p. red.and/or: likewise

// barrier.cluster (cluster_barrier.cpp). immediate: 1 where aligned
const Op* run_cluster_arrive(const Op* op, Context& context);
const Op* run_cluster_wait(const Op* op, Context& context);

// bar.warp.sync (rendezvous.cpp). operands[0]: member mask
const Op* run_warp_barrier(const Op* op, Context& context);

// Special registers (special.cpp). operands[0]; immediate: SpecialRegister | component << 8
const Op* run_special32(const Op* op, Context& context);
const Op* run_special64(const Op* op, Context& context);
const Op* run_thread_index(const Op* op, Context& context);  // %tid: the same, 32 bits

// Statistics: immediate: instructions that follow
const Op* run_count(const Op* op, Context& context);

}  // namespace bascule::simt
