/* Buffers as a kernel sees them: bsc::in<T>, bsc::out<T>, bsc::inout<T>. Part of <bascule/device.hpp>.
 *
 * A view knows its length. `x[i]` beyond it is undefined, as with a plain array; with BASCULE_CHECK_BOUNDS defined
 * (bascule_add_kernels(... CHECK_BOUNDS)) it ends the launch instead. On the cpu device `--sanitize` finds it in either
 * build and names the line.
 *
 * On SPIR-V an element is a reference into global memory, which does not convert to a plain `T&`: there elements are
 * numbers, not structures.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_VIEW_HPP
#define BASCULE_DEVICE_VIEW_HPP

#include "target.hpp"

namespace bsc {

template <class T>
class view {
 public:
#if defined(BSC_TARGET_SPIRV)
  using pointer = T BSC_GLOBAL*;
  using reference = T BSC_GLOBAL&;
#else
  using pointer = T*;
  using reference = T&;
#endif

  view() = default;
  BSC_INLINE view(pointer data, u64 size) : data_(data), size_(size) {}

  /* In elements. */
  BSC_INLINE u64 size() const { return size_; }
  BSC_INLINE bool empty() const { return size_ == 0; }
  BSC_INLINE pointer data() const { return data_; }
  BSC_INLINE reference operator[](u64 index) const {
#if defined(BASCULE_CHECK_BOUNDS)
    if (index >= size_) __builtin_trap();
#endif
    return data_[index];
  }
  /* `count` elements from `first` on. */
  BSC_INLINE view part(u64 first, u64 count) const {
#if defined(BASCULE_CHECK_BOUNDS)
    if (first > size_ || count > size_ - first) __builtin_trap();
#endif
    return view(data_ + first, count);
  }

 private:
  pointer data_ = nullptr;
  u64 size_ = 0;
};

/* What a kernel reads. */
template <class T>
struct in : view<const T> {
  using view<const T>::view;
};
/* What a kernel writes; holds anything before. */
template <class T>
struct out : view<T> {
  using view<T>::view;
};
/* What a kernel reads and writes. */
template <class T>
struct inout : view<T> {
  using view<T>::view;
};

namespace internal {

// From the three parameters that each buffer is in every format.
template <class View, class T>
BSC_INLINE View make_view(T BSC_GLOBAL* base, u64 offset, u64 length) {
#if defined(BSC_TARGET_SPIRV)
  return View((T BSC_GLOBAL*)((char BSC_GLOBAL*)base + offset), length);
#else
  return View((T*)((T BSC_GLOBAL*)((char BSC_GLOBAL*)base + offset)), length);
#endif
}

}  // namespace internal
}  // namespace bsc
#endif
