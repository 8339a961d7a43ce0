// Copies blocks of A and B into panels: depth x kPanel elements, so that the innermost product reads memory in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sgemm_microkernel.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm {

// Side of the square that pack_transposed turns in registers: 4 lanes at level 2, 8 lanes otherwise.
inline constexpr uint64_t kSquare = kVectorBytes == 16 ? 4 : 8;
using square_row = float __attribute__((vector_size(kSquare * 4)));
typedef float square_row_unaligned __attribute__((vector_size(kSquare * 4), aligned(4), may_alias));
static_assert(alignof(square_row_unaligned) == 4);

// A packed panel may be written this many elements past its end (see pack_transposed).
inline constexpr uint64_t kPackSlack = 8;

BASCULE_ALWAYS_INLINE void transpose_square(square_row (&r)[kSquare]) {
#if BASCULE_VECTOR_BYTES == 16
  const square_row a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  const square_row b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const square_row c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  const square_row d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  square_row t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {  // pairs of rows interleaved
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  square_row u[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {  // fours of rows
    u[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    u[i + 1] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    u[i + 2] = __builtin_shufflevector(t[i + 1], t[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    u[i + 3] = __builtin_shufflevector(t[i + 1], t[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {  // 128-bit halves exchanged
    r[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    r[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#endif
}

// panel[k * kPanel + i] = source[i * stride + k] for i < rows, 0 for rows <= i < kPanel.
// When kPanel is no multiple of kSquare, each step also writes up to kSquare - 1 elements of the next step's place,
// which the next step overwrites; the last one spills past the panel, hence kPackSlack. Panels are packed in rising
// order.
template <uint64_t kPanel>
void pack_transposed(uint64_t rows, uint64_t depth, const float* source, uint64_t stride, float* panel) {
  uint64_t k = 0;
  for (; k + kSquare <= depth; k += kSquare) {
    square_row squares[(kPanel + kSquare - 1) / kSquare][kSquare];
#pragma GCC unroll 8
    for (uint64_t group = 0; group * kSquare < kPanel; ++group) {
#pragma GCC unroll 8
      for (uint64_t i = 0; i < kSquare; ++i) {
        const uint64_t row = group * kSquare + i;
        squares[group][i] = row < kPanel && row < rows
                                ? square_row(*reinterpret_cast<const square_row_unaligned*>(source + row * stride + k))
                                : square_row{};
      }
      transpose_square(squares[group]);
    }
#pragma GCC unroll 8
    for (uint64_t i = 0; i < kSquare; ++i)
#pragma GCC unroll 8
      for (uint64_t group = 0; group * kSquare < kPanel; ++group)
        *reinterpret_cast<square_row_unaligned*>(panel + (k + i) * kPanel + group * kSquare) = squares[group][i];
  }
  for (; k < depth; ++k)
    for (uint64_t i = 0; i < kPanel; ++i) panel[k * kPanel + i] = i < rows ? source[i * stride + k] : 0.0f;
}

// panel[k * kPanel + i] = source[k * stride + i] for i < rows, 0 for rows <= i < kPanel.
template <uint64_t kPanel>
void pack_direct(uint64_t rows, uint64_t depth, const float* source, uint64_t stride, float* panel) {
  if (rows == kPanel) {
    for (uint64_t k = 0; k < depth; ++k)
      __builtin_memcpy(panel + k * kPanel, source + k * stride, kPanel * sizeof(float));
    return;
  }
  for (uint64_t k = 0; k < depth; ++k)
    for (uint64_t i = 0; i < kPanel; ++i) panel[k * kPanel + i] = i < rows ? source[k * stride + i] : 0.0f;
}

// How an operand is read: element (i, k) of a rows x depth matrix at data[i * row_step + k * depth_step]; one of the
// steps is 1.
struct operand {
  const float* data;
  uint64_t row_step, depth_step;

  const float* at(uint64_t row, uint64_t k) const { return data + row * row_step + k * depth_step; }
  bool depth_is_contiguous() const { return depth_step == 1; }
};

// Packs rows [row, row + rows) and depths [k, k + depth) as one panel.
template <uint64_t kPanel>
BASCULE_ALWAYS_INLINE void pack_panel(const operand& x, uint64_t row, uint64_t rows, uint64_t k, uint64_t depth,
                                      float* panel) {
  if (x.depth_is_contiguous())
    pack_transposed<kPanel>(rows, depth, x.at(row, k), x.row_step, panel);
  else
    pack_direct<kPanel>(rows, depth, x.at(row, k), x.depth_step, panel);
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm
