// Reads the cache sizes from CPUID: leaf 4 (Intel) or leaf 0x8000001D (AMD), which share one layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache_size.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace bascule::kernels {
namespace {

constexpr std::uint64_t kAssumedBytes = 8u << 20;

#if defined(__x86_64__)
std::uint64_t largest_cache(unsigned leaf) noexcept {
  std::uint64_t largest = 0;
  for (unsigned index = 0; index < 16; ++index) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, index, &a, &b, &c, &d) == 0) return largest;
    const unsigned type = a & 0x1f;  // 0: no more caches, 1: data, 2: instructions, 3: both
    if (type == 0) return largest;
    if (type == 2) continue;
    const std::uint64_t ways = (b >> 22) + 1, partitions = ((b >> 12) & 0x3ff) + 1, line = (b & 0xfff) + 1;
    const std::uint64_t bytes = ways * partitions * line * (std::uint64_t{c} + 1);
    if (bytes > largest) largest = bytes;
  }
  return largest;
}
#endif

std::uint64_t detect() noexcept {
#if defined(__x86_64__)
  const std::uint64_t intel = largest_cache(4), amd = largest_cache(0x8000001d);
  const std::uint64_t found = intel > amd ? intel : amd;
  if (found != 0) return found;
#endif
  return kAssumedBytes;
}

}  // namespace

std::uint64_t last_level_cache_bytes() noexcept {
  static const std::uint64_t bytes = detect();
  return bytes;
}

}  // namespace bascule::kernels
