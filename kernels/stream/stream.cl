// The stream kernels for OpenCL 1.2 devices. Contracts: stream_arguments.hpp.
//
// Buffers arrive as base, byte offset and length in elements, so they may start at any multiple of 4 bytes. One work item
// of the element-wise kernels does VECTOR consecutive elements. The dot product has two forms, which differ in how a block
// of DOT_BLOCK elements is summed: by one work item with vectors (_item, for CPUs) or by a work-group through local memory
// (_group, for GPUs). In both the order of additions depends on n alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL FP_CONTRACT OFF

#ifndef GROUP
#define GROUP 256  // work-group size of the _group kernels
#endif
#ifndef DOT_BLOCK
#define DOT_BLOCK 32768
#endif
#define VECTOR 8

#define IN(name) __global const float* name##_base, ulong name##_offset, ulong name##_length
#define OUT(name) __global float* name##_base, ulong name##_offset, ulong name##_length
#define IN_POINTER(name) ((__global const float*)((__global const char*)name##_base + name##_offset))
#define OUT_POINTER(name) ((__global float*)((__global char*)name##_base + name##_offset))

// Runs `vector` on whole vectors, `scalar` on each element of the rest.
#define FOR_EACH(n, vector, scalar)                       \
  const ulong first = (ulong)get_global_id(0) * VECTOR;   \
  if (first + VECTOR <= n) {                              \
    vector;                                               \
  } else {                                                \
    for (ulong i = first; i < n; ++i) {                   \
      scalar;                                             \
    }                                                     \
  }

__kernel void stream_copy(ulong n, IN(a), OUT(c)) {
  __global const float* a = IN_POINTER(a);
  __global float* c = OUT_POINTER(c);
  FOR_EACH(n, vstore8(vload8(0, a + first), 0, c + first), c[i] = a[i])
}

__kernel void stream_scale(ulong n, float scalar, IN(c), OUT(b)) {
  __global const float* c = IN_POINTER(c);
  __global float* b = OUT_POINTER(b);
  FOR_EACH(n, vstore8(scalar * vload8(0, c + first), 0, b + first), b[i] = scalar * c[i])
}

__kernel void stream_add(ulong n, IN(a), IN(b), OUT(c)) {
  __global const float* a = IN_POINTER(a);
  __global const float* b = IN_POINTER(b);
  __global float* c = OUT_POINTER(c);
  FOR_EACH(n, vstore8(vload8(0, a + first) + vload8(0, b + first), 0, c + first), c[i] = a[i] + b[i])
}

__kernel void stream_triad(ulong n, float scalar, IN(b), IN(c), OUT(a)) {
  __global const float* b = IN_POINTER(b);
  __global const float* c = IN_POINTER(c);
  __global float* a = OUT_POINTER(a);
  FOR_EACH(n, vstore8(vload8(0, b + first) + scalar * vload8(0, c + first), 0, a + first), a[i] = b[i] + scalar * c[i])
}

float sum_of_lanes(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

__kernel void stream_dot_partial_item(ulong n, IN(a), IN(b), OUT(partials)) {
  const ulong block = get_global_id(0);
  if (block * DOT_BLOCK >= n) return;
  const ulong begin = block * DOT_BLOCK;
  const ulong count = min((ulong)DOT_BLOCK, n - begin);
  __global const float* a = IN_POINTER(a) + begin;
  __global const float* b = IN_POINTER(b) + begin;
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  ulong i = 0;
  for (; i + 32 <= count; i += 32) {
    s0 += vload8(0, a + i) * vload8(0, b + i);
    s1 += vload8(1, a + i) * vload8(1, b + i);
    s2 += vload8(2, a + i) * vload8(2, b + i);
    s3 += vload8(3, a + i) * vload8(3, b + i);
  }
  float total = sum_of_lanes((s0 + s1) + (s2 + s3));
  for (; i < count; ++i) total += a[i] * b[i];
  OUT_POINTER(partials)[block] = total;
}

__kernel void stream_dot_combine_item(ulong n, IN(partials), OUT(result)) {
  const ulong blocks = n / DOT_BLOCK + (n % DOT_BLOCK != 0);
  __global const float* partials = IN_POINTER(partials);
  float8 sum = 0.0f;
  ulong i = 0;
  for (; i + 8 <= blocks; i += 8) sum += vload8(0, partials + i);
  float total = sum_of_lanes(sum);
  for (; i < blocks; ++i) total += partials[i];
  OUT_POINTER(result)[0] = total;
}

// The sum of every work item's value, in the first one.
float group_sum(float value, __local float* scratch) {
  const uint item = get_local_id(0);
  scratch[item] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = GROUP / 2; step > 0; step /= 2) {
    if (item < step) scratch[item] += scratch[item + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void stream_dot_partial_group(ulong n, IN(a), IN(b),
                                                                                          OUT(partials)) {
  __local float scratch[GROUP];
  const ulong block = get_group_id(0);
  const ulong begin = block * DOT_BLOCK;
  const ulong count = min((ulong)DOT_BLOCK, n - begin);
  __global const float* a = IN_POINTER(a) + begin;
  __global const float* b = IN_POINTER(b) + begin;
  float sum = 0.0f;
  for (ulong i = get_local_id(0); i < count; i += GROUP) sum += a[i] * b[i];
  const float total = group_sum(sum, scratch);
  if (get_local_id(0) == 0) OUT_POINTER(partials)[block] = total;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void stream_dot_combine_group(ulong n, IN(partials),
                                                                                          OUT(result)) {
  __local float scratch[GROUP];
  const ulong blocks = n / DOT_BLOCK + (n % DOT_BLOCK != 0);
  __global const float* partials = IN_POINTER(partials);
  float sum = 0.0f;
  for (ulong i = get_local_id(0); i < blocks; i += GROUP) sum += partials[i];
  const float total = group_sum(sum, scratch);
  if (get_local_id(0) == 0) OUT_POINTER(result)[0] = total;
}
