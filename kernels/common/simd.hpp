// Vectors of one level: GCC/Clang vector types of kVectorBytes, and the few operations for which the generic operators
// make poor code (fused multiply-add, masked and non-temporal access, widening multiply). Kernels are written once over
// these and compiled per level. Level 4 at its native 512 bits has not run on hardware yet; its semantics are tested
// through 64-byte vectors that AVX2 emulates (see cpu_level.hpp).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <immintrin.h>
#include <stdint.h>

#include "cpu_level.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {

inline constexpr uint64_t kVectorBytes = BASCULE_VECTOR_BYTES;
inline constexpr uint64_t kLanes = kVectorBytes / 4;  // 32-bit elements in a vector

using f32v = float __attribute__((vector_size(BASCULE_VECTOR_BYTES)));
using i32v = int32_t __attribute__((vector_size(BASCULE_VECTOR_BYTES)));
using u32v = uint32_t __attribute__((vector_size(BASCULE_VECTOR_BYTES)));
using u64v = uint64_t __attribute__((vector_size(BASCULE_VECTOR_BYTES)));

// Buffers promise the alignment of their element and no more. A typedef, because clang ignores `aligned` inside an alias
// declaration.
typedef float f32v_unaligned __attribute__((vector_size(BASCULE_VECTOR_BYTES), aligned(4), may_alias));
typedef uint32_t u32v_unaligned __attribute__((vector_size(BASCULE_VECTOR_BYTES), aligned(4), may_alias));
static_assert(alignof(f32v_unaligned) == 4 && alignof(u32v_unaligned) == 4);

BASCULE_ALWAYS_INLINE f32v load(const float* p) { return *reinterpret_cast<const f32v_unaligned*>(p); }
BASCULE_ALWAYS_INLINE void store(float* p, f32v v) { *reinterpret_cast<f32v_unaligned*>(p) = v; }
BASCULE_ALWAYS_INLINE void store(uint32_t* p, u32v v) { *reinterpret_cast<u32v_unaligned*>(p) = v; }

// x - 0 rather than x + 0: the former is x for every x, -0 included, so no instruction remains but the broadcast.
BASCULE_ALWAYS_INLINE f32v broadcast(float x) { return x - f32v{}; }

// Which lanes a partial access touches: the first `count`, count < kLanes.
#if BASCULE_VECTOR_BYTES == 64 && defined(__AVX512F__)
using partial_mask = __mmask16;
BASCULE_ALWAYS_INLINE partial_mask first_lanes(uint64_t count) { return (__mmask16)((1u << count) - 1u); }
// Lanes beyond the mask are 0, and their memory is not touched.
BASCULE_ALWAYS_INLINE f32v load_partial(const float* p, partial_mask mask) {
  return (f32v)_mm512_maskz_loadu_ps(mask, p);
}
BASCULE_ALWAYS_INLINE void store_partial(float* p, f32v v, partial_mask mask) {
  _mm512_mask_storeu_ps(p, mask, (__m512)v);
}
#elif BASCULE_VECTOR_BYTES == 32
using partial_mask = __m256i;
BASCULE_ALWAYS_INLINE partial_mask first_lanes(uint64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
BASCULE_ALWAYS_INLINE f32v load_partial(const float* p, partial_mask mask) { return (f32v)_mm256_maskload_ps(p, mask); }
BASCULE_ALWAYS_INLINE void store_partial(float* p, f32v v, partial_mask mask) {
  _mm256_maskstore_ps(p, mask, (__m256)v);
}
#else
using partial_mask = uint64_t;
BASCULE_ALWAYS_INLINE partial_mask first_lanes(uint64_t count) { return count; }
BASCULE_ALWAYS_INLINE f32v load_partial(const float* p, partial_mask count) {
  f32v v = {};
  for (uint64_t i = 0; i < count; ++i) v[i] = p[i];
  return v;
}
BASCULE_ALWAYS_INLINE void store_partial(float* p, f32v v, partial_mask count) {
  for (uint64_t i = 0; i < count; ++i) p[i] = v[i];
}
#endif

#if BASCULE_VECTOR_BYTES == 64 && !defined(__AVX512F__)
struct vector_halves {
  __m256 low, high;
};
#endif

// a * b + c, fused where the level has FMA (levels 3 and 4).
BASCULE_ALWAYS_INLINE f32v multiply_add(f32v a, f32v b, f32v c) {
#if BASCULE_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return (f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif BASCULE_VECTOR_BYTES == 64
  const auto x = __builtin_bit_cast(vector_halves, a);
  const auto y = __builtin_bit_cast(vector_halves, b);
  const auto z = __builtin_bit_cast(vector_halves, c);
  return __builtin_bit_cast(
      f32v, vector_halves{_mm256_fmadd_ps(x.low, y.low, z.low), _mm256_fmadd_ps(x.high, y.high, z.high)});
#elif BASCULE_VECTOR_BYTES == 32
  return (f32v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}

// The 64-bit products of the low 32 bits of each 64-bit lane; the high halves of the operands are ignored.
BASCULE_ALWAYS_INLINE u64v multiply_low_halves(u64v a, u64v b) {
#if BASCULE_VECTOR_BYTES == 64 && defined(__AVX512F__)
  return (u64v)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);  // the unmasked form warns in g++ 12
#elif BASCULE_VECTOR_BYTES == 64
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#elif BASCULE_VECTOR_BYTES == 32
  return (u64v)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
  return (u64v)_mm_mul_epu32((__m128i)a, (__m128i)b);
#endif
}

// Store past the caches; p must be aligned to kVectorBytes. Weakly ordered: call streaming_done() before anyone else is
// told that the data is there.
BASCULE_ALWAYS_INLINE void store_streaming(float* p, f32v v) {
#if BASCULE_VECTOR_BYTES == 64 && defined(__AVX512F__)
  _mm512_stream_ps(p, (__m512)v);
#elif BASCULE_VECTOR_BYTES == 64
  const auto halves = __builtin_bit_cast(vector_halves, v);
  _mm256_stream_ps(p, halves.low);
  _mm256_stream_ps(p + 8, halves.high);
#elif BASCULE_VECTOR_BYTES == 32
  _mm256_stream_ps(p, (__m256)v);
#else
  _mm_stream_ps(p, (__m128)v);
#endif
}
BASCULE_ALWAYS_INLINE void streaming_done() { _mm_sfence(); }

// Sum of the lanes in one fixed order (halves, then halves of those), so that a result does not depend on the compiler.
BASCULE_ALWAYS_INLINE float sum_of_lanes(f32v v) {
  float lanes[kLanes];
  store(lanes, v);
  for (uint64_t width = kLanes / 2; width > 0; width /= 2)
    for (uint64_t i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE
