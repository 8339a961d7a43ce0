// The select functions of every family and level; see families.inc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/execute/select.hpp"

#define BSC_SIMT_FAMILY(name) Selected select_##name(const ptx::Instruction& instruction, const ptx::Function& function);
namespace bascule::simt::x86_64_v2 {
#include "backends/simt/operations/families.inc"
}
namespace bascule::simt::x86_64_v3 {
#include "backends/simt/operations/families.inc"
}
namespace bascule::simt::x86_64_v4 {
#include "backends/simt/operations/families.inc"
}
#undef BSC_SIMT_FAMILY
