// Arguments of the reductions over n elements of f32, in contract order, and of the launches their plans make.
//
//   reduce_sum  result = sum of x, 0 for n = 0
//   reduce_max  result = largest x, -inf for n = 0; NaN if any x is NaN; of two zeros either
//   arg_max     index (u64) of the largest x, the lowest one of equals (-0 equals +0); of the first NaN if there is
//   one;
//               kNoIndex for n = 0
//
// Two launches each: NAME_partial, grid ceildiv(n, kReduceBlock), grain 1, into a workspace (8 bytes per block for sum,
// 4 for the others; arg_max starts with reduce_max_partial), then NAME_combine, grid 1. arg_max finds the block first
// and the index within it afterwards, so nothing but one block is read twice. The results do not depend on how a launch
// is split (determinism = threads). SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

inline constexpr uint64_t kReduceBlock = 32768;     // elements
inline constexpr uint64_t kNoIndex = ~uint64_t{0};  // arg_max of nothing

struct reduce_partial_arguments {
  uint64_t n;
  bsc_host_span x;
  bsc_host_span partials;  // one per block: f64 for the sum, f32 for the maximum
};

struct reduce_combine_arguments {  // reduce_sum_combine, reduce_max_combine
  uint64_t n;
  bsc_host_span partials;
  bsc_host_span result;  // one f32
};

struct arg_max_combine_arguments {
  uint64_t n;
  bsc_host_span x;
  bsc_host_span partials;  // of reduce_max_partial
  bsc_host_span index;     // one u64
};

}  // namespace bascule::kernels
