// What a PTX text says of itself: version, target, and its kernels with their parameters. Not a check of the text: the
// driver's compiler does that.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/common/gpu/vendor.hpp"

namespace bascule::gpu {

struct PtxText {
  int version = 0;          // major * 10 + minor; 0 where there is none
  std::string target;       // "sm_90a"
  int target_number = 0;    // 90
  bool one_target = false;  // sm_90a runs on sm_90 devices alone
  std::vector<FunctionShape> kernels;
};

PtxText read_ptx(std::string_view text);

}  // namespace bascule::gpu
