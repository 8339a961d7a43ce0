/* Operations of a whole block. Part of <bascule/device.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_BLOCK_HPP
#define BASCULE_DEVICE_BLOCK_HPP

#include "grid.hpp"
#include "shared.hpp"
#include "sub_group.hpp"

namespace bsc {

/* combine(a, b) over all threads of a block of one dimension, the same bits in every thread. The block's size is a multiple
 * of the sub-group's width, or at most that width and a power of two. `neutral` is what does not change a result. All
 * threads of the block call it, at the same places. */
template <class T, class Combine>
BSC_INLINE T block_reduce(T value, T neutral, Combine combine) {
  BASCULE_SHARED T partial[64];
  BASCULE_SHARED T total;
  const u32 width = lane_count();
  const u32 thread = thread_id();
  const u32 size = block_size();
  for (u32 distance = (size < width ? size : width) / 2; distance > 0; distance /= 2) {
    value = combine(value, shuffle_xor(value, distance));
  }
  if (thread % width == 0) partial[thread / width] = value;
  block_barrier();
  if (thread < width) {
    const u32 parts = (size + width - 1) / width;
    T mine = neutral;
    for (u32 part = thread; part < parts; part += size < width ? size : width) mine = combine(mine, static_cast<T>(partial[part]));
    for (u32 distance = (size < width ? size : width) / 2; distance > 0; distance /= 2) {
      mine = combine(mine, shuffle_xor(mine, distance));
    }
    if (thread == 0) total = mine;
  }
  block_barrier();
  const T result = total;
  block_barrier();  // before the next call writes the same memory
  return result;
}
template <class T>
BSC_INLINE T block_reduce_add(T value) {
  return block_reduce(value, T{}, [](T a, T b) __attribute__((always_inline, nodebug)) { return static_cast<T>(a + b); });
}

}  // namespace bsc
#endif
