// The suite's kernels in PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace bascule::conformance {

// A buffer is three parameters: base, byte offset, length in elements. For sm_70 and newer.
std::string ptx_kernels();

}  // namespace bascule::conformance
