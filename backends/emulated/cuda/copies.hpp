// Copies and fills, from a program's words to work: checked completely, addresses resolved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/emulated/cuda/work.hpp"

namespace bascule::emulated {

/// Which side an address must be on.
enum class Side { kDevice, kHost, kAny };

/// `bytes` in a row. Throws Refusal (INVALID_VALUE).
CopyWork make_copy(const void* source, Side source_side, void* destination, Side destination_side, std::size_t bytes);
/// Boxes. Arrays are refused.
CopyWork make_copy(const CUDA_MEMCPY3D& asked);
FillWork make_fill(const CUDA_MEMSET_NODE_PARAMS& asked);

}  // namespace bascule::emulated
