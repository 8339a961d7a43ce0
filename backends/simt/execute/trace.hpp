// Logging each operation with its values (option trace): an operation of its own that lowering puts behind the traced one, or
// before it where control leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// What an operation reads and writes in registers.
struct TraceSite {
  struct Value {
    Slot slot = 0;
    std::uint8_t bytes = 0;  // 0: a predicate
    bool written = false;
  };
  std::vector<Value> values;
};

/// side: TraceSite. One line per warp: place, block, warp, lanes, and each register's value in the lanes that run the
/// operation, once where it is the same in all of them.
const Op* run_trace(const Op* op, Context& context);

}  // namespace bascule::simt
