/* Sub-groups: the threads that a device runs in step (a warp of 32, a wavefront of 32 or 64, an Intel sub-group). Part of
 * <bascule/device.hpp>. Works for any width; ask lane_count().
 *
 * Every function here is called by all threads of the sub-group together. Where a block's size is no multiple of the
 * width, the missing lanes give 0 to a shuffle, so reductions and scans need whole sub-groups.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_SUB_GROUP_HPP
#define BASCULE_DEVICE_SUB_GROUP_HPP

#include "target.hpp"

namespace bsc {

BSC_INLINE u32 lane_count() {
#if defined(BSC_TARGET_PTX)
  return 32;
#else
  return __gpu_num_lanes();
#endif
}
BSC_INLINE u32 lane_id() { return __gpu_lane_id(); }
/* The number of this thread's sub-group in a block of one dimension. */
BSC_INLINE u32 sub_group_id() { return __gpu_thread_id(0) / lane_count(); }

namespace internal {

BSC_INLINE u64 all_lanes() {
#if defined(BSC_TARGET_PTX)
  return 0xffffffffu;
#else
  return __gpu_lane_mask();
#endif
}

BSC_INLINE u32 shuffle32(u32 value, u32 lane) {
#if defined(BSC_TARGET_PTX)
  return static_cast<u32>(__nvvm_shfl_sync_idx_i32(0xffffffffu, static_cast<int>(value), static_cast<int>(lane), 0x1f));
#else
  return __gpu_shuffle_idx_u32(__gpu_lane_mask(), lane, value, lane_count());
#endif
}
BSC_INLINE u32 shuffle_xor32(u32 value, u32 mask) {
#if defined(BSC_TARGET_PTX)
  return static_cast<u32>(__nvvm_shfl_sync_bfly_i32(0xffffffffu, static_cast<int>(value), static_cast<int>(mask), 0x1f));
#else
  return shuffle32(value, lane_id() ^ mask);
#endif
}

// A value as 32-bit parts: through a shuffle and back.
template <class T, class Shuffle>
BSC_INLINE T shuffle_parts(T value, Shuffle shuffle) {
  if constexpr (sizeof(T) == 8) {
    const u64 whole = bits<u64>(value);
    const u64 low = shuffle(static_cast<u32>(whole));
    const u64 high = shuffle(static_cast<u32>(whole >> 32));
    return bits<T>(high << 32 | low);
  } else if constexpr (sizeof(T) == 4) {
    return bits<T>(shuffle(bits<u32>(value)));
  } else if constexpr (sizeof(T) == 2) {
    return bits<T>(static_cast<u16>(shuffle(bits<u16>(value))));
  } else {
    static_assert(sizeof(T) == 1, "shuffles take numbers of 1, 2, 4 and 8 bytes");
    return bits<T>(static_cast<u8>(shuffle(bits<u8>(value))));
  }
}

}  // namespace internal

/* Bit i: lane i's value is true. */
BSC_INLINE u64 ballot(bool value) { return __gpu_ballot(internal::all_lanes(), value); }
BSC_INLINE bool any(bool value) { return ballot(value) != 0; }
BSC_INLINE bool all(bool value) { return ballot(!value) == 0; }
/* The lanes of the sub-group wait for each other. */
BSC_INLINE void sub_group_barrier() { __gpu_sync_lane(internal::all_lanes()); }

/* The value of lane `lane`, which each thread chooses for itself. */
template <class T>
BSC_INLINE T shuffle(T value, u32 lane) {
  return internal::shuffle_parts(value, [lane](u32 part) __attribute__((always_inline, nodebug)) {
    return internal::shuffle32(part, lane);
  });
}
template <class T>
BSC_INLINE T shuffle_xor(T value, u32 mask) {
  return internal::shuffle_parts(value, [mask](u32 part) __attribute__((always_inline, nodebug)) {
    return internal::shuffle_xor32(part, mask);
  });
}
/* Of the lane `distance` below or above; where there is none, the thread's own. */
template <class T>
BSC_INLINE T shuffle_up(T value, u32 distance) {
  const u32 lane = lane_id();
  return shuffle(value, lane >= distance ? lane - distance : lane);
}
template <class T>
BSC_INLINE T shuffle_down(T value, u32 distance) {
  const u32 lane = lane_id();
  return shuffle(value, lane + distance < lane_count() ? lane + distance : lane);
}
template <class T>
BSC_INLINE T broadcast(T value, u32 lane) {
  return shuffle(value, lane);
}

/* combine(a, b) over all lanes, in every lane; the order is a tree of the width, so the result has the same bits in all. */
template <class T, class Combine>
BSC_INLINE T reduce(T value, Combine combine) {
  for (u32 distance = lane_count() / 2; distance > 0; distance /= 2) value = combine(value, shuffle_xor(value, distance));
  return value;
}
template <class T>
BSC_INLINE T reduce_add(T value) {
  return reduce(value, [](T a, T b) __attribute__((always_inline, nodebug)) { return static_cast<T>(a + b); });
}
template <class T>
BSC_INLINE T reduce_max(T value) {
  return reduce(value, [](T a, T b) __attribute__((always_inline, nodebug)) { return b > a ? b : a; });
}
template <class T>
BSC_INLINE T reduce_min(T value) {
  return reduce(value, [](T a, T b) __attribute__((always_inline, nodebug)) { return b < a ? b : a; });
}

/* combine over the lanes up to and with this one. */
template <class T, class Combine>
BSC_INLINE T inclusive_scan(T value, Combine combine) {
  const u32 lane = lane_id();
  for (u32 distance = 1; distance < lane_count(); distance *= 2) {
    const T below = shuffle_up(value, distance);
    if (lane >= distance) value = combine(below, value);
  }
  return value;
}
template <class T>
BSC_INLINE T inclusive_scan_add(T value) {
  return inclusive_scan(value, [](T a, T b) __attribute__((always_inline, nodebug)) { return static_cast<T>(a + b); });
}
/* The sum of the lanes below this one. */
template <class T>
BSC_INLINE T exclusive_scan_add(T value) {
  const T sum = shuffle_up(inclusive_scan_add(value), 1);
  return lane_id() == 0 ? T{} : sum;
}

}  // namespace bsc
#endif
