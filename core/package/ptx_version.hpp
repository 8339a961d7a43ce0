// The version that a PTX text states, so that a variant which is too new for a driver can be passed over, with the reason.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

namespace bascule::core {

/// major * 10 + minor of the directive `.version`, which a PTX text begins with (PTX ISA, "PTX Module Directives"); 0 where there is
/// none: whoever loads the text then says what is wrong with it.
int stated_ptx_version(std::span<const std::byte> image);

}  // namespace bascule::core
