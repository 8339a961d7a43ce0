// Operations on addresses themselves (memory_address_cpu.cpp), a part of the family "memory".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/access.hpp"
#include "backends/simt/execute/select.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

[[nodiscard]] Selected select_address(const ptx::Instruction& instruction, const ptx::Function& function);

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
