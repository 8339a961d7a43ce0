/* axpb for OpenCL devices: y[i] = a * x[i] + b. Each buffer arrives as three parameters: base, offset in bytes and length
 * in elements, so that any offset works on devices whose memory handles cannot be offset.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma OPENCL FP_CONTRACT OFF

kernel void axpb(const float a, const float b, global const float* x_base, const ulong x_offset, const ulong x_length,
                 global float* y_base, const ulong y_offset, const ulong y_length) {
  global const float* x = (global const float*)((global const uchar*)x_base + x_offset);
  global float* y = (global float*)((global uchar*)y_base + y_offset);
  const ulong i = get_global_id(0);
  if (i < y_length && i < x_length) y[i] = a * x[i] + b;
}
