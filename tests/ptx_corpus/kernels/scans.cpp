// Prefix sums and a pass of a radix sort: blocks that wait for blocks before them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

/// Inclusive sums over the lanes of a warp.
FORCE_INLINE u32 scan_warp(u32 value) {
  for (u32 delta = 1; delta < 32; delta *= 2) {
    const u32 other = shuffle_up(value, delta);
    if (lane() >= delta) value += other;
  }
  return value;
}

/// Inclusive sums over a block of whole warps, up to 1024 threads. `total`: of all.
FORCE_INLINE u32 scan_block(u32 value, SHARED u32* of_warp, u32* total) {
  value = scan_warp(value);
  if (lane() == 31) of_warp[thread_x() / 32] = value;
  barrier();
  if (thread_x() < 32) of_warp[thread_x()] = scan_warp(thread_x() < threads_x() / 32 ? of_warp[thread_x()] : 0);
  barrier();
  if (thread_x() >= 32) value += of_warp[thread_x() / 32 - 1];
  *total = of_warp[threads_x() / 32 - 1];
  barrier();
  return value;
}

KERNEL scan_one_block(const u32* in, u32* out, u32 n) {
  static SHARED u32 of_warp[32];
  u32 before = 0;
  for (u32 from = 0; from < n; from += threads_x()) {
    const u32 i = from + thread_x();
    u32 total;
    const u32 sum = scan_block(i < n ? in[i] : 0, of_warp, &total);
    if (i < n) out[i] = before + sum;
    before += total;
  }
}

// Decoupled look-back: each block publishes first its own sum, then that of all blocks up to it. The upper half of a word of
// `status` says which of both the lower half is.
KERNEL scan_look_back(const u32* in, u32* out, u64* status, u32* next_block, u32 n) {
  static SHARED u32 of_warp[32];
  static SHARED u32 tile_of_block, sum_before;
  if (thread_x() == 0) tile_of_block = atomic_add(next_block, 1);
  barrier();
  const u32 tile = tile_of_block, i = tile * threads_x() + thread_x();
  u32 total;
  const u32 sum = scan_block(i < n ? in[i] : 0, of_warp, &total);
  if (thread_x() == 0) {
    constexpr u64 kOwn = 1ull << 32, kAll = 2ull << 32;
    u32 before = 0;
    if (tile != 0) {
      __atomic_store_n(&status[tile], kOwn | total, __ATOMIC_RELEASE);
      for (u32 earlier = tile - 1;; --earlier) {
        u64 seen;
        do {
          seen = __atomic_load_n(&status[earlier], __ATOMIC_ACQUIRE);
        } while (seen >> 32 == 0);
        before += (u32)seen;
        if (seen >> 32 == 2) break;
      }
    }
    __atomic_store_n(&status[tile], kAll | (u32)(before + total), __ATOMIC_RELEASE);
    sum_before = before;
  }
  barrier();
  if (i < n) out[i] = sum_before + sum;
}

// One pass of a radix sort by four bits, of one block: stable. match.sync finds the lanes with the same digit.
KERNEL radix_pass(const u32* in, u32* out, u32 n, u32 shift) {
  static SHARED u32 next[16];     // where the next key with each digit goes
  static SHARED u32 of_warp[32][16];
  const u32 warp = thread_x() / 32, warps = threads_x() / 32;
  if (thread_x() < 16) next[thread_x()] = 0;
  barrier();
  for (u32 i = thread_x(); i < n; i += threads_x()) atomic_add(&next[in[i] >> shift & 15], 1);
  barrier();
  if (thread_x() == 0) {
    u32 sum = 0;
    for (u32 digit = 0; digit < 16; ++digit) {
      const u32 count = next[digit];
      next[digit] = sum;
      sum += count;
    }
  }
  barrier();
  for (u32 from = 0; from < n; from += threads_x()) {
    const u32 i = from + thread_x();
    const u32 key = i < n ? in[i] : 0, digit = i < n ? key >> shift & 15 : 16 + lane();
    const u32 same = __nvvm_match_any_sync_i32(0xffffffffu, (int)digit);
    const u32 rank = (u32)__builtin_popcount(same & ((1u << lane()) - 1));
    if (lane() < 16) of_warp[warp][lane()] = 0;
    warp_barrier();
    if (digit < 16 && rank == 0) of_warp[warp][digit] = (u32)__builtin_popcount(same);
    barrier();
    if (thread_x() < 16) {
      u32 at = next[thread_x()];
      for (u32 w = 0; w < warps; ++w) {
        const u32 count = of_warp[w][thread_x()];
        of_warp[w][thread_x()] = at;
        at += count;
      }
      next[thread_x()] = at;
    }
    barrier();
    if (i < n) out[of_warp[warp][digit] + rank] = key;
    barrier();
  }
}
