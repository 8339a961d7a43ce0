// Softmax over rows for one CPU level: maximum, exponentials and their sum, division.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/host_entries.hpp"
#include "../common/rows.hpp"
#include "../common/simd_exp.hpp"
#include "softmax_arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::softmax {
namespace {

constexpr float kMinusInfinity = -__builtin_inff();
constexpr uint64_t kChains = 4;

// Elements summed in f32 lanes before the sum joins the others in f64: rows are up to 131072 long.
constexpr uint64_t kSumBlock = 4096;

// Largest element; NaN if there is a NaN.
float row_max(const float* x, uint64_t columns) {
  f32v largest[kChains];
  for (f32v& v : largest) v = broadcast(kMinusInfinity);
  i32v ordered = i32v{} - 1;  // all bits set while no NaN has been seen
  uint64_t j = 0;
  for (; j + kChains * kLanes <= columns; j += kChains * kLanes) {
#pragma GCC unroll 4
    for (uint64_t chain = 0; chain < kChains; ++chain) {
      const f32v v = load(x + j + chain * kLanes);
      largest[chain] = v > largest[chain] ? v : largest[chain];
      ordered &= (i32v)(v == v);
    }
  }
  bool nan = false;
  float result = kMinusInfinity;
  for (uint64_t lane = 0; lane < kLanes; ++lane) nan |= ordered[lane] == 0;
  for (const f32v& v : largest)
    for (uint64_t lane = 0; lane < kLanes; ++lane) result = v[lane] > result ? v[lane] : result;
  for (; j < columns; ++j) {
    nan |= x[j] != x[j];
    result = x[j] > result ? x[j] : result;
  }
  return nan ? __builtin_nanf("") : result;
}

// y = e^(x - largest); returns the sum of y.
double exponentials(const float* x, float* y, uint64_t columns, float largest) {
  const f32v shift = broadcast(largest);
  double total = 0;
  for (uint64_t begin = 0; begin < columns; begin += kSumBlock) {
    const uint64_t end = smaller(begin + kSumBlock, columns);
    f32v sums[kChains] = {};
    uint64_t j = begin;
    for (; j + kChains * kLanes <= end; j += kChains * kLanes) {
#pragma GCC unroll 4
      for (uint64_t chain = 0; chain < kChains; ++chain) {
        const f32v value = exponential(load(x + j + chain * kLanes) - shift);
        store(y + j + chain * kLanes, value);
        sums[chain] += value;
      }
    }
    for (; j + kLanes <= end; j += kLanes) {
      const f32v value = exponential(load(x + j) - shift);
      store(y + j, value);
      sums[0] += value;
    }
    total += double(sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])));
    if (j < end) {
      const partial_mask mask = first_lanes(end - j);
      const f32v value = exponential(load_partial(x + j, mask) - shift);
      store_partial(y + j, value, mask);
      for (uint64_t lane = 0; lane < end - j; ++lane) total += double(value[lane]);
    }
  }
  return total;
}

void fill(float* y, uint64_t columns, float value) {
  for (uint64_t j = 0; j < columns; ++j) y[j] = value;
}

void multiply(float* y, uint64_t columns, float factor) {
  for (uint64_t j = 0; j < columns; ++j) y[j] *= factor;
}

void softmax_row(const float* x, float* y, uint64_t columns) {
  const float largest = row_max(x, columns);
  if (largest == kMinusInfinity) return fill(y, columns, 0.0f);
  if (largest != largest || largest == -kMinusInfinity) return fill(y, columns, __builtin_nanf(""));
  multiply(y, columns, float(1.0 / exponentials(x, y, columns, largest)));
}

bsc_status run(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const softmax_arguments*>(blob);
  if (end > x.rows || !holds_rows(x.x, x.rows, x.columns, x.x_stride) ||
      !holds_rows(x.y, x.rows, x.columns, x.y_stride))
    return BSC_INVALID_ARGUMENT;
  if (x.columns == 0) return BSC_OK;
  for (uint64_t row = begin; row < end; ++row)
    softmax_row(pointer<const float>(x.x) + row * x.x_stride, pointer<float>(x.y) + row * x.y_stride, x.columns);
  return BSC_OK;
}

constexpr bsc_host_entry kTable[] = {
    {"softmax_f32_" BASCULE_CPU_SUFFIX, run, sizeof(softmax_arguments), 0, 0, 0, 0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::softmax

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries softmax_entries = {softmax::kTable, sizeof(softmax::kTable) / sizeof(softmax::kTable[0])};
}
