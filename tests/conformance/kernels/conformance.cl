// The suite's kernels in OpenCL C 1.2. A buffer is three parameters: base, byte offset, length in elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define AT(TYPE, base, offset) ((__global TYPE*)((__global uchar*)(base) + (offset)))

#define FILL_INDEX(SIZE, TYPE)                                                                                     \
  __kernel void fill_index_##SIZE(__global TYPE* base, ulong offset, ulong length, TYPE start) {                  \
    const ulong i = get_global_id(0);                                                                             \
    if (i < length) AT(TYPE, base, offset)[i] = (TYPE)(start + (TYPE)i);                                          \
  }
FILL_INDEX(1, uchar)
FILL_INDEX(2, ushort)
FILL_INDEX(4, uint)
FILL_INDEX(8, ulong)

// Byte by byte: the result lies at any address.
#define ECHO(SIZE, TYPE)                                                                                           \
  __kernel void echo_##SIZE(uchar before, TYPE value, uchar after, __global uchar* base, ulong offset,            \
                            ulong length) {                                                                       \
    if (get_global_id(0) != 0 || length < SIZE + 2) return;                                                       \
    __global uchar* out = base + offset;                                                                          \
    union { TYPE value; uchar bytes[SIZE]; } copy;                                                                \
    copy.value = value;                                                                                           \
    out[0] = before;                                                                                              \
    for (int i = 0; i < SIZE; ++i) out[1 + i] = copy.bytes[i];                                                    \
    out[1 + SIZE] = after;                                                                                        \
  }
ECHO(1, uchar)
ECHO(2, ushort)
ECHO(4, uint)
ECHO(8, ulong)
ECHO(16, ulong2)

__kernel void echo_mixed(uchar a, ulong b, ushort c, uint d, uchar e, __global ulong* base, ulong offset, ulong length) {
  if (get_global_id(0) != 0 || length < 5) return;
  __global ulong* out = AT(ulong, base, offset);
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
}

__kernel void axpy(float a, __global const float* x_base, ulong x_offset, ulong x_length, __global float* y_base,
                   ulong y_offset, ulong y_length) {
  const ulong i = get_global_id(0);
  if (i < y_length && i < x_length) AT(float, y_base, y_offset)[i] += a * AT(float, x_base, x_offset)[i];
}

__kernel void add_one(__global uint* base, ulong offset, ulong length) {
  const ulong i = get_global_id(0);
  if (i < length) AT(uint, base, offset)[i] += 1;
}

// Each block reverses its own elements through local memory.
__kernel void reverse_block(__global uint* base, ulong offset, ulong length, __local uint* room) {
  __global uint* out = AT(uint, base, offset);
  const ulong i = get_global_id(0);
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  room[lane] = i < length ? out[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < length) out[i] = room[size - 1 - lane];
}

// Work that takes long: `iterations` dependent steps.
__kernel void spin(ulong iterations, __global ulong* base, ulong offset, ulong length) {
  if (get_global_id(0) != 0 || length < 1) return;
  __global ulong* out = AT(ulong, base, offset);
  ulong x = out[0] | 1;
  for (ulong i = 0; i < iterations; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  out[0] = x;
}
