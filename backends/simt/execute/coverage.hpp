// Which instructions tests have executed. With the environment variable BASCULE_SIMT_COVERAGE naming a folder, lowering puts an
// operation before each instruction that marks the instruction's form as executed, and every module, when it is unloaded,
// appends what is new to a file of its process in that folder:
//
//   FORM <tab> WORD <tab> WORD ...      the line of the table of forms, then for each group of it the word, - where there is none
//
// tests/ptx_coverage makes the table in docs/ of it. Without the variable nothing is added anywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/op.hpp"

namespace bascule::simt {

struct CoverageCell;

/// Where the execution of such an instruction is marked; null where coverage is not asked for. Thread-safe.
[[nodiscard]] CoverageCell* coverage_cell(const ptx::Instruction& instruction, const ptx::Function& function);

/// Marks the cell in Op::side, if any lane gets here.
const Op* run_covered(const Op* op, Context& context);

/// Appends what was marked since the last call.
void write_coverage();

}  // namespace bascule::simt
