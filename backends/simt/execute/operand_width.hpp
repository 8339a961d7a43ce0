// In how many bits an instruction reads one of its operands: what an immediate there is made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt {

/// 1 (a predicate), 8, 16, 32, 64 or 128. `position` counts operands as in the typed form, destinations included.
[[nodiscard]] unsigned operand_width(const ptx::Instruction& instruction, std::size_t position);

/// Of a register of this type.
[[nodiscard]] unsigned register_width(ptx::Type type);

}  // namespace bascule::simt
