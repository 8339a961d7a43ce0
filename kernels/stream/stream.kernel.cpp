// The stream kernels in the dialect, for every target. Contracts: stream.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

BASCULE_KERNEL void stream_copy(bsc::u64 n, bsc::in<float> a, bsc::out<float> c) {
  for (auto i : bsc::grid_stride(n)) c[i] = a[i];
}

BASCULE_KERNEL void stream_scale(bsc::u64 n, float s, bsc::in<float> c, bsc::out<float> b) {
  for (auto i : bsc::grid_stride(n)) b[i] = s * c[i];
}

BASCULE_KERNEL void stream_add(bsc::u64 n, bsc::in<float> a, bsc::in<float> b, bsc::out<float> c) {
  for (auto i : bsc::grid_stride(n)) c[i] = a[i] + b[i];
}

BASCULE_KERNEL void stream_triad(bsc::u64 n, float s, bsc::in<float> b, bsc::in<float> c, bsc::out<float> a) {
  for (auto i : bsc::grid_stride(n)) a[i] = b[i] + s * c[i];
}

// One block of threads per `part` elements; the order of additions depends on n alone.
BASCULE_KERNEL void stream_dot_partial(bsc::u64 n, bsc::u64 part, bsc::in<float> a, bsc::in<float> b, bsc::out<float> partials) {
  for (bsc::u64 block = bsc::block_id(); block < partials.size(); block += bsc::grid_size()) {
    const bsc::u64 begin = block * part;
    const bsc::u64 count = n - begin < part ? n - begin : part;
    float sum = 0.0f;
    for (auto i : bsc::block_stride(count)) sum += a[begin + i] * b[begin + i];
    sum = bsc::block_reduce_add(sum);
    if (bsc::thread_id() == 0) partials[block] = sum;
  }
}

BASCULE_KERNEL void stream_dot_combine(bsc::in<float> partials, bsc::out<float> result) {
  float sum = 0.0f;
  for (auto i : bsc::block_stride(partials.size())) sum += partials[i];
  sum = bsc::block_reduce_add(sum);
  if (bsc::thread_id() == 0) result[0] = sum;
}
