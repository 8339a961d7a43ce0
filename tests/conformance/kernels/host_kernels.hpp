// The suite's kernels as a table of host functions in this process; the same table is in the ELF image.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::conformance {

const bsc_host_table* host_kernel_table();

}  // namespace bascule::conformance
