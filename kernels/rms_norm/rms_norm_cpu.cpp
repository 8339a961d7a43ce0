// RMSNorm over rows for one CPU level.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/host_entries.hpp"
#include "../common/rows.hpp"
#include "../common/simd.hpp"
#include "rms_norm_arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::rms_norm {
namespace {

constexpr uint64_t kChains = 4;
constexpr uint64_t kSumBlock = 4096;  // squares summed in f32 lanes before the sum joins the others in f64

double sum_of_squares(const float* x, uint64_t columns) {
  double total = 0;
  for (uint64_t begin = 0; begin < columns; begin += kSumBlock) {
    const uint64_t end = smaller(begin + kSumBlock, columns);
    f32v sums[kChains] = {};
    uint64_t j = begin;
    for (; j + kChains * kLanes <= end; j += kChains * kLanes) {
#pragma GCC unroll 4
      for (uint64_t chain = 0; chain < kChains; ++chain) {
        const f32v v = load(x + j + chain * kLanes);
        sums[chain] = multiply_add(v, v, sums[chain]);
      }
    }
    total += double(sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])));
    for (; j < end; ++j) total += double(x[j] * x[j]);
  }
  return total;
}

void norm_row(const float* x, const float* w, float* y, uint64_t columns, float epsilon) {
  const double mean = sum_of_squares(x, columns) / double(columns);
  const float scale = float(1.0 / __builtin_sqrt(mean + double(epsilon)));
  const f32v scales = broadcast(scale);
  uint64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) store(y + j, load(x + j) * scales * load(w + j));
  for (; j < columns; ++j) y[j] = x[j] * scale * w[j];
}

bsc_status run(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const rms_norm_arguments*>(blob);
  if (end > x.rows || !holds_rows(x.x, x.rows, x.columns, x.x_stride) ||
      !holds_rows(x.y, x.rows, x.columns, x.y_stride) || !holds<float>(x.w, x.columns))
    return BSC_INVALID_ARGUMENT;
  if (x.columns == 0) return BSC_OK;
  for (uint64_t row = begin; row < end; ++row)
    norm_row(pointer<const float>(x.x) + row * x.x_stride, pointer<const float>(x.w),
             pointer<float>(x.y) + row * x.y_stride, x.columns, x.epsilon);
  return BSC_OK;
}

constexpr bsc_host_entry kTable[] = {
    {"rms_norm_f32_" BASCULE_CPU_SUFFIX, run, sizeof(rms_norm_arguments), 0, 0, 0, 0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::rms_norm

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries rms_norm_entries = {rms_norm::kTable, sizeof(rms_norm::kTable) / sizeof(rms_norm::kTable[0])};
}
