// CUDA kernels as they are found: no include, plain pointers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ float twice(float x) { return 2.f * x; }

__global__ void saxpy(int n, float a, const float* __restrict__ x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void block_sums(const float* x, float* sums, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += twice(x[i]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.f;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) atomicAdd(&sums[0], sum);
  }
}

__global__ void votes(const int* x, int* results) {
  int v = x[threadIdx.x];
  unsigned ballot = __ballot_sync(0xffffffff, v > 0);
  int count = __syncthreads_count(v > 0);
  __syncwarp();
  results[threadIdx.x * 4] = __popc(ballot);
  results[threadIdx.x * 4 + 1] = count;
  results[threadIdx.x * 4 + 2] = __shfl_sync(0xffffffff, v, 5, 8);
  results[threadIdx.x * 4 + 3] = __shfl_up_sync(0xffffffff, v, 2);
}
