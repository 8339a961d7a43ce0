// Kernel launches, from a program's words to work: checked completely, arguments copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/emulated/cuda/work.hpp"

namespace bascule::emulated {

struct LaunchRequest {
  CUfunction function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {};  // blocks; all 0: what the kernel itself asks for
  unsigned shared_bytes = 0;
  bool cooperative = false;
  void** parameters = nullptr;  // one address per parameter
  void** extra = nullptr;       // or CU_LAUNCH_PARAM_*
};

/// Throws Refusal.
KernelWork make_launch(const LaunchRequest& request);

}  // namespace bascule::emulated
