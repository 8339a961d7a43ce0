/* Matrix fragments: what a sub-group multiplies in one instruction. Part of <bascule/device.hpp>.
 *
 *   if constexpr (bsc::has_matrix_16x8x16) { ... bsc::multiply_add(d, a, b) ... } else { ... }
 *
 * D += A * B with A 16 x 16 (rows), B 16 x 8 (columns), D 16 x 8 in f32. Lane L holds, with g = L / 4 and t = L % 4:
 *   A  rows g and g + 8, columns 2t, 2t + 1, 2t + 8, 2t + 9     a[0]: (g, 2t..)  a[1]: (g + 8, 2t..)  a[2]: (g, 2t + 8..)  a[3]: (g + 8, 2t + 8..)
 *   B  column g, rows 2t, 2t + 1, 2t + 8, 2t + 9                b[0]: (2t.., g)  b[1]: (2t + 8.., g)
 *   D  rows g and g + 8, columns 2t, 2t + 1                     d[0], d[1]: (g, 2t..)  d[2], d[3]: (g + 8, 2t..)
 * Each a[i] and b[i] holds two elements, the one with the lower index in the lower half.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_MATRIX_HPP
#define BASCULE_DEVICE_MATRIX_HPP

#include "number.hpp"

namespace bsc {

#if defined(BSC_TARGET_PTX)
inline constexpr bool has_matrix_16x8x16 = true;
#else
inline constexpr bool has_matrix_16x8x16 = false;
#endif

/* T: bsc::f16 or bsc::bf16. */
template <class T>
struct matrix_a {
  u32 part[4];
};
template <class T>
struct matrix_b {
  u32 part[2];
};
struct matrix_d {
  float value[4];
};

/* Two neighbouring elements as one part of a fragment. */
template <class T>
BSC_INLINE u32 pack_pair(T low, T high) {
  return static_cast<u32>(internal::bits<u16>(low)) | static_cast<u32>(internal::bits<u16>(high)) << 16;
}

/* All threads of the sub-group call it together. */
template <class T>
BSC_INLINE void multiply_add([[maybe_unused]] matrix_d& d, [[maybe_unused]] const matrix_a<T>& a,
                             [[maybe_unused]] const matrix_b<T>& b) {
  static_assert(internal::same<T, f16> || internal::same<T, bf16>, "matrix fragments hold bsc::f16 or bsc::bf16");
#if defined(BSC_TARGET_PTX)
  if constexpr (internal::same<T, f16>) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]), "+f"(d.value[3])
                 : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b.part[0]), "r"(b.part[1]));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]), "+f"(d.value[3])
                 : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b.part[0]), "r"(b.part[1]));
  }
#else
  static_assert(internal::never<T>, "this target has no 16 x 8 x 16 matrix fragments: ask bsc::has_matrix_16x8x16 first");
#endif
}

}  // namespace bsc
#endif
