/* Which target a kernel source is compiled for, and how the dialect's own functions are declared. Part of
 * <bascule/device.hpp>.
 *
 * BSC_INLINE functions leave no debug information behind: what they do has the line of the user's code that called them,
 * so that a finding or a fault names that line.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_TARGET_HPP
#define BASCULE_DEVICE_TARGET_HPP

#if defined(__clang__)
#define BSC_INLINE inline __attribute__((always_inline, nodebug))
#else
#define BSC_INLINE inline
#endif

#if defined(__NVPTX__)
#define BSC_TARGET_PTX 1
#elif defined(__AMDGPU__)
#define BSC_TARGET_AMDGPU 1
#elif defined(__SPIRV__)
#define BSC_TARGET_SPIRV 1
#else
#define BSC_TARGET_HOST 1  // references and tests: views, numbers and maths only
#endif

#if !defined(BSC_TARGET_HOST)
#if !defined(__clang__) || __clang_major__ < 22
#error "the kernel dialect needs clang++ 22 or newer"
#endif
#define _DEFAULT_FN_ATTRS __attribute__((always_inline, nodebug))
#include <gpuintrin.h>
#define BSC_GLOBAL __gpu_global
#define BSC_LOCAL __gpu_local
#else
#include <cstdint>
#define BSC_GLOBAL
#define BSC_LOCAL
#endif

namespace bsc {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned int;
using i64 = long;
using u64 = unsigned long;
static_assert(sizeof(u64) == 8 && sizeof(void*) == 8, "the dialect is for 64-bit targets");

namespace internal {

// What the target cannot do is refused where it is used, with a text that says so.
template <class T>
inline constexpr bool never = false;

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

template <class To, class From>
BSC_INLINE constexpr To bits(From from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace internal
}  // namespace bsc
#endif
