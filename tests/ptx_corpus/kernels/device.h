// What the corpus's kernels need of the device: thread indices, barriers, shuffles, atomics, in terms of Clang's builtins for
// PTX alone, so that the corpus depends on nothing else of this project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define KERNEL extern "C" __attribute__((nvptx_kernel)) void
#define SHARED __attribute__((address_space(3)))
#define FORCE_INLINE __attribute__((always_inline)) inline

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using half = _Float16;

FORCE_INLINE u32 thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
FORCE_INLINE u32 thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
FORCE_INLINE u32 block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
FORCE_INLINE u32 block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
FORCE_INLINE u32 threads_x() { return __nvvm_read_ptx_sreg_ntid_x(); }
FORCE_INLINE u32 blocks_x() { return __nvvm_read_ptx_sreg_nctaid_x(); }
FORCE_INLINE u32 global_x() { return block_x() * threads_x() + thread_x(); }
FORCE_INLINE u32 lane() { return __nvvm_read_ptx_sreg_laneid(); }

FORCE_INLINE void barrier() { __syncthreads(); }
FORCE_INLINE void warp_barrier(u32 mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

FORCE_INLINE u32 bits_of(float x) { return __builtin_bit_cast(u32, x); }
FORCE_INLINE float float_of(u32 x) { return __builtin_bit_cast(float, x); }

FORCE_INLINE u32 shuffle_xor(u32 value, u32 lanes, u32 mask = 0xffffffffu) {
  return (u32)__nvvm_shfl_sync_bfly_i32(mask, (int)value, (int)lanes, 31);
}
FORCE_INLINE float shuffle_xor(float value, u32 lanes, u32 mask = 0xffffffffu) {
  return float_of(shuffle_xor(bits_of(value), lanes, mask));
}
FORCE_INLINE u32 shuffle_up(u32 value, u32 delta, u32 mask = 0xffffffffu) {
  return (u32)__nvvm_shfl_sync_up_i32(mask, (int)value, (int)delta, 0);
}
FORCE_INLINE u32 shuffle_from(u32 value, u32 source, u32 mask = 0xffffffffu) {
  return (u32)__nvvm_shfl_sync_idx_i32(mask, (int)value, (int)source, 31);
}
FORCE_INLINE u32 ballot(bool value, u32 mask = 0xffffffffu) { return __nvvm_vote_ballot_sync(mask, value); }

FORCE_INLINE float warp_sum(float value) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value += shuffle_xor(value, lanes);
  return value;
}
FORCE_INLINE float warp_max(float value) {
  for (u32 lanes = 16; lanes > 0; lanes /= 2) value = __builtin_fmaxf(value, shuffle_xor(value, lanes));
  return value;
}

/// e^x by ex2.approx.
FORCE_INLINE float fast_exp(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * 1.4426950408889634f));
  return result;
}
FORCE_INLINE float approximate_reciprocal(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
FORCE_INLINE float approximate_rsqrt(float x) {
  float result;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

FORCE_INLINE u32 atomic_add(u32* p, u32 value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
FORCE_INLINE u32 atomic_add(SHARED u32* p, u32 value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
FORCE_INLINE float atomic_add(float* p, float value) { return __nvvm_atom_add_gen_f(p, value); }

/// Offset in the block's shared window, as instructions with .shared take it.
template <class T>
FORCE_INLINE u32 shared_address(SHARED T* p) {
  return (u32)(u64)p;
}
