/* What marks a kernel, and what a signature cannot say about it. Part of <bascule/device.hpp>.
 *
 *   BASCULE_CONTRACT(axpb, doc("y = a x + b"), length(x, y.length), nan(propagate), tolerance(R2, ulps(2)))
 *   BASCULE_KERNEL void axpb(float a, float b, bsc::in<float> x, bsc::out<float> y) { ... }
 *
 * A kernel is an ordinary function; bascule-kernel-compiler reads its signature and writes the entry that is launched.
 * docs/kernel-guide.md lists what BASCULE_CONTRACT may hold.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_KERNEL_HPP
#define BASCULE_DEVICE_KERNEL_HPP

#include "target.hpp"

#if defined(BASCULE_SIGNATURE_PASS)
// A compiler's tree shows the text of a section attribute, and hardly that of any other.
#define BASCULE_KERNEL __attribute__((section("bascule kernel"))) inline
#define BASCULE_INTERNAL_JOIN2(a, b) a##b
#define BASCULE_INTERNAL_JOIN(a, b) BASCULE_INTERNAL_JOIN2(a, b)
#define BASCULE_CONTRACT(...)                                              \
  __attribute__((section("bascule contract " #__VA_ARGS__))) void BASCULE_INTERNAL_JOIN(bascule_contract_, __COUNTER__)();
#elif defined(__clang__)
#define BASCULE_KERNEL inline __attribute__((always_inline))
#define BASCULE_CONTRACT(...) static_assert(true);
#else
#define BASCULE_KERNEL inline
#define BASCULE_CONTRACT(...) static_assert(true);
#endif

#endif
