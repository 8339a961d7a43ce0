// A plain CUDA kernel, as it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
