// Whether a module that the parser gave is consistent: every index within its list. For tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::ptx {

/// What is wrong; empty where nothing is.
[[nodiscard]] std::string malformation(const Module& module);

}  // namespace bascule::simt::ptx
