// Softmax over rows for OpenCL 1.2 devices. Contract: softmax_arguments.hpp.
//
// A row is done by one work item with vectors (softmax_item, for CPUs) or by a work-group through local memory
// (softmax_group, for GPUs). The largest element is found first, ignoring NaN; a NaN or +inf then makes the sum NaN, which
// every element of the row is divided by. A row of -inf alone has the sum 0 and is set to 0.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL FP_CONTRACT OFF

#ifndef GROUP
#define GROUP 256  // work-group size of softmax_group
#endif

#define PARAMETERS                                                                                              \
  ulong rows, ulong columns, __global const float *x_base, ulong x_offset, ulong x_length, ulong x_stride,      \
      __global float *y_base, ulong y_offset, ulong y_length, ulong y_stride
#define ROW_OF_X(row) ((__global const float*)((__global const char*)x_base + x_offset) + (row) * x_stride)
#define ROW_OF_Y(row) ((__global float*)((__global char*)y_base + y_offset) + (row) * y_stride)

float sum_of_lanes(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

float larger(float a, float b) { return b > a ? b : a; }

float largest_lane(float8 v) {
  return larger(larger(larger(v.s0, v.s1), larger(v.s2, v.s3)), larger(larger(v.s4, v.s5), larger(v.s6, v.s7)));
}

// Subtracting -inf from -inf would give NaN; e^(-inf - 0) is 0.
float shift_of(float largest) { return largest == -INFINITY ? 0.0f : largest; }

__kernel void softmax_item(PARAMETERS) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  __global const float* x = ROW_OF_X(row);
  __global float* y = ROW_OF_Y(row);

  float8 m0 = -INFINITY, m1 = -INFINITY;
  ulong j = 0;
  for (; j + 16 <= columns; j += 16) {
    const float8 v0 = vload8(0, x + j), v1 = vload8(1, x + j);
    m0 = select(m0, v0, v0 > m0);
    m1 = select(m1, v1, v1 > m1);
  }
  float largest = larger(largest_lane(m0), largest_lane(m1));
  for (; j < columns; ++j) largest = larger(largest, x[j]);
  const float shift = shift_of(largest);

  float8 s0 = 0.0f, s1 = 0.0f;
  for (j = 0; j + 16 <= columns; j += 16) {
    const float8 e0 = exp(vload8(0, x + j) - shift), e1 = exp(vload8(1, x + j) - shift);
    vstore8(e0, 0, y + j);
    vstore8(e1, 1, y + j);
    s0 += e0;
    s1 += e1;
  }
  float sum = sum_of_lanes(s0 + s1);
  for (; j < columns; ++j) {
    const float e = exp(x[j] - shift);
    y[j] = e;
    sum += e;
  }

  const float divisor = sum == 0.0f ? 1.0f : sum;
  for (j = 0; j + 8 <= columns; j += 8) vstore8(vload8(0, y + j) / divisor, 0, y + j);
  for (; j < columns; ++j) y[j] /= divisor;
}

#define GROUP_REDUCE(name, combine)                                   \
  float name(float value, __local float* scratch) {                   \
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
GROUP_REDUCE(group_sum, plus)
GROUP_REDUCE(group_largest, larger)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void softmax_group(PARAMETERS) {
  __local float scratch[GROUP];
  const ulong row = get_group_id(0);
  __global const float* x = ROW_OF_X(row);
  __global float* y = ROW_OF_Y(row);
  float largest = -INFINITY;
  for (ulong j = get_local_id(0); j < columns; j += GROUP) largest = larger(largest, x[j]);
  const float shift = shift_of(group_largest(largest, scratch));
  float sum = 0.0f;
  for (ulong j = get_local_id(0); j < columns; j += GROUP) sum += exp(x[j] - shift);
  sum = group_sum(sum, scratch);
  const float divisor = sum == 0.0f ? 1.0f : sum;
  for (ulong j = get_local_id(0); j < columns; j += GROUP) y[j] = exp(x[j] - shift) / divisor;
}
