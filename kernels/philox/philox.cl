// Philox4x32-10 for OpenCL 1.2 devices. Contract: philox_arguments.hpp.
//
// A work item makes the four words of one counter.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const ulong p0 = (ulong)0xD2511F53u * c0;
    const ulong p1 = (ulong)0xCD9E8D57u * c2;
    c0 = (uint)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint)p1;
    c2 = (uint)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  if (first + 4 <= n) {
    vstore4((uint4)(c0, c1, c2, c3), 0, output);
  } else {
    output[0] = c0;
    if (first + 1 < n) output[1] = c1;
    if (first + 2 < n) output[2] = c2;
  }
}
