// Arguments of the stream contracts (the BabelStream kernels), in contract order, and of the launches their plans make.
//
//   copy   c = a                      launch: grid n, grain kStreamGrain
//   scale  b = s * c
//   add    c = a + b
//   triad  a = b + s * c              one multiplication and one addition, each rounded (no fused multiply-add)
//   dot    result = sum of a * b      two launches: stream_dot_partial, grid ceildiv(n, kStreamDotBlock), grain 1, into
//   a
//                                     workspace of 8 bytes per block; then stream_dot_combine, grid 1
//
// n elements of f32; buffers start at any multiple of 4 bytes. Outputs may be an input exactly, but not overlap it
// partly. The results do not depend on how a launch is split (determinism = threads). SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>

namespace bascule::kernels {

// Elements that one call should get at least: long runs let the memory system prefetch.
inline constexpr uint64_t kStreamGrain = 65536;

// Elements whose products are summed in f32 lanes before the sum joins the others in f64.
inline constexpr uint64_t kStreamDotBlock = 32768;

struct stream_copy_arguments {
  uint64_t n;
  bsc_host_span a, c;
};

struct stream_scale_arguments {
  uint64_t n;
  float scalar;
  bsc_host_span c, b;
};

struct stream_add_arguments {
  uint64_t n;
  bsc_host_span a, b, c;
};

struct stream_triad_arguments {
  uint64_t n;
  float scalar;
  bsc_host_span b, c, a;
};

struct stream_dot_partial_arguments {
  uint64_t n;
  bsc_host_span a, b;
  bsc_host_span partials;  // f64, one per block
};

struct stream_dot_combine_arguments {
  uint64_t n;
  bsc_host_span partials;
  bsc_host_span result;  // one f32
};

}  // namespace bascule::kernels
