// Size of the last-level cache, which decides when a kernel writes past it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace bascule::kernels {

// Bytes of the last-level cache that one core can use, from CPUID; 8 MiB where the processor does not say. Reads CPUID
// once; any thread.
std::uint64_t last_level_cache_bytes() noexcept;

}  // namespace bascule::kernels
