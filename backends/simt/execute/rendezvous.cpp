// Waiting for the other members of a `.sync` operation: the fragment gives up its turn and looks again, by when the scheduler
// may have joined it with others that have reached the same place. What this leaves out: lanes that meet from different
// places, and telling a wait without end from a long one; both need the scheduler's list of who waits where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/execute/rendezvous.hpp"

namespace bascule::simt {

const Op* await_members(const Op* op, Context& context, const Meeting&) { return leave(op, context, Event::none); }

}  // namespace bascule::simt
