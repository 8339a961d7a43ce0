// Philox4x32-10 in the dialect, for every target: a thread makes the four words of a counter. Contract: philox.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

BASCULE_KERNEL void philox4x32_10(bsc::u64 n, bsc::u64 key, bsc::u64 counter_low, bsc::u64 counter_high,
                                  bsc::out<bsc::u32> output) {
  using bsc::u32;
  using bsc::u64;
  for (auto block : bsc::grid_stride((n + 3) / 4)) {
    const u64 low = counter_low + block;
    const u64 high = counter_high + (low < counter_low ? 1 : 0);
    u32 c0 = static_cast<u32>(low), c1 = static_cast<u32>(low >> 32), c2 = static_cast<u32>(high), c3 = static_cast<u32>(high >> 32);
    u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const u64 p0 = u64{0xd2511f53u} * c0, p1 = u64{0xcd9e8d57u} * c2;
      c0 = static_cast<u32>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<u32>(p1);
      c2 = static_cast<u32>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<u32>(p0);
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    const u64 first = block * 4;
    output[first] = c0;
    if (first + 1 < n) output[first + 1] = c1;
    if (first + 2 < n) output[first + 2] = c2;
    if (first + 3 < n) output[first + 3] = c3;
  }
}
