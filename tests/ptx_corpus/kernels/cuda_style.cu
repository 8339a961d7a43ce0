// Kernels as they stand in CUDA programs, in CUDA's spelling: compiled by bascule-kernel-compiler, which includes the header that
// makes it so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rotary position embedding of pairs (x, y) at one position a row: by angle position / 10000^(2 pair / width).
__global__ void rope(const float* __restrict__ in, float* __restrict__ out, const int* __restrict__ positions, int rows, int pairs) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (pair >= pairs || row >= rows) return;
  const float frequency = powf(10000.0f, -static_cast<float>(pair) / static_cast<float>(pairs));
  const float angle = static_cast<float>(positions[row]) * frequency;
  const float c = cosf(angle), s = sinf(angle);
  const float2 v = reinterpret_cast<const float2*>(in)[row * pairs + pair];
  reinterpret_cast<float2*>(out)[row * pairs + pair] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// Sparse matrix (compressed rows) by vector: one warp for each row.
__global__ void spmv_csr(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += warpSize) sum = fmaf(values[i], __ldg(&x[columns[i]]), sum);
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

// What is positive is kept: a warp's lanes take places together, found by a ballot. In any order.
__global__ void compact(const int* in, int* out, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % warpSize;
  const bool keep = i < n && in[i] > 0;
  const unsigned kept = __ballot_sync(0xffffffffu, keep);
  unsigned first = 0;
  if (lane == 0 && kept != 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(0xffffffffu, first, 0);
  if (keep) out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
}

// 5 x 5 convolution through a tile with its halo; zero outside of the image. Blocks of 16 x 8.
__global__ void convolution_2d(const float* in, const float* weights, float* out, int width, int height) {
  __shared__ float tile[8 + 4][16 + 4];
  const int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 8 - 2;
  for (int i = threadIdx.y * 16 + threadIdx.x; i < 12 * 20; i += 128) {
    const int x = x0 + i % 20, y = y0 + i / 20;
    tile[i / 20][i % 20] = x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum = fmaf(weights[dy * 5 + dx], tile[threadIdx.y + dy][threadIdx.x + dx], sum);
  }
  out[y * width + x] = sum;
}

// The last block to finish adds up what all blocks have found: found out by a counter, ordered by fences.
__global__ void last_block_sum(const float* in, float* partial, unsigned* finished, float* result, int n) {
  __shared__ float of_warp[8];
  __shared__ bool is_last;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += of_warp[w];
    partial[blockIdx.x] = total;
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
    *result = total;
    *finished = 0;
  }
}

// The largest float by compare and swap, with a NaN rule: NaNs are passed over.
__global__ void column_max(const float* in, unsigned* largest, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const float value = in[i];
  if (value != value) return;
  unsigned* const to = &largest[i % columns];
  unsigned seen = *static_cast<volatile unsigned*>(to);
  while (value > __uint_as_float(seen)) {
    const unsigned before = atomicCAS(to, seen, __float_as_uint(value));
    if (before == seen) break;
    seen = before;
  }
}

// Blocks of different cost, taken from a counter until there are none left.
__global__ void work_queue(const unsigned* work, unsigned* out, unsigned* next, int items) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = static_cast<int>(atomicAdd(next, 1u));
    __syncthreads();
    const int mine = item;
    __syncthreads();
    if (mine >= items) return;
    unsigned x = static_cast<unsigned>(mine) * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < work[mine]; ++step) x = x * 1664525u + 1013904223u;
    out[static_cast<unsigned>(mine) * blockDim.x + threadIdx.x] = x;
  }
}

// Pairs of key and place, sorted within each warp by shuffles: bitonic, ascending, stable by place.
__global__ void warp_sort(const float* keys, float* sorted, int* places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  float key = i < n ? keys[i] : 3.4e38f;
  int place = i;
  for (int size = 2; size <= 32; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, key, stride);
      const int other_place = __shfl_xor_sync(0xffffffffu, place, stride);
      const bool less = other < key || (other == key && other_place < place);
      const bool wants_less = ((lane & stride) == 0) == ((lane & size) == 0 || size == 32);
      if (less == wants_less) {
        key = other;
        place = other_place;
      }
    }
  }
  if (i < n) {
    sorted[i] = key;
    places[i] = place;
  }
}

// f32 through dynamic shared memory: moving averages over 2 radius + 1 elements.
__global__ void moving_average(const float* in, float* out, int n, int radius) {
  BASCULE_DYNAMIC_SHARED(float, window);
  const int first = static_cast<int>(blockIdx.x * blockDim.x) - radius, size = static_cast<int>(blockDim.x) + 2 * radius;
  for (int i = threadIdx.x; i < size; i += blockDim.x) window[i] = first + i >= 0 && first + i < n ? in[first + i] : 0.0f;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  int count = 0;
  for (int d = -radius; d <= radius; ++d) {
    if (i + d < 0 || i + d >= n) continue;
    sum += window[static_cast<int>(threadIdx.x) + radius + d];
    ++count;
  }
  out[i] = sum / static_cast<float>(count);
}
