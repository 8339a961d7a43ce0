// Finding the code of an instruction. Each family of operations offers one select function per x86-64 level; it knows the
// instruction's modifiers and answers with a handler and what that handler wants in Op, or with none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

/// How lowering fills Op::operands from the instruction's operands.
enum class Layout : std::uint8_t {
  plain,   // one slot per operand, in order; vectors are spread out, optional operands that are absent are kNoSlot. Immediates
           // become constants of the width in which the operand is read. More than six: Op::slots
  memory,  // as plain, but an address operand becomes the slot of its base (32 lanes of u64 where the base is a 64-bit register,
           // a symbol or a bare immediate, else u32) and its constant offset goes to Op::immediate. Symbols by space: global,
           // constant, and the kernel's parameters: the host's address (a constant slot). Shared: offset in the block's window
           // (constant). Local: offset in the thread's local memory, Group::local_frame included. .param variables of functions
           // and of calls: the host's address, different for each lane (a register slot); they lie in local memory
           // Where there are two addresses (cp.async), only the first one's offset goes to Op::immediate: lowering adds the other
};

struct Selected {
  Handler run = nullptr;        // nullptr: this family does not have the instruction
  std::uint64_t immediate = 0;  // for Op::immediate (plain layout only)
  Layout layout = Layout::plain;
};

/// A family's function for one level. `function` gives the instruction's operands (their register types matter where a
/// register is wider than the instruction's type: the slot then is read and written in the register's width).
using Select = Selected (*)(const ptx::Instruction& instruction, const ptx::Function& function);

}  // namespace bascule::simt
