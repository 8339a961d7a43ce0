// RMSNorm over rows for OpenCL 1.2 devices. Contract: rms_norm_arguments.hpp.
//
// A row is done by one work item with vectors (rms_norm_item, for CPUs) or by a work-group through local memory
// (rms_norm_group, for GPUs).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL FP_CONTRACT OFF

#ifndef GROUP
#define GROUP 256  // work-group size of rms_norm_group
#endif

#define PARAMETERS                                                                                                    \
  ulong rows, ulong columns, float epsilon, __global const float *x_base, ulong x_offset, ulong x_length,             \
      ulong x_stride, __global const float *w_base, ulong w_offset, ulong w_length, __global float *y_base,           \
      ulong y_offset, ulong y_length, ulong y_stride
#define ROW_OF_X(row) ((__global const float*)((__global const char*)x_base + x_offset) + (row) * x_stride)
#define ROW_OF_Y(row) ((__global float*)((__global char*)y_base + y_offset) + (row) * y_stride)
#define WEIGHTS ((__global const float*)((__global const char*)w_base + w_offset))

float sum_of_lanes(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

float scale_of(float sum, ulong columns, float epsilon) { return 1.0f / sqrt(sum / (float)columns + epsilon); }

__kernel void rms_norm_item(PARAMETERS) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  __global const float* x = ROW_OF_X(row);
  __global const float* w = WEIGHTS;
  __global float* y = ROW_OF_Y(row);
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  ulong j = 0;
  for (; j + 32 <= columns; j += 32) {
    const float8 v0 = vload8(0, x + j), v1 = vload8(1, x + j), v2 = vload8(2, x + j), v3 = vload8(3, x + j);
    s0 += v0 * v0;
    s1 += v1 * v1;
    s2 += v2 * v2;
    s3 += v3 * v3;
  }
  float sum = sum_of_lanes((s0 + s1) + (s2 + s3));
  for (; j < columns; ++j) sum += x[j] * x[j];
  const float scale = scale_of(sum, columns, epsilon);
  for (j = 0; j + 8 <= columns; j += 8) vstore8(vload8(0, x + j) * scale * vload8(0, w + j), 0, y + j);
  for (; j < columns; ++j) y[j] = x[j] * scale * w[j];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void rms_norm_group(PARAMETERS) {
  __local float scratch[GROUP];
  const uint item = get_local_id(0);
  const ulong row = get_group_id(0);
  __global const float* x = ROW_OF_X(row);
  __global const float* w = WEIGHTS;
  __global float* y = ROW_OF_Y(row);
  float sum = 0.0f;
  for (ulong j = item; j < columns; j += GROUP) sum += x[j] * x[j];
  scratch[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = GROUP / 2; step > 0; step /= 2) {
    if (item < step) scratch[item] += scratch[item + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float scale = scale_of(scratch[0], columns, epsilon);
  for (ulong j = item; j < columns; j += GROUP) y[j] = x[j] * scale * w[j];
}
