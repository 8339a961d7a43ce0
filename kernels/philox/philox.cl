// Philox4x32-10 for OpenCL 1.2 devices. Contract: philox_arguments.hpp.
//
// A work item makes the four words of one counter (philox4x32_10, for GPUs) or those of eight, with vectors
// (philox4x32_10_item, for CPUs).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// On scalars or vectors c0 to c3 of type `uints`. to_uints() keeps the low halves.
#define TEN_ROUNDS(uints, ulongs, to_uints, to_ulongs)          \
  for (int round = 0; round < 10; ++round) {                    \
    const ulongs p0 = to_ulongs(c0) * (ulong)0xD2511F53u;       \
    const ulongs p1 = to_ulongs(c2) * (ulong)0xCD9E8D57u;       \
    c0 = to_uints(p1 >> 32) ^ c1 ^ k0;                          \
    c1 = to_uints(p1);                                          \
    c2 = to_uints(p0 >> 32) ^ c3 ^ k1;                          \
    c3 = to_uints(p0);                                          \
    k0 += 0x9E3779B9u;                                          \
    k1 += 0xBB67AE85u;                                          \
  }

__kernel void philox4x32_10(ulong n, ulong key, ulong counter_low, ulong counter_high, __global uint* output_base,
                            ulong output_offset, ulong output_length) {
  const ulong block = get_global_id(0);
  const ulong first = block * 4;
  if (first >= n) return;
  __global uint* output = (__global uint*)((__global char*)output_base + output_offset) + first;

  const ulong low = counter_low + block;
  const ulong high = counter_high + (low < counter_low ? 1 : 0);
  uint c0 = (uint)low, c1 = (uint)(low >> 32), c2 = (uint)high, c3 = (uint)(high >> 32);
  uint k0 = (uint)key, k1 = (uint)(key >> 32);
  TEN_ROUNDS(uint, ulong, convert_uint, convert_ulong)
  if (first + 4 <= n) {
    vstore4((uint4)(c0, c1, c2, c3), 0, output);
  } else {
    output[0] = c0;
    if (first + 1 < n) output[1] = c1;
    if (first + 2 < n) output[2] = c2;
  }
}

__kernel void philox4x32_10_item(ulong n, ulong key, ulong counter_low, ulong counter_high, __global uint* output_base,
                                 ulong output_offset, ulong output_length) {
  const ulong block = (ulong)get_global_id(0) * 8;
  const ulong first = block * 4;
  if (first >= n) return;
  __global uint* output = (__global uint*)((__global char*)output_base + output_offset) + first;

  const ulong8 low = (ulong8)(counter_low + block) + (ulong8)(0, 1, 2, 3, 4, 5, 6, 7);
  // Comparisons give -1 where they hold: one more where the low half has wrapped.
  const ulong8 high = (ulong8)counter_high - as_ulong8(low < (ulong8)counter_low);
  uint8 c0 = convert_uint8(low), c1 = convert_uint8(low >> 32), c2 = convert_uint8(high), c3 = convert_uint8(high >> 32);
  uint k0 = (uint)key, k1 = (uint)(key >> 32);
  TEN_ROUNDS(uint8, ulong8, convert_uint8, convert_ulong8)
  const uint16 a = (uint16)(c0.s0, c1.s0, c2.s0, c3.s0, c0.s1, c1.s1, c2.s1, c3.s1, c0.s2, c1.s2, c2.s2, c3.s2, c0.s3, c1.s3,
                            c2.s3, c3.s3);
  const uint16 b = (uint16)(c0.s4, c1.s4, c2.s4, c3.s4, c0.s5, c1.s5, c2.s5, c3.s5, c0.s6, c1.s6, c2.s6, c3.s6, c0.s7, c1.s7,
                            c2.s7, c3.s7);
  if (first + 32 <= n) {
    vstore16(a, 0, output);
    vstore16(b, 1, output);
  } else {
    uint words[32];
    vstore16(a, 0, words);
    vstore16(b, 1, words);
    for (uint i = 0; i < n - first; ++i) output[i] = words[i];
  }
}
