// What lowering puts between a function's operations when a module is loaded with `sanitize`, and what the engine itself tells
// the sanitizer. The handlers of ordinary operations know nothing of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/execute/select.hpp"

namespace bascule::simt {

struct Instrumentation {
  /// An operation to put right before the instruction's own: a copy of its Op (operands, slots, guard, immediate, instruction)
  /// with this handler. Asked after the instruction's family has answered; null where nothing is to be checked. For a call of
  /// a device function (vprintf, ...) and for barriers too. `copies`: of what it reads from memory, some is only stored again,
  /// handed on or dropped, never looked at.
  Handler (*before)(const ptx::Instruction& instruction, const ptx::Function& function, bool copies);
  /// The same, right after: for barriers once they let the lanes through. It looks at the guard only where the instruction
  /// doesn't write it.
  Handler (*after)(const ptx::Instruction& instruction, const ptx::Function& function);

  /// The first operation of each function: immediate = bytes of its .local variables, in local memory from Group::local_frame.
  Handler function_entered;

  /// For registers that may be read before they are written (live at the function's start). Each gets a predicate slot of its
  /// own, cleared at the function's start: operands[0]. `register_written` stands after each instruction that writes the
  /// register, with that instruction's guard, before the next instruction; `register_read` before each that reads it, with
  /// immediate = the register's index and `instruction` = the reader. Not put where the reader is a mov or a selp.
  Handler register_written;
  Handler register_read;
};

/// The sanitizer's hooks; the same object always.
[[nodiscard]] const Instrumentation& instrumentation();

/// What the engine tells the sanitizer about a block, or about the barrier of a cluster. Lies in
/// Block::extensions[shared_shadow] or Cluster::extension, which may be empty.
class BlockObserver : public Extension {
 public:
  /// A barrier of the block, or the cluster's (kClusterBarrier), has let its threads through (before they run again).
  virtual void barrier_completed(std::uint32_t barrier) = 0;
};

}  // namespace bascule::simt
