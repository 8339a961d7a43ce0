/* Where a thread stands in its block and grid. Part of <bascule/device.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_GRID_HPP
#define BASCULE_DEVICE_GRID_HPP

#include "target.hpp"

namespace bsc {

/* dimension: 0 (x), 1 (y), 2 (z). */
BSC_INLINE u32 thread_id(int dimension = 0) { return __gpu_thread_id(dimension); }
BSC_INLINE u32 block_id(int dimension = 0) { return __gpu_block_id(dimension); }
BSC_INLINE u32 block_size(int dimension = 0) { return __gpu_num_threads(dimension); }
BSC_INLINE u32 grid_size(int dimension = 0) { return __gpu_num_blocks(dimension); }
/* This thread's number in the whole grid along one dimension, and how many there are. */
BSC_INLINE u64 global_id(int dimension = 0) {
  return static_cast<u64>(block_id(dimension)) * block_size(dimension) + thread_id(dimension);
}
BSC_INLINE u64 global_size(int dimension = 0) {
  return static_cast<u64>(grid_size(dimension)) * block_size(dimension);
}

/* for (auto i : bsc::grid_stride(n)): the numbers below n, shared out over the grid's first dimension whatever its size. */
class grid_stride {
 public:
  class iterator {
   public:
    BSC_INLINE iterator(u64 value, u64 step) : value_(value), step_(step) {}
    BSC_INLINE u64 operator*() const { return value_; }
    BSC_INLINE iterator& operator++() {
      const u64 next = value_ + step_;
      value_ = next < value_ ? ~u64{0} : next;
      return *this;
    }
    /* Against end(): its value is the limit. */
    BSC_INLINE bool operator!=(const iterator& end) const { return value_ < end.value_; }

   private:
    u64 value_, step_;
  };

  BSC_INLINE explicit grid_stride(u64 count, int dimension = 0)
      : first_(global_id(dimension)), step_(global_size(dimension)), count_(count) {}
  BSC_INLINE iterator begin() const { return {first_, step_}; }
  BSC_INLINE iterator end() const { return {count_, 0}; }

 private:
  u64 first_, step_, count_;
};

/* The same over the threads of a block. */
class block_stride {
 public:
  BSC_INLINE explicit block_stride(u64 count) : count_(count) {}
  BSC_INLINE grid_stride::iterator begin() const { return {thread_id(), block_size()}; }
  BSC_INLINE grid_stride::iterator end() const { return {count_, 0}; }

 private:
  u64 count_;
};

/* All threads of the block wait for each other; what was written before is visible after. */
BSC_INLINE void block_barrier() { __gpu_sync_threads(); }

}  // namespace bsc
#endif
