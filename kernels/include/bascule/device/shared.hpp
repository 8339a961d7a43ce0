/* Memory that the threads of a block share. Part of <bascule/device.hpp>.
 *
 *   BASCULE_SHARED float tile[16][17];            in a kernel or an inline function that it calls; not initialised
 *   auto scratch = bsc::dynamic_shared<float>();  the launch's dynamic shared memory (contract: shared(bytes))
 *
 * A shared array keeps its address space and does not convert to a plain pointer; bsc::plain(tile) does it where the target
 * has one address space for all (not SPIR-V).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_SHARED_HPP
#define BASCULE_DEVICE_SHARED_HPP

#include "target.hpp"

#define BASCULE_SHARED [[clang::loader_uninitialized]] static BSC_LOCAL

#if !defined(BSC_TARGET_SPIRV)
extern "C" BSC_LOCAL char __attribute__((aligned(16))) bascule_dynamic_shared[];
#endif

namespace bsc {

template <class T>
using shared_pointer = T BSC_LOCAL*;

template <class T>
BSC_INLINE shared_pointer<T> dynamic_shared() {
#if defined(BSC_TARGET_SPIRV)
  static_assert(internal::never<T>, "dynamic shared memory is not available on the target spirv: use a BASCULE_SHARED "
                                    "array, or leave spirv out of TARGETS");
  return nullptr;
#else
  return (shared_pointer<T>)bascule_dynamic_shared;
#endif
}

template <class T>
BSC_INLINE T* plain([[maybe_unused]] T BSC_LOCAL* pointer) {
#if defined(BSC_TARGET_SPIRV)
  static_assert(internal::never<T>, "the target spirv has no plain pointers to shared memory: take bsc::shared_pointer<T>");
  return nullptr;
#else
  return (T*)pointer;
#endif
}

}  // namespace bsc
#endif
