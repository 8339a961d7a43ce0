// Handlers that lowering puts in by itself: moves between registers of different widths, and sums with a constant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

struct MoveHandlers {
  /// d, a: `from` and `to` are the bytes of the registers (1, 2, 4, 8). Narrower: cut; wider: extended. Null for other sizes.
  Handler (*convert)(unsigned from, unsigned to, bool sign);
  Handler predicate;  // d, a
  Handler add32;      // d, a: d = a + immediate
  Handler add64;
};

#define BSC_SIMT_MOVE_HANDLERS(level) \
  namespace level { MoveHandlers move_handlers(); }
BSC_SIMT_MOVE_HANDLERS(x86_64_v2)
BSC_SIMT_MOVE_HANDLERS(x86_64_v3)
BSC_SIMT_MOVE_HANDLERS(x86_64_v4)
#undef BSC_SIMT_MOVE_HANDLERS

}  // namespace bascule::simt
