// The stream kernels for one CPU level. Arrays too large for the last-level cache are written past it (non-temporal
// stores), which saves reading every line of the output first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/arguments.hpp"
#include "../common/cache_size.hpp"
#include "../common/host_entries.hpp"
#include "../common/simd.hpp"
#include "stream_arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::stream {
namespace {

// Writes output[i] = f(i) for begin <= i < end, where f gives a vector for kLanes elements or, for the ends, one
// element.
template <typename Vector, typename Element>
BASCULE_ALWAYS_INLINE void map(float* output, uint64_t begin, uint64_t end, const Vector& vector,
                               const Element& element) {
  uint64_t i = begin;
  for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
    const f32v a = vector(i), b = vector(i + kLanes), c = vector(i + 2 * kLanes), d = vector(i + 3 * kLanes);
    store(output + i, a);
    store(output + i + kLanes, b);
    store(output + i + 2 * kLanes, c);
    store(output + i + 3 * kLanes, d);
  }
  for (; i < end; ++i) output[i] = element(i);
}

// The same past the caches. Whole cache lines are written at once, or the processor would have to merge them.
template <typename Vector, typename Element>
BASCULE_ALWAYS_INLINE void map_streaming(float* output, uint64_t begin, uint64_t end, const Vector& vector,
                                         const Element& element) {
  constexpr uint64_t kLine = 64 / sizeof(float);
  uint64_t i = begin;
  for (; i < end && reinterpret_cast<uintptr_t>(output + i) % 64 != 0; ++i) output[i] = element(i);
  for (; i + kLine <= end; i += kLine)
#pragma GCC unroll 4
    for (uint64_t part = 0; part < kLine; part += kLanes) store_streaming(output + i + part, vector(i + part));
  streaming_done();
  for (; i < end; ++i) output[i] = element(i);
}

// `bytes` is what the whole launch touches.
template <typename Vector, typename Element>
BASCULE_ALWAYS_INLINE void write(float* output, uint64_t begin, uint64_t end, uint64_t bytes, const Vector& vector,
                                 const Element& element) {
  if (bytes > last_level_cache_bytes())
    map_streaming(output, begin, end, vector, element);
  else
    map(output, begin, end, vector, element);
}

bsc_status copy(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_copy_arguments*>(blob);
  if (end > x.n || !holds<float>(x.a, x.n) || !holds<float>(x.c, x.n)) return BSC_INVALID_ARGUMENT;
  const float* const a = pointer<const float>(x.a);
  write(
      pointer<float>(x.c), begin, end, x.n * 8, [=](uint64_t i) { return load(a + i); },
      [=](uint64_t i) { return a[i]; });
  return BSC_OK;
}

bsc_status scale(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_scale_arguments*>(blob);
  if (end > x.n || !holds<float>(x.c, x.n) || !holds<float>(x.b, x.n)) return BSC_INVALID_ARGUMENT;
  const float* const c = pointer<const float>(x.c);
  const float scalar = x.scalar;
  const f32v scalars = broadcast(scalar);
  write(
      pointer<float>(x.b), begin, end, x.n * 8, [=](uint64_t i) { return scalars * load(c + i); },
      [=](uint64_t i) { return scalar * c[i]; });
  return BSC_OK;
}

bsc_status add(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_add_arguments*>(blob);
  if (end > x.n || !holds<float>(x.a, x.n) || !holds<float>(x.b, x.n) || !holds<float>(x.c, x.n))
    return BSC_INVALID_ARGUMENT;
  const float *const a = pointer<const float>(x.a), *const b = pointer<const float>(x.b);
  write(
      pointer<float>(x.c), begin, end, x.n * 12, [=](uint64_t i) { return load(a + i) + load(b + i); },
      [=](uint64_t i) { return a[i] + b[i]; });
  return BSC_OK;
}

bsc_status triad(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_triad_arguments*>(blob);
  if (end > x.n || !holds<float>(x.a, x.n) || !holds<float>(x.b, x.n) || !holds<float>(x.c, x.n))
    return BSC_INVALID_ARGUMENT;
  const float *const b = pointer<const float>(x.b), *const c = pointer<const float>(x.c);
  const float scalar = x.scalar;
  const f32v scalars = broadcast(scalar);
  write(
      pointer<float>(x.a), begin, end, x.n * 12, [=](uint64_t i) { return load(b + i) + scalars * load(c + i); },
      [=](uint64_t i) { return b[i] + scalar * c[i]; });
  return BSC_OK;
}

double dot_block(const float* a, const float* b, uint64_t count) {
  f32v sums[8] = {};
  uint64_t i = 0;
  for (; i + 8 * kLanes <= count; i += 8 * kLanes)
#pragma GCC unroll 8
    for (uint64_t j = 0; j < 8; ++j)
      sums[j] = multiply_add(load(a + i + j * kLanes), load(b + i + j * kLanes), sums[j]);
  double total = 0;
  for (uint64_t j = 0; j < 8; ++j) total += double(sum_of_lanes(sums[j]));
  for (; i < count; ++i) total += double(a[i]) * double(b[i]);
  return total;
}

bsc_status dot_partial(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_dot_partial_arguments*>(blob);
  const uint64_t blocks = ceil_div(x.n, kStreamDotBlock);
  if (end > blocks || !holds<float>(x.a, x.n) || !holds<float>(x.b, x.n) || !holds<double>(x.partials, blocks))
    return BSC_INVALID_ARGUMENT;
  for (uint64_t block = begin; block < end; ++block) {
    const uint64_t first = block * kStreamDotBlock;
    pointer<double>(x.partials)[block] = dot_block(pointer<const float>(x.a) + first, pointer<const float>(x.b) + first,
                                                   smaller(kStreamDotBlock, x.n - first));
  }
  return BSC_OK;
}

bsc_status dot_combine(const void* blob, uint64_t, uint64_t, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const stream_dot_combine_arguments*>(blob);
  const uint64_t blocks = ceil_div(x.n, kStreamDotBlock);
  if (!holds<double>(x.partials, blocks) || !holds<float>(x.result, 1)) return BSC_INVALID_ARGUMENT;
  double total = 0;
  for (uint64_t block = 0; block < blocks; ++block) total += pointer<const double>(x.partials)[block];
  *pointer<float>(x.result) = float(total);
  return BSC_OK;
}

constexpr bsc_host_entry kTable[] = {
    {"stream_copy_f32_" BASCULE_CPU_SUFFIX, copy, sizeof(stream_copy_arguments), 0, 0, 0, 0},
    {"stream_scale_f32_" BASCULE_CPU_SUFFIX, scale, sizeof(stream_scale_arguments), 0, 0, 0, 0},
    {"stream_add_f32_" BASCULE_CPU_SUFFIX, add, sizeof(stream_add_arguments), 0, 0, 0, 0},
    {"stream_triad_f32_" BASCULE_CPU_SUFFIX, triad, sizeof(stream_triad_arguments), 0, 0, 0, 0},
    {"stream_dot_partial_f32_" BASCULE_CPU_SUFFIX, dot_partial, sizeof(stream_dot_partial_arguments), 0, 0, 0, 0},
    {"stream_dot_combine_f32_" BASCULE_CPU_SUFFIX, dot_combine, sizeof(stream_dot_combine_arguments), 0, 0, 0, 0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::stream

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries stream_entries = {stream::kTable, sizeof(stream::kTable) / sizeof(stream::kTable[0])};
}
