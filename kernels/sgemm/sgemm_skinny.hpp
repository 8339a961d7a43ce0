// SGEMM when C has few rows or few columns: a handful of vectors times one large matrix, which is read once from memory
// and not packed. Covers GEMV, the shape of a language model's decode step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sgemm_blocked.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm {

inline constexpr uint64_t kSkinnyLimit = 8;     // most vectors
inline constexpr uint64_t kSkinnyDepth = 4096;  // depth of a block of packed vectors
inline constexpr uint64_t kSkinnyStrip = 1024;  // outputs whose sums wait in the first-level cache
inline constexpr uint64_t kSkinnyGroup = 4;     // vectors that one pass over the matrix serves
inline constexpr uint64_t kSkinnyFloats = kSkinnyLimit * kSkinnyDepth + kSkinnyGroup * kSkinnyStrip;

// vectors: x (few rows); matrix: w (many rows). Output (vector p, matrix row q) at c[p * vector_step + q * row_step].
struct skinny_problem {
  operand x, w;
  uint64_t vectors, rows, k;
  float alpha, beta;
  float* c;
  uint64_t vector_step, row_step;
};

BASCULE_ALWAYS_INLINE void write_output(float* c, float sum, float alpha, float beta) {
  *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
}

// The packed vectors of one block: vector i, depth k at data[i * kSkinnyDepth + k].
inline void pack_vectors(const operand& x, uint64_t vectors, uint64_t k, uint64_t depth, float* packed) {
  for (uint64_t i = 0; i < vectors; ++i)
    for (uint64_t j = 0; j < depth; ++j) packed[i * kSkinnyDepth + j] = *x.at(i, k + j);
}

// Rows of w lie along the depth: kRows dot products with each of kVectors vectors.
template <int kVectors, int kRows>
void dot_rows(uint64_t depth, const float* x, const float* w, uint64_t stride, float (&sums)[kVectors][kRows]) {
  f32v sum[kVectors][kRows] = {};
  uint64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    f32v row[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      row[r] = load(w + r * stride + k);
      __builtin_prefetch(w + r * stride + k + 256);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const f32v value = load(x + v * kSkinnyDepth + k);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) sum[v][r] = multiply_add(value, row[r], sum[v][r]);
    }
  }
  if (k < depth) {
    const partial_mask mask = first_lanes(depth - k);
    for (int v = 0; v < kVectors; ++v)
      for (int r = 0; r < kRows; ++r)
        sum[v][r] = multiply_add(load_partial(x + v * kSkinnyDepth + k, mask), load_partial(w + r * stride + k, mask),
                                 sum[v][r]);
  }
  for (int v = 0; v < kVectors; ++v)
    for (int r = 0; r < kRows; ++r) sums[v][r] = sum_of_lanes(sum[v][r]);
}

template <int kVectors, int kRows>
void dot_range(const skinny_problem& p, uint64_t k, uint64_t depth, const float* x, uint64_t vector, range rows) {
  float* const c = p.c + vector * p.vector_step;
  const float beta = k == 0 ? p.beta : 1.0f;
  uint64_t row = rows.begin;
  for (; row + kRows <= rows.end; row += kRows) {
    float sums[kVectors][kRows];
    dot_rows<kVectors, kRows>(depth, x, p.w.at(row, k), p.w.row_step, sums);
    for (int v = 0; v < kVectors; ++v)
      for (int r = 0; r < kRows; ++r)
        write_output(c + v * p.vector_step + (row + r) * p.row_step, sums[v][r], p.alpha, beta);
  }
  for (; row < rows.end; ++row) {
    float sums[kVectors][1];
    dot_rows<kVectors, 1>(depth, x, p.w.at(row, k), p.w.row_step, sums);
    for (int v = 0; v < kVectors; ++v)
      write_output(c + v * p.vector_step + row * p.row_step, sums[v][0], p.alpha, beta);
  }
}

// Rows of w lie across the depth: sums[v][j] += x[v][k] * w[k][j] for kDepth values of k, over a strip of outputs.
template <int kVectors, int kDepth>
void add_scaled_rows(uint64_t width, const float* x, const float* w, uint64_t stride, float* sums) {
  f32v scale[kVectors][kDepth];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v)
#pragma GCC unroll 4
    for (int k = 0; k < kDepth; ++k) scale[v][k] = broadcast(x[v * kSkinnyDepth + k]);
  uint64_t j = 0;
  for (; j + kLanes <= width; j += kLanes) {
    f32v row[kDepth];
#pragma GCC unroll 4
    for (int k = 0; k < kDepth; ++k) row[k] = load(w + k * stride + j);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      f32v sum = load(sums + v * kSkinnyStrip + j);
#pragma GCC unroll 4
      for (int k = 0; k < kDepth; ++k) sum = multiply_add(scale[v][k], row[k], sum);
      store(sums + v * kSkinnyStrip + j, sum);
    }
  }
  if (j < width) {
    const partial_mask mask = first_lanes(width - j);
    for (int v = 0; v < kVectors; ++v) {
      f32v sum = load_partial(sums + v * kSkinnyStrip + j, mask);
      for (int k = 0; k < kDepth; ++k) sum = multiply_add(scale[v][k], load_partial(w + k * stride + j, mask), sum);
      store_partial(sums + v * kSkinnyStrip + j, sum, mask);
    }
  }
}

template <int kVectors>
void strip_range(const skinny_problem& p, uint64_t k, uint64_t depth, const float* x, uint64_t vector, range rows,
                 float* sums) {
  constexpr int kDepth = kVectors <= 2 ? 4 : 2;
  float* const c = p.c + vector * p.vector_step;
  const float beta = k == 0 ? p.beta : 1.0f;
  for (uint64_t row = rows.begin; row < rows.end; row += kSkinnyStrip) {
    const uint64_t width = smaller(kSkinnyStrip, rows.end - row);
    for (uint64_t i = 0; i < kVectors * kSkinnyStrip; ++i) sums[i] = 0.0f;
    uint64_t j = 0;
    for (; j + kDepth <= depth; j += kDepth)
      add_scaled_rows<kVectors, kDepth>(width, x + j, p.w.at(row, k + j), p.w.depth_step, sums);
    for (; j < depth; ++j) add_scaled_rows<kVectors, 1>(width, x + j, p.w.at(row, k + j), p.w.depth_step, sums);
    for (int v = 0; v < kVectors; ++v)
      for (uint64_t i = 0; i < width; ++i)
        write_output(c + v * p.vector_step + (row + i) * p.row_step, sums[v * kSkinnyStrip + i], p.alpha, beta);
  }
}

template <int kVectors>
void skinny_group(const skinny_problem& p, uint64_t k, uint64_t depth, const float* x, uint64_t vector, range rows,
                  float* sums) {
  if (p.w.depth_is_contiguous())
    dot_range<kVectors, kVectors == 4 ? 3 : 4>(p, k, depth, x, vector, rows);
  else
    strip_range<kVectors>(p, k, depth, x, vector, rows, sums);
}

// scratch: private, kSkinnyFloats. The members divide the rows of the matrix and never wait for each other.
inline void multiply_skinny(const skinny_problem& p, const member& me, float* scratch) {
  constexpr uint64_t kUnit = 48;  // whole groups of 3 and 4 rows, whole cache lines
  const range units = share_of(ceil_div(p.rows, kUnit), me.size, me.rank);
  const range rows{units.begin * kUnit, smaller(units.end * kUnit, p.rows)};
  if (rows.begin >= rows.end) return;
  float* const sums = scratch + kSkinnyLimit * kSkinnyDepth;
  const uint64_t groups = ceil_div(p.vectors, kSkinnyGroup);
  for (uint64_t k = 0; k < p.k; k += kSkinnyDepth) {
    const uint64_t depth = smaller(kSkinnyDepth, p.k - k);
    pack_vectors(p.x, p.vectors, k, depth, scratch);
    for (uint64_t group = 0; group < groups; ++group) {
      const range vectors = share_of(p.vectors, groups, group);
      const float* const x = scratch + vectors.begin * kSkinnyDepth;
      switch (vectors.end - vectors.begin) {
        case 1:
          skinny_group<1>(p, k, depth, x, vectors.begin, rows, sums);
          break;
        case 2:
          skinny_group<2>(p, k, depth, x, vectors.begin, rows, sums);
          break;
        case 3:
          skinny_group<3>(p, k, depth, x, vectors.begin, rows, sums);
          break;
        default:
          skinny_group<4>(p, k, depth, x, vectors.begin, rows, sums);
          break;
      }
    }
  }
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm
