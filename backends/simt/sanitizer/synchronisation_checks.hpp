// Handlers beside operations by which threads synchronise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// shfl.sync and its kin, bar.warp.sync: operations with a member mask.
[[nodiscard]] bool is_warp_synchronisation(const ptx::Instruction& instruction);
const Op* check_members(const Op* op, Context& context);
const Op* after_warp_barrier(const Op* op, Context& context);

[[nodiscard]] bool is_barrier(const ptx::Instruction& instruction);
const Op* check_barrier(const Op* op, Context& context);

const Op* check_fence(const Op* op, Context& context);

[[nodiscard]] bool is_mbarrier(const ptx::Instruction& instruction);
const Op* check_mbarrier(const Op* op, Context& context);
const Op* after_mbarrier(const Op* op, Context& context);

}  // namespace bascule::simt
