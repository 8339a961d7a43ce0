// Names of special registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "backends/simt/ptx/ir.hpp"
#include "backends/simt/ptx/requirement.hpp"

namespace bascule::simt::ptx {

struct SpecialInfo {
  SpecialRegister special = SpecialRegister::none;
  Type type = Type::none;
  bool components = false;  // has .x .y .z .w
  std::uint32_t index = 0;  // %envreg7, %pm3, %reserved_smem_offset_1
  Requirement requirement;
};

/// `name` with its %. special is none where there is no such register.
[[nodiscard]] SpecialInfo find_special(std::string_view name);

}  // namespace bascule::simt::ptx
