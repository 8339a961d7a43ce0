// y = a x + b, and a kernel that needs local memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__kernel void axpb(float a, float b, __global const float* x, __global float* y, ulong n) {
  const size_t i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + b;
}

__kernel void count(__global int* y) { y[get_global_id(0)] = (int)get_global_id(0); }
