// The export of the ELF image that holds the suite's host kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels/host_kernels.hpp"

extern "C" __attribute__((visibility("default"))) const bsc_host_table* bascule_host_table(void) {
  return bascule::conformance::host_kernel_table();
}
