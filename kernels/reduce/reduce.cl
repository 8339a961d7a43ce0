// Sum, maximum and index of the maximum for OpenCL 1.2 devices. Contracts: reduce_arguments.hpp.
//
// A partial result per block of BLOCK elements, then one pass over these. Two forms: a block is reduced by one work item
// with vectors (_item, for CPUs) or by a work-group through local memory (_group, for GPUs). In both the order depends on n
// alone. arg_max finds the block by the blocks' maxima and the index within that block afterwards.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL FP_CONTRACT OFF

#ifndef GROUP
#define GROUP 256  // work-group size of the _group kernels
#endif
#ifndef BLOCK
#define BLOCK 32768
#endif
#define NO_INDEX 0xFFFFFFFFFFFFFFFFUL

#define IN(name) __global const float* name##_base, ulong name##_offset, ulong name##_length
#define OUT(type, name) __global type* name##_base, ulong name##_offset, ulong name##_length
#define IN_POINTER(name) ((__global const float*)((__global const char*)name##_base + name##_offset))
#define OUT_POINTER(type, name) ((__global type*)((__global char*)name##_base + name##_offset))

#define BLOCKS(n) ((n) / BLOCK + ((n) % BLOCK != 0))

float sum_of_lanes(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

// The larger one; a NaN in either comes through.
float larger(float a, float b) { return b > a || b != b ? b : a; }
float8 larger8(float8 a, float8 b) { return select(a, b, (b > a) | (b != b)); }

float largest_lane(float8 v) {
  return larger(larger(larger(v.s0, v.s1), larger(v.s2, v.s3)), larger(larger(v.s4, v.s5), larger(v.s6, v.s7)));
}

float sum_of(__global const float* x, ulong count) {
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  ulong i = 0;
  for (; i + 32 <= count; i += 32) {
    s0 += vload8(0, x + i);
    s1 += vload8(1, x + i);
    s2 += vload8(2, x + i);
    s3 += vload8(3, x + i);
  }
  float total = sum_of_lanes((s0 + s1) + (s2 + s3));
  for (; i < count; ++i) total += x[i];
  return total;
}

float largest_of(__global const float* x, ulong count) {
  float8 m0 = -INFINITY, m1 = -INFINITY, m2 = -INFINITY, m3 = -INFINITY;
  ulong i = 0;
  for (; i + 32 <= count; i += 32) {
    m0 = larger8(m0, vload8(0, x + i));
    m1 = larger8(m1, vload8(1, x + i));
    m2 = larger8(m2, vload8(2, x + i));
    m3 = larger8(m3, vload8(3, x + i));
  }
  float result = largest_lane(larger8(larger8(m0, m1), larger8(m2, m3)));
  for (; i < count; ++i) result = larger(result, x[i]);
  return result;
}

// Whether `value` is what is looked for: equal, or a NaN where that is wanted.
bool matches(float value, float wanted) { return value == wanted || (value != value && wanted != wanted); }

ulong first_match(__global const float* x, ulong count, float wanted) {
  for (ulong i = 0; i < count; ++i) {
    if (matches(x[i], wanted)) return i;
  }
  return count;
}

__kernel void reduce_sum_partial_item(ulong n, IN(x), OUT(float, partials)) {
  const ulong block = get_global_id(0);
  if (block * BLOCK >= n) return;
  OUT_POINTER(float, partials)[block] = sum_of(IN_POINTER(x) + block * BLOCK, min((ulong)BLOCK, n - block * BLOCK));
}

__kernel void reduce_sum_combine_item(ulong n, IN(partials), OUT(float, result)) {
  OUT_POINTER(float, result)[0] = sum_of(IN_POINTER(partials), BLOCKS(n));
}

__kernel void reduce_max_partial_item(ulong n, IN(x), OUT(float, partials)) {
  const ulong block = get_global_id(0);
  if (block * BLOCK >= n) return;
  OUT_POINTER(float, partials)[block] = largest_of(IN_POINTER(x) + block * BLOCK, min((ulong)BLOCK, n - block * BLOCK));
}

__kernel void reduce_max_combine_item(ulong n, IN(partials), OUT(float, result)) {
  OUT_POINTER(float, result)[0] = largest_of(IN_POINTER(partials), BLOCKS(n));
}

__kernel void arg_max_combine_item(ulong n, IN(x), IN(partials), OUT(ulong, index)) {
  ulong found = NO_INDEX;
  if (n != 0) {
    __global const float* partials = IN_POINTER(partials);
    const float wanted = largest_of(partials, BLOCKS(n));
    const ulong begin = first_match(partials, BLOCKS(n), wanted) * BLOCK;
    found = begin + first_match(IN_POINTER(x) + begin, min((ulong)BLOCK, n - begin), wanted);
  }
  OUT_POINTER(ulong, index)[0] = found;
}

// Combines every work item's value, for all of them.
#define GROUP_REDUCE(name, type, combine)                             \
  type name(type value, __local type* scratch) {                      \
    const uint item = get_local_id(0);                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                     \
    scratch[item] = value;                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                     \
    for (uint step = GROUP / 2; step > 0; step /= 2) {                \
      if (item < step) scratch[item] = combine(scratch[item], scratch[item + step]); \
      barrier(CLK_LOCAL_MEM_FENCE);                                   \
    }                                                                 \
    return scratch[0];                                                \
  }

float plus(float a, float b) { return a + b; }
ulong lower(ulong a, ulong b) { return a < b ? a : b; }
GROUP_REDUCE(group_sum, float, plus)
GROUP_REDUCE(group_largest, float, larger)
GROUP_REDUCE(group_lowest, ulong, lower)

float group_sum_of(__global const float* x, ulong count, __local float* scratch) {
  float sum = 0.0f;
  for (ulong i = get_local_id(0); i < count; i += GROUP) sum += x[i];
  return group_sum(sum, scratch);
}

float group_largest_of(__global const float* x, ulong count, __local float* scratch) {
  float largest = -INFINITY;
  for (ulong i = get_local_id(0); i < count; i += GROUP) largest = larger(largest, x[i]);
  return group_largest(largest, scratch);
}

ulong group_first_match(__global const float* x, ulong count, float wanted, __local ulong* scratch) {
  ulong found = count;
  for (ulong i = get_local_id(0); i < found; i += GROUP) {
    if (matches(x[i], wanted)) found = i;
  }
  return group_lowest(found, scratch);
}

#define GROUP_KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void

GROUP_KERNEL reduce_sum_partial_group(ulong n, IN(x), OUT(float, partials)) {
  __local float scratch[GROUP];
  const ulong block = get_group_id(0);
  const float sum = group_sum_of(IN_POINTER(x) + block * BLOCK, min((ulong)BLOCK, n - block * BLOCK), scratch);
  if (get_local_id(0) == 0) OUT_POINTER(float, partials)[block] = sum;
}

GROUP_KERNEL reduce_sum_combine_group(ulong n, IN(partials), OUT(float, result)) {
  __local float scratch[GROUP];
  const float sum = group_sum_of(IN_POINTER(partials), BLOCKS(n), scratch);
  if (get_local_id(0) == 0) OUT_POINTER(float, result)[0] = sum;
}

GROUP_KERNEL reduce_max_partial_group(ulong n, IN(x), OUT(float, partials)) {
  __local float scratch[GROUP];
  const ulong block = get_group_id(0);
  const float largest = group_largest_of(IN_POINTER(x) + block * BLOCK, min((ulong)BLOCK, n - block * BLOCK), scratch);
  if (get_local_id(0) == 0) OUT_POINTER(float, partials)[block] = largest;
}

GROUP_KERNEL reduce_max_combine_group(ulong n, IN(partials), OUT(float, result)) {
  __local float scratch[GROUP];
  const float largest = group_largest_of(IN_POINTER(partials), BLOCKS(n), scratch);
  if (get_local_id(0) == 0) OUT_POINTER(float, result)[0] = largest;
}

GROUP_KERNEL arg_max_combine_group(ulong n, IN(x), IN(partials), OUT(ulong, index)) {
  __local float scratch[GROUP];
  __local ulong indices[GROUP];
  __global const float* partials = IN_POINTER(partials);
  const ulong blocks = BLOCKS(n);
  const float wanted = group_largest_of(partials, blocks, scratch);
  const ulong begin = group_first_match(partials, blocks, wanted, indices) * BLOCK;
  const ulong count = n == 0 ? 0 : min((ulong)BLOCK, n - begin);
  const ulong within = group_first_match(IN_POINTER(x) + begin, count, wanted, indices);
  if (get_local_id(0) == 0) OUT_POINTER(ulong, index)[0] = n == 0 ? NO_INDEX : begin + within;
}
