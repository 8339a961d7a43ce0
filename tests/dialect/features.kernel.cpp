// One kernel for each part of the dialect; features_test.cpp runs them on the cpu device and knows what they must give.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace features {

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number T>
constexpr T twice(T x) {
  return static_cast<T>(x + x);
}

// Eight results for each thread.
BASCULE_CONTRACT(sub_groups, length(results, "8 * x.length"), block(64))
BASCULE_KERNEL void sub_groups(bsc::in<bsc::i32> x, bsc::out<bsc::i32> results) {
  const bsc::u64 i = bsc::global_id();
  const bsc::i32 value = i < x.size() ? x[i] : 0;
  const bsc::u32 lane = bsc::lane_id();
  const std::array<bsc::i32, 8> mine = {static_cast<bsc::i32>(bsc::ballot(value > 0)),
                                        bsc::shuffle(value, (lane + 3) % bsc::lane_count()),
                                        bsc::shuffle_up(value, 1),
                                        bsc::shuffle_down(value, 2),
                                        bsc::reduce_add(value),
                                        bsc::reduce_max(value),
                                        bsc::inclusive_scan_add(value),
                                        bsc::exclusive_scan_add(value)};
  if (i >= x.size()) return;
  for (bsc::u32 k = 0; k < 8; ++k) results[i * 8 + k] = mine[k];
}

// Sums of doubles and of 64-bit integers, over lanes and over the block.
BASCULE_CONTRACT(wide_reductions, length(sums, 2), length(counts, 1), block(96))
BASCULE_KERNEL void wide_reductions(bsc::in<double> x, bsc::out<double> sums, bsc::out<bsc::u64> counts) {
  double sum = 0;
  bsc::u64 count = 0;
  for (auto i : bsc::block_stride(x.size())) {
    sum += x[i];
    count += x[i] > 0 ? bsc::u64{1} << 33 : 0;
  }
  const double total = bsc::block_reduce_add(sum);
  const double largest = bsc::block_reduce(sum, -std::numeric_limits<double>::infinity(), [](double a, double b) { return a > b ? a : b; });
  count = bsc::block_reduce_add(count);
  if (bsc::thread_id() != 0) return;
  sums[0] = total;
  sums[1] = largest;
  counts[0] = count;
}

BASCULE_CONTRACT(histogram, length(bins, 16), length(sum, 1), length(extremes, 2), block(128))
BASCULE_KERNEL void histogram(bsc::in<bsc::u32> x, bsc::inout<bsc::u32> bins, bsc::inout<float> sum, bsc::inout<bsc::i32> extremes) {
  BASCULE_SHARED bsc::u32 local[16];
  for (auto bin : bsc::block_stride(16)) local[bin] = 0;
  bsc::block_barrier();
  for (auto i : bsc::grid_stride(x.size())) {
    bsc::atomic_add(&local[x[i] % 16], 1u, bsc::order::relaxed, bsc::scope::block);
    bsc::atomic_add(&sum[0], 1.0f);
    bsc::atomic_min(&extremes[0], static_cast<bsc::i32>(x[i]));
    bsc::atomic_max(&extremes[1], static_cast<bsc::i32>(x[i]));
  }
  bsc::block_barrier();
  for (auto bin : bsc::block_stride(16)) bsc::atomic_add(&bins[bin], local[bin], bsc::order::acquire_release);
}

// A lock around a plain counter, and a flag that is published.
BASCULE_CONTRACT(ordered, length(words, 4), block(32))
BASCULE_KERNEL void ordered(bsc::inout<bsc::u32> words) {
  if (bsc::lane_id() == 0) {
    while (bsc::atomic_compare_exchange(&words[0], 0u, 1u, bsc::order::acquire) != 0) {
    }
    bsc::atomic_store(&words[1], bsc::atomic_load(&words[1]) + 1);
    bsc::atomic_exchange(&words[0], 0u, bsc::order::release);
    bsc::atomic_store(&words[2], 7u, bsc::order::release);
    bsc::fence();
    bsc::atomic_or(&words[3], 1u << (bsc::block_id() % 32));
  }
}

// Each block reversed, through dynamic shared memory.
BASCULE_CONTRACT(reversed, length(x, y.length), block(64), shared(64 * 4), requires(y.length % 64 == 0, "whole blocks"))
BASCULE_KERNEL void reversed(bsc::in<float> x, bsc::out<float> y) {
  const auto scratch = bsc::dynamic_shared<float>();
  scratch[bsc::thread_id()] = x[bsc::global_id()];
  bsc::block_barrier();
  y[bsc::global_id()] = scratch[bsc::block_size() - 1 - bsc::thread_id()];
}

// d (16 x 8) = a (16 x 16) * b (16 x 8, by columns), one sub-group.
template <class T>
BSC_INLINE void multiply_tile(bsc::in<T> a, bsc::in<T> b, bsc::out<float> d) {
  if constexpr (bsc::has_matrix_16x8x16) {
    const bsc::u32 g = bsc::lane_id() / 4, t = bsc::lane_id() % 4;
    const auto a_pair = [=](bsc::u32 row, bsc::u32 column) { return bsc::pack_pair<T>(a[row * 16 + column], a[row * 16 + column + 1]); };
    const auto b_pair = [=](bsc::u32 row) { return bsc::pack_pair<T>(b[g * 16 + row], b[g * 16 + row + 1]); };
    const bsc::matrix_a<T> left{{a_pair(g, 2 * t), a_pair(g + 8, 2 * t), a_pair(g, 2 * t + 8), a_pair(g + 8, 2 * t + 8)}};
    const bsc::matrix_b<T> right{{b_pair(2 * t), b_pair(2 * t + 8)}};
    bsc::matrix_d sum{};
    bsc::multiply_add(sum, left, right);
    for (bsc::u32 i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum.value[i];
  }
}
BASCULE_CONTRACT(matrix_f16, length(a, 256), length(b, 128), length(d, 128), block(32))
BASCULE_KERNEL void matrix_f16(bsc::in<bsc::f16> a, bsc::in<bsc::f16> b, bsc::out<float> d) { multiply_tile(a, b, d); }
BASCULE_CONTRACT(matrix_bf16, length(a, 256), length(b, 128), length(d, 128), block(32))
BASCULE_KERNEL void matrix_bf16(bsc::in<bsc::bf16> a, bsc::in<bsc::bf16> b, bsc::out<float> d) { multiply_tile(a, b, d); }

BASCULE_CONTRACT(halves, length(h, x.length), length(b, x.length))
BASCULE_KERNEL void halves(bsc::f16 factor, bsc::in<float> x, bsc::out<bsc::f16> h, bsc::out<bsc::bf16> b) {
  for (auto i : bsc::grid_stride(x.size())) {
    h[i] = bsc::to_f16(x[i] * bsc::to_float(factor));
    b[i] = bsc::to_bf16(x[i]);
  }
}

// Sixteen functions of each element; the host computes the same bits from the same header.
BASCULE_CONTRACT(maths, length(y, "16 * x.length"))
BASCULE_KERNEL void maths(bsc::in<float> x, bsc::out<float> y) {
  for (auto i : bsc::grid_stride(x.size())) {
    const float v = x[i];
    const std::array<float, 16> all = {bsc::exp(v),  bsc::exp2(v),    bsc::log(v),  bsc::log2(v), bsc::log10(v), bsc::sin(v),       bsc::cos(v),  bsc::tan(v),
                                       bsc::tanh(v), bsc::sigmoid(v), bsc::erf(v),  bsc::pow(v, 1.7f), bsc::sqrt(v), bsc::rsqrt(v), bsc::gelu(v), twice(bsc::silu(v))};
    for (bsc::u32 k = 0; k < 16; ++k) y[i * 16 + k] = all[k];
  }
}
BASCULE_CONTRACT(maths_f64, length(y, "4 * x.length"))
BASCULE_KERNEL void maths_f64(bsc::in<double> x, bsc::out<double> y) {
  for (auto i : bsc::grid_stride(x.size())) {
    y[i * 4] = bsc::exp(x[i]);
    y[i * 4 + 1] = bsc::log(x[i]);
    y[i * 4 + 2] = bsc::tanh(x[i]);
    y[i * 4 + 3] = bsc::rsqrt(x[i]);
  }
}

BASCULE_KERNEL void speak([[maybe_unused]] bsc::i32 number, bsc::in<float> x) {
  BASCULE_ASSERT(x.size() > 0);
#if defined(BSC_TARGET_PTX)
  if (bsc::global_id() == 0) bsc::print("number %d of %.2f, %s\n", number, x[0], "well");
#endif
}

}  // namespace features
