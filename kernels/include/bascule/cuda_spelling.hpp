/* CUDA's spelling on top of the dialect, so that simple .cu kernels need no change: bascule_add_kernels(... SOURCES x.cu)
 * includes this header by itself.
 *
 * There: __global__, __device__, __host__, __forceinline__, __restrict__, __launch_bounds__ (ignored), __shared__,
 * __constant__, threadIdx, blockIdx, blockDim, gridDim, warpSize, __syncthreads and its _count, _and, _or forms,
 * __syncwarp, __activemask, __ballot_sync, __any_sync, __all_sync, __shfl_*_sync, atomic*, __threadfence*, __ldg, vectors
 * (float2, float4, int2, int4, uint4, ...), the f32 maths in C's and the intrinsics' names, printf, assert.
 *
 * Not there, and refused by the compiler: launches with <<< >>>, textures, cooperative groups, dynamic parallelism,
 * `extern __shared__ T x[]` (write BASCULE_DYNAMIC_SHARED(T, x)), kernels that are templates. The masks of the _sync functions
 * are those of PTX; on AMD and SPIR-V they must name all lanes, and a warp may have another width than 32.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CUDA_SPELLING_HPP
#define BASCULE_CUDA_SPELLING_HPP

#include "device.hpp"

#if !defined(BSC_TARGET_HOST)

#define __global__ BASCULE_KERNEL
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ BASCULE_SHARED
#define __constant__ constexpr
#define __restrict__ __restrict
#define BASCULE_DYNAMIC_SHARED(type, name) type BSC_LOCAL* name = ::bsc::dynamic_shared<type>()

struct alignas(8) float2 { float x, y; };
struct float3 { float x, y, z; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
BSC_INLINE float2 make_float2(float x, float y) { return {x, y}; }
BSC_INLINE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
BSC_INLINE int2 make_int2(int x, int y) { return {x, y}; }
BSC_INLINE int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

// Members that read a special register, as numbers and not as objects.
#define BASCULE_INTERNAL_SPECIAL(type, call)                                          \
  struct type {                                                                      \
    __declspec(property(get = get_x)) unsigned x;                                     \
    __declspec(property(get = get_y)) unsigned y;                                     \
    __declspec(property(get = get_z)) unsigned z;                                     \
    BSC_INLINE unsigned get_x() const { return ::bsc::call(0); }                      \
    BSC_INLINE unsigned get_y() const { return ::bsc::call(1); }                      \
    BSC_INLINE unsigned get_z() const { return ::bsc::call(2); }                      \
    BSC_INLINE operator uint3() const { return {get_x(), get_y(), get_z()}; }         \
  }
namespace bsc::internal {
BASCULE_INTERNAL_SPECIAL(ThreadIndex, thread_id);
BASCULE_INTERNAL_SPECIAL(BlockIndex, block_id);
BASCULE_INTERNAL_SPECIAL(BlockSize, block_size);
BASCULE_INTERNAL_SPECIAL(GridSize, grid_size);
}  // namespace bsc::internal
#undef BASCULE_INTERNAL_SPECIAL
inline constexpr bsc::internal::ThreadIndex threadIdx;
inline constexpr bsc::internal::BlockIndex blockIdx;
inline constexpr bsc::internal::BlockSize blockDim;
inline constexpr bsc::internal::GridSize gridDim;
#define warpSize (static_cast<int>(::bsc::lane_count()))

#if !defined(BSC_TARGET_PTX)
BSC_INLINE void __syncthreads() { bsc::block_barrier(); }
#endif
BSC_INLINE void __syncwarp([[maybe_unused]] unsigned mask = 0xffffffffu) {
#if defined(BSC_TARGET_PTX)
  __gpu_sync_lane(mask);
#else
  bsc::sub_group_barrier();
#endif
}
BSC_INLINE unsigned __activemask() { return static_cast<unsigned>(__gpu_lane_mask()); }
BSC_INLINE unsigned __ballot_sync([[maybe_unused]] unsigned mask, int value) {
#if defined(BSC_TARGET_PTX)
  return static_cast<unsigned>(__gpu_ballot(mask, value != 0));
#else
  return static_cast<unsigned>(bsc::ballot(value != 0));
#endif
}
BSC_INLINE int __any_sync(unsigned mask, int value) { return __ballot_sync(mask, value) != 0; }
BSC_INLINE int __all_sync(unsigned mask, int value) { return __ballot_sync(mask, !value) == 0; }

// `lane` is where the value comes from within a segment of `width` lanes; out of the segment: the thread's own value.
namespace bsc::internal {
template <class T>
BSC_INLINE T shuffle_from([[maybe_unused]] unsigned mask, T value, u32 lane) {
#if defined(BSC_TARGET_PTX)
  return shuffle_parts(value, [=](u32 part) __attribute__((always_inline, nodebug)) {
    return static_cast<u32>(__nvvm_shfl_sync_idx_i32(mask, static_cast<int>(part), static_cast<int>(lane), 0x1f));
  });
#else
  return bsc::shuffle(value, lane);
#endif
}
}  // namespace bsc::internal
template <class T>
BSC_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = bsc::lane_id(), first = lane & ~(static_cast<unsigned>(width) - 1);
  return bsc::internal::shuffle_from(mask, value, first + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1)));
}
template <class T>
BSC_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = bsc::lane_id(), first = lane & ~(static_cast<unsigned>(width) - 1);
  return bsc::internal::shuffle_from(mask, value, lane - first >= delta ? lane - delta : lane);
}
template <class T>
BSC_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = bsc::lane_id(), last = lane | (static_cast<unsigned>(width) - 1);
  return bsc::internal::shuffle_from(mask, value, last - lane >= delta ? lane + delta : lane);
}
template <class T>
BSC_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  const unsigned lane = bsc::lane_id(), last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned source = lane ^ static_cast<unsigned>(lanes);
  return bsc::internal::shuffle_from(mask, value, source <= last ? source : lane);
}

BSC_INLINE int __syncthreads_count(int value) {
  BASCULE_SHARED unsigned count;
  bsc::block_barrier();
  if (bsc::thread_id(0) + bsc::thread_id(1) + bsc::thread_id(2) == 0) count = 0;
  bsc::block_barrier();
  if (value != 0) bsc::atomic_add(&count, 1u, bsc::order::relaxed, bsc::scope::block);
  bsc::block_barrier();
  return static_cast<int>(count);
}
BSC_INLINE int __syncthreads_or(int value) { return __syncthreads_count(value) != 0; }
BSC_INLINE int __syncthreads_and(int value) { return __syncthreads_count(value == 0) == 0; }

BSC_INLINE void __threadfence() { bsc::fence(bsc::order::sequential, bsc::scope::device); }
BSC_INLINE void __threadfence_block() { bsc::fence(bsc::order::sequential, bsc::scope::block); }
BSC_INLINE void __threadfence_system() { bsc::fence(bsc::order::sequential, bsc::scope::system); }

template <class P>
BSC_INLINE auto atomicAdd(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_add(p, v); }
template <class P>
BSC_INLINE auto atomicSub(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_sub(p, v); }
template <class P>
BSC_INLINE auto atomicMin(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_min(p, v); }
template <class P>
BSC_INLINE auto atomicMax(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_max(p, v); }
template <class P>
BSC_INLINE auto atomicAnd(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_and(p, v); }
template <class P>
BSC_INLINE auto atomicOr(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_or(p, v); }
template <class P>
BSC_INLINE auto atomicXor(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_xor(p, v); }
template <class P>
BSC_INLINE auto atomicExch(P p, bsc::internal::pointee_t<P> v) { return bsc::atomic_exchange(p, v); }
template <class P>
BSC_INLINE auto atomicCAS(P p, bsc::internal::pointee_t<P> expected, bsc::internal::pointee_t<P> v) {
  return bsc::atomic_compare_exchange(p, expected, v);
}
template <class T>
BSC_INLINE T __ldg(const T* p) { return *p; }

BSC_INLINE int min(int a, int b) { return b < a ? b : a; }
BSC_INLINE int max(int a, int b) { return b > a ? b : a; }
BSC_INLINE unsigned min(unsigned a, unsigned b) { return b < a ? b : a; }
BSC_INLINE unsigned max(unsigned a, unsigned b) { return b > a ? b : a; }
BSC_INLINE float min(float a, float b) { return bsc::min(a, b); }
BSC_INLINE float max(float a, float b) { return bsc::max(a, b); }
BSC_INLINE float fminf(float a, float b) { return bsc::min(a, b); }
BSC_INLINE float fmaxf(float a, float b) { return bsc::max(a, b); }
BSC_INLINE float fabsf(float x) { return bsc::abs(x); }
BSC_INLINE float fmaf(float a, float b, float c) { return bsc::fma(a, b, c); }
BSC_INLINE float __fmaf_rn(float a, float b, float c) { return bsc::fma(a, b, c); }
BSC_INLINE float sqrtf(float x) { return bsc::sqrt(x); }
BSC_INLINE float rsqrtf(float x) { return bsc::rsqrt(x); }
BSC_INLINE float expf(float x) { return bsc::exp(x); }
BSC_INLINE float exp2f(float x) { return bsc::exp2(x); }
BSC_INLINE float __expf(float x) { return bsc::exp(x); }
BSC_INLINE float logf(float x) { return bsc::log(x); }
BSC_INLINE float log2f(float x) { return bsc::log2(x); }
BSC_INLINE float log10f(float x) { return bsc::log10(x); }
BSC_INLINE float __logf(float x) { return bsc::log(x); }
BSC_INLINE float sinf(float x) { return bsc::sin(x); }
BSC_INLINE float cosf(float x) { return bsc::cos(x); }
BSC_INLINE float __sinf(float x) { return bsc::sin(x); }
BSC_INLINE float __cosf(float x) { return bsc::cos(x); }
BSC_INLINE float tanf(float x) { return bsc::tan(x); }
BSC_INLINE float tanhf(float x) { return bsc::tanh(x); }
BSC_INLINE float erff(float x) { return bsc::erf(x); }
BSC_INLINE float powf(float x, float y) { return bsc::pow(x, y); }
BSC_INLINE float __powf(float x, float y) { return bsc::pow(x, y); }
BSC_INLINE float __fdividef(float a, float b) { return a / b; }
BSC_INLINE float __uint_as_float(unsigned x) { return bsc::internal::bits<float>(x); }
BSC_INLINE float __int_as_float(int x) { return bsc::internal::bits<float>(x); }
BSC_INLINE unsigned __float_as_uint(float x) { return bsc::internal::bits<unsigned>(x); }
BSC_INLINE int __float_as_int(float x) { return bsc::internal::bits<int>(x); }
BSC_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
BSC_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
BSC_INLINE int __ffs(int x) { return __builtin_ffs(x); }

#define printf(...) ::bsc::print(__VA_ARGS__)
#define assert(condition) BASCULE_ASSERT(condition)

#endif  // !BSC_TARGET_HOST
#endif
