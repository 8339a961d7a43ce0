/* Atomic operations with memory order and scope, on global and shared memory, and fences. Part of <bascule/device.hpp>.
 *
 *   bsc::atomic_add(&histogram[bin], 1u);                                             relaxed, device-wide
 *   bsc::atomic_store(&flag[0], 1u, bsc::order::release, bsc::scope::device);
 *
 * A pointer may be a plain one or one into shared memory (`&tile[i]`). Integers of 32 and 64 bits know all of them; float
 * and double add, exchange, load and store. On SPIR-V an addition of floats needs the extension
 * SPV_EXT_shader_atomic_float_add of the device.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_ATOMIC_HPP
#define BASCULE_DEVICE_ATOMIC_HPP

#include "target.hpp"

namespace bsc {

enum class order {
  relaxed = __ATOMIC_RELAXED,
  acquire = __ATOMIC_ACQUIRE,
  release = __ATOMIC_RELEASE,
  acquire_release = __ATOMIC_ACQ_REL,
  sequential = __ATOMIC_SEQ_CST
};
enum class scope {
  system = __MEMORY_SCOPE_SYSTEM,
  device = __MEMORY_SCOPE_DEVICE,
  block = __MEMORY_SCOPE_WRKGRP,
  sub_group = __MEMORY_SCOPE_WVFRNT
};

namespace internal {
template <class T>
struct plain_type {
  using type = T;
};
template <class T>
struct plain_type<const T> : plain_type<T> {};
template <class T>
struct plain_type<T BSC_GLOBAL> : plain_type<T> {};
template <class T>
struct plain_type<T BSC_LOCAL> : plain_type<T> {};
// The type of what a pointer of any address space points to.
template <class Pointer>
struct pointee;
template <class T>
struct pointee<T*> {
  using type = typename plain_type<T>::type;
};
template <class Pointer>
using pointee_t = typename pointee<Pointer>::type;
}  // namespace internal

/* Each returns what was there before. */
template <class P>
BSC_INLINE auto atomic_add(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_add(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_sub(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_sub(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_min(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_min(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_max(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_max(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_and(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_and(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_or(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_or(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_xor(P pointer, internal::pointee_t<P> value, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_fetch_xor(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE auto atomic_exchange(P pointer, internal::pointee_t<P> value, order how = order::relaxed,
                                scope where = scope::device) {
  return __scoped_atomic_exchange_n(pointer, value, static_cast<int>(how), static_cast<int>(where));
}
/* Writes `desired` where `expected` stands; returns what was there before, which is `expected` if it was written. */
template <class P>
BSC_INLINE auto atomic_compare_exchange(P pointer, internal::pointee_t<P> expected, internal::pointee_t<P> desired,
                                        order how = order::relaxed, scope where = scope::device) {
  const int failure = how == order::acquire_release ? __ATOMIC_ACQUIRE
                      : how == order::release       ? __ATOMIC_RELAXED
                                                    : static_cast<int>(how);
  __scoped_atomic_compare_exchange_n(pointer, &expected, desired, false, static_cast<int>(how), failure,
                                     static_cast<int>(where));
  return expected;
}
template <class P>
BSC_INLINE auto atomic_load(P pointer, order how = order::relaxed, scope where = scope::device) {
  return __scoped_atomic_load_n(pointer, static_cast<int>(how), static_cast<int>(where));
}
template <class P>
BSC_INLINE void atomic_store(P pointer, internal::pointee_t<P> value, order how = order::relaxed,
                             scope where = scope::device) {
  __scoped_atomic_store_n(pointer, value, static_cast<int>(how), static_cast<int>(where));
}

/* What this thread wrote before is visible, to those who synchronise with it, before what it writes after. */
BSC_INLINE void fence(order how = order::sequential, scope where = scope::device) {
  __scoped_atomic_thread_fence(static_cast<int>(how), static_cast<int>(where));
}

}  // namespace bsc
#endif
