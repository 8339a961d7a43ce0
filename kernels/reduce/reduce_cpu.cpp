// Sum, maximum and its index for one CPU level: a partial result per fixed block, then one pass over these in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/arguments.hpp"
#include "../common/host_entries.hpp"
#include "../common/simd.hpp"
#include "reduce_arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::reduce {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
constexpr uint64_t kChains = 8;  // independent vectors, so that latency does not limit

double sum_block(const float* x, uint64_t count) {
  f32v sums[kChains] = {};
  uint64_t i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes)
#pragma GCC unroll 8
    for (uint64_t j = 0; j < kChains; ++j) sums[j] += load(x + i + j * kLanes);
  double total = 0;
  for (uint64_t j = 0; j < kChains; ++j) total += double(sum_of_lanes(sums[j]));
  for (; i < count; ++i) total += double(x[i]);
  return total;
}

// The larger one; a NaN in either comes through.
BASCULE_ALWAYS_INLINE float propagating_max(float a, float b) { return a > b || a != a ? a : b; }

float max_block(const float* x, uint64_t count) {
  f32v largest[kChains];
  i32v ordered = i32v{} - 1;  // all bits set while no NaN has been seen
  for (f32v& v : largest) v = broadcast(kMinusInfinity);
  uint64_t i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes) {
#pragma GCC unroll 8
    for (uint64_t j = 0; j < kChains; ++j) {
      const f32v v = load(x + i + j * kLanes);
      largest[j] = v > largest[j] ? v : largest[j];  // drops a NaN in v, hence `ordered`
      ordered &= (i32v)(v == v);
    }
  }
  float result = kMinusInfinity;
  for (uint64_t lane = 0; lane < kLanes; ++lane)
    if (ordered[lane] == 0) return __builtin_nanf("");
  for (const f32v& v : largest)
    for (uint64_t lane = 0; lane < kLanes; ++lane) result = v[lane] > result ? v[lane] : result;
  for (; i < count; ++i) result = propagating_max(result, x[i]);
  return result;
}

// Index of the first NaN if `wanted` is NaN, else of the first element equal to it; `count` if there is none.
uint64_t find(const float* x, uint64_t count, float wanted) {
  const bool nan = wanted != wanted;
  for (uint64_t i = 0; i < count; ++i)
    if (nan ? x[i] != x[i] : x[i] == wanted) return i;
  return count;
}

template <typename T, T (*kReduce)(const float*, uint64_t)>
bsc_status partial(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& args = *static_cast<const reduce_partial_arguments*>(blob);
  const uint64_t blocks = ceil_div(args.n, kReduceBlock);
  if (end > blocks || !holds<float>(args.x, args.n) || !holds<T>(args.partials, blocks)) return BSC_INVALID_ARGUMENT;
  for (uint64_t block = begin; block < end; ++block) {
    const uint64_t first = block * kReduceBlock;
    pointer<T>(args.partials)[block] =
        kReduce(pointer<const float>(args.x) + first, smaller(kReduceBlock, args.n - first));
  }
  return BSC_OK;
}

bsc_status sum_combine(const void* blob, uint64_t, uint64_t, uint32_t, void*, bsc_host_team*) {
  const auto& args = *static_cast<const reduce_combine_arguments*>(blob);
  const uint64_t blocks = ceil_div(args.n, kReduceBlock);
  if (!holds<double>(args.partials, blocks) || !holds<float>(args.result, 1)) return BSC_INVALID_ARGUMENT;
  double total = 0;
  for (uint64_t block = 0; block < blocks; ++block) total += pointer<const double>(args.partials)[block];
  *pointer<float>(args.result) = float(total);
  return BSC_OK;
}

bsc_status max_combine(const void* blob, uint64_t, uint64_t, uint32_t, void*, bsc_host_team*) {
  const auto& args = *static_cast<const reduce_combine_arguments*>(blob);
  const uint64_t blocks = ceil_div(args.n, kReduceBlock);
  if (!holds<float>(args.partials, blocks) || !holds<float>(args.result, 1)) return BSC_INVALID_ARGUMENT;
  *pointer<float>(args.result) = max_block(pointer<const float>(args.partials), blocks);
  return BSC_OK;
}

bsc_status arg_max_combine(const void* blob, uint64_t, uint64_t, uint32_t, void*, bsc_host_team*) {
  const auto& args = *static_cast<const arg_max_combine_arguments*>(blob);
  const uint64_t blocks = ceil_div(args.n, kReduceBlock);
  if (!holds<float>(args.x, args.n) || !holds<float>(args.partials, blocks) || !holds<uint64_t>(args.index, 1))
    return BSC_INVALID_ARGUMENT;
  uint64_t index = kNoIndex;
  if (args.n != 0) {
    const float* const partials = pointer<const float>(args.partials);
    const float wanted = max_block(partials, blocks);
    const uint64_t first = find(partials, blocks, wanted) * kReduceBlock;
    index = first + find(pointer<const float>(args.x) + first, smaller(kReduceBlock, args.n - first), wanted);
  }
  // An output is aligned to its element, so a plain store is right.
  *pointer<uint64_t>(args.index) = index;
  return BSC_OK;
}

constexpr bsc_host_entry kTable[] = {
    {"reduce_sum_partial_f32_" BASCULE_CPU_SUFFIX, partial<double, sum_block>, sizeof(reduce_partial_arguments), 0, 0,
     0, 0},
    {"reduce_sum_combine_f32_" BASCULE_CPU_SUFFIX, sum_combine, sizeof(reduce_combine_arguments), 0, 0, 0, 0},
    {"reduce_max_partial_f32_" BASCULE_CPU_SUFFIX, partial<float, max_block>, sizeof(reduce_partial_arguments), 0, 0, 0,
     0},
    {"reduce_max_combine_f32_" BASCULE_CPU_SUFFIX, max_combine, sizeof(reduce_combine_arguments), 0, 0, 0, 0},
    {"arg_max_combine_f32_" BASCULE_CPU_SUFFIX, arg_max_combine, sizeof(arg_max_combine_arguments), 0, 0, 0, 0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::reduce

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries reduce_entries = {reduce::kTable, sizeof(reduce::kTable) / sizeof(reduce::kTable[0])};
}
