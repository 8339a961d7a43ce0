// Reductions in the dialect, for every target. Contracts: reduce.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

namespace {

constexpr bsc::u64 kNone = ~bsc::u64{0};

BSC_INLINE float larger_or_nan(float a, float b) { return bsc::is_nan(a) || a > b ? a : b; }

// Of two places the one with the larger element, a NaN before all, the lower one of equals.
BSC_INLINE bsc::u64 better(bsc::in<float> x, bsc::u64 i, bsc::u64 j) {
  if (i == kNone || j == kNone) return i == kNone ? j : i;
  const float a = x[i], b = x[j];
  const bool a_nan = bsc::is_nan(a), b_nan = bsc::is_nan(b);
  if (a_nan != b_nan) return a_nan ? i : j;
  if (a != b && !a_nan) return a > b ? i : j;
  return i < j ? i : j;
}

// Calls use(begin, count, block) for each part of n elements that this block of threads does.
template <class Use>
BSC_INLINE void for_parts(bsc::u64 n, bsc::u64 part, bsc::u64 parts, Use use) {
  for (bsc::u64 block = bsc::block_id(); block < parts; block += bsc::grid_size()) {
    const bsc::u64 begin = block * part;
    use(begin, n - begin < part ? n - begin : part, block);
  }
}

}  // namespace

BASCULE_KERNEL void reduce_sum_partial(bsc::u64 n, bsc::u64 part, bsc::in<float> x, bsc::out<float> partials) {
  for_parts(n, part, partials.size(), [=](bsc::u64 begin, bsc::u64 count, bsc::u64 block) {
    float sum = 0.0f;
    for (auto i : bsc::block_stride(count)) sum += x[begin + i];
    sum = bsc::block_reduce_add(sum);
    if (bsc::thread_id() == 0) partials[block] = sum;
  });
}

BASCULE_KERNEL void reduce_sum_combine(bsc::in<float> partials, bsc::out<float> result) {
  float sum = 0.0f;
  for (auto i : bsc::block_stride(partials.size())) sum += partials[i];
  sum = bsc::block_reduce_add(sum);
  if (bsc::thread_id() == 0) result[0] = sum;
}

BASCULE_KERNEL void reduce_max_partial(bsc::u64 n, bsc::u64 part, bsc::in<float> x, bsc::out<float> partials) {
  for_parts(n, part, partials.size(), [=](bsc::u64 begin, bsc::u64 count, bsc::u64 block) {
    float largest = -bsc::internal::infinity();
    for (auto i : bsc::block_stride(count)) largest = larger_or_nan(largest, x[begin + i]);
    largest = bsc::block_reduce(largest, -bsc::internal::infinity(), larger_or_nan);
    if (bsc::thread_id() == 0) partials[block] = largest;
  });
}

BASCULE_KERNEL void reduce_max_combine(bsc::in<float> partials, bsc::out<float> result) {
  float largest = -bsc::internal::infinity();
  for (auto i : bsc::block_stride(partials.size())) largest = larger_or_nan(largest, partials[i]);
  largest = bsc::block_reduce(largest, -bsc::internal::infinity(), larger_or_nan);
  if (bsc::thread_id() == 0) result[0] = largest;
}

BASCULE_KERNEL void arg_max_partial(bsc::u64 n, bsc::u64 part, bsc::in<float> x, bsc::out<bsc::u64> partials) {
  for_parts(n, part, partials.size(), [=](bsc::u64 begin, bsc::u64 count, bsc::u64 block) {
    bsc::u64 best = kNone;
    for (auto i : bsc::block_stride(count)) best = better(x, best, begin + i);
    best = bsc::block_reduce(best, kNone, [x](bsc::u64 i, bsc::u64 j) { return better(x, i, j); });
    if (bsc::thread_id() == 0) partials[block] = best;
  });
}

BASCULE_KERNEL void arg_max_combine(bsc::in<float> x, bsc::in<bsc::u64> partials, bsc::out<bsc::u64> index) {
  bsc::u64 best = kNone;
  for (auto i : bsc::block_stride(partials.size())) best = better(x, best, partials[i]);
  best = bsc::block_reduce(best, kNone, [x](bsc::u64 i, bsc::u64 j) { return better(x, i, j); });
  if (bsc::thread_id() == 0) index[0] = best;
}
