// SGEMM for matrices: the loop nest of Goto and van de Geijn (packed blocks of A in the second-level cache, packed
// panels of B in the first), shared by a team whose members each own a rectangle of C. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/arguments.hpp"
#include "sgemm_pack.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm {

// A (rows m) and B (rows n, i.e. transposed to depth-last) as operands, C row-major.
struct problem {
  operand a, b;
  uint64_t m, n, k;
  float alpha, beta;
  float* c;
  uint64_t ldc;
};

// Depth of a block: a panel of B (kBlockDepth x kPanelColumns floats) and one of A share a 32 KiB first-level cache.
inline constexpr uint64_t kBlockDepth = kVectorBytes == 64 ? 192 : 256;
// Rows of a block of A: about a third of a 512 KiB second-level cache.
inline constexpr uint64_t kBlockRows = kPanelRows * (168 / kPanelRows);
// Columns of a block of B, packed by the whole team into shared memory (which the last-level cache should hold).
inline constexpr uint64_t kBlockColumns = 2048;

inline constexpr uint64_t kPackedAFloats = kBlockRows * kBlockDepth + kPackSlack;
inline constexpr uint64_t kPackedBFloats(uint64_t columns) { return columns * kBlockDepth + kPackSlack; }

// The size of equal blocks of at most `limit` that cover `total`, rounded up to a multiple of `unit`.
constexpr uint64_t even_block(uint64_t total, uint64_t limit, uint64_t unit) {
  const uint64_t blocks = ceil_div(total, limit);
  return ceil_div(ceil_div(total, blocks), unit) * unit;
}

struct range {
  uint64_t begin, end;
};

// Share `index` of `parts` of [0, total) units.
constexpr range share_of(uint64_t total, uint64_t parts, uint64_t index) {
  const uint64_t each = total / parts, extra = total % parts;
  const uint64_t begin = each * index + smaller(index, extra);
  return {begin, begin + each + (index < extra ? 1 : 0)};
}

// One member of a team, or the only one.
struct member {
  uint64_t rank, size;
  bsc_host_team* team;  // NULL when size is 1

  void barrier() const {
    if (size > 1) team->barrier(team);
  }
};

// How a team divides C: row_parts x column_parts = size, chosen so that the largest share is smallest. Each member
// packs the rows of A it needs itself, which counts like kPackingCost more columns.
struct division {
  uint64_t row_parts, column_parts;
};

inline division divide(uint64_t row_panels, uint64_t column_panels, uint64_t size) {
  constexpr uint64_t kPackingCost = 1;  // panels of columns
  division best{size, 1};
  uint64_t best_cost = ~uint64_t{0};
  for (uint64_t columns = 1; columns <= size; ++columns) {
    if (size % columns != 0) continue;
    const uint64_t cost = ceil_div(row_panels, size / columns) * (ceil_div(column_panels, columns) + kPackingCost);
    if (cost < best_cost) {
      best_cost = cost;
      best = {size / columns, columns};
    }
  }
  return best;
}

template <int kRows>
void multiply_tile_row(uint64_t depth, const float* a, const float* b, const tile_output& out, uint64_t rows) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return multiply_tile<kRows>(depth, a, b, out);
    multiply_tile_row<kRows - 1>(depth, a, b, out, rows);
  }
}

// rows x columns of C from packed blocks; row 0 of the block is C's row at `out.c`.
inline void multiply_block(uint64_t rows, uint64_t columns, uint64_t depth, const float* packed_a,
                           const float* packed_b, tile_output out) {
  float* const c = out.c;
  for (uint64_t column = 0; column < columns; column += kPanelColumns) {
    out.columns = smaller(kPanelColumns, columns - column);
    const float* const b = packed_b + column * depth;
    uint64_t row = 0;
    for (; row + kPanelRows <= rows; row += kPanelRows) {
      out.c = c + row * out.stride + column;
      multiply_tile<int(kPanelRows)>(depth, packed_a + row * depth, b, out);
    }
    out.c = c + row * out.stride + column;
    if (row < rows) multiply_tile_row<int(kPanelRows) - 1>(depth, packed_a + row * depth, b, out, rows - row);
  }
}

// Packs columns [0, columns) of the block of B that starts at (column, k); the members share the panels.
inline void pack_b(const problem& p, const member& me, uint64_t column, uint64_t columns, uint64_t k, uint64_t depth,
                   float* packed) {
  const range panels = share_of(ceil_div(columns, kPanelColumns), me.size, me.rank);
  for (uint64_t panel = panels.begin; panel < panels.end; ++panel) {
    const uint64_t first = panel * kPanelColumns;
    pack_panel<kPanelColumns>(p.b, column + first, smaller(kPanelColumns, columns - first), k, depth,
                              packed + first * depth);
  }
}

inline void pack_a(const problem& p, uint64_t row, uint64_t rows, uint64_t k, uint64_t depth, float* packed) {
  for (uint64_t first = 0; first < rows; first += kPanelRows)
    pack_panel<kPanelRows>(p.a, row + first, smaller(kPanelRows, rows - first), k, depth, packed + first * depth);
}

// packed_a: private, kPackedAFloats. packed_b: common to the team, two buffers of kPackedBFloats(block_columns) each:
// with two, one barrier per block suffices, since a member can run ahead of another by one block at most.
inline void multiply_blocked(const problem& p, const member& me, uint64_t block_columns, float* packed_a,
                             float* const (&packed_b)[2]) {
  const uint64_t columns_step = even_block(p.n, block_columns, kPanelColumns);
  const uint64_t depth_step = even_block(p.k, kBlockDepth, 8);
  uint64_t turn = 0;
  for (uint64_t column = 0; column < p.n; column += columns_step) {
    const uint64_t columns = smaller(columns_step, p.n - column);
    const uint64_t row_panels = ceil_div(p.m, kPanelRows), column_panels = ceil_div(columns, kPanelColumns);
    const division parts = divide(row_panels, column_panels, me.size);
    const range my_rows = share_of(row_panels, parts.row_parts, me.rank / parts.column_parts);
    const range my_columns = share_of(column_panels, parts.column_parts, me.rank % parts.column_parts);
    const uint64_t row_end = smaller(my_rows.end * kPanelRows, p.m), row_begin = my_rows.begin * kPanelRows;
    const uint64_t first = my_columns.begin * kPanelColumns;
    const uint64_t width = smaller(my_columns.end * kPanelColumns, columns) - first;
    const uint64_t rows_step = row_end > row_begin ? even_block(row_end - row_begin, kBlockRows, kPanelRows) : 1;
    for (uint64_t k = 0; k < p.k; k += depth_step, turn ^= 1) {
      const uint64_t depth = smaller(depth_step, p.k - k);
      pack_b(p, me, column, columns, k, depth, packed_b[turn]);
      me.barrier();
      if (width == 0) continue;
      for (uint64_t row = row_begin; row < row_end; row += rows_step) {
        const uint64_t rows = smaller(rows_step, row_end - row);
        pack_a(p, row, rows, k, depth, packed_a);
        multiply_block(rows, width, depth, packed_a, packed_b[turn] + first * depth,
                       {p.c + row * p.ldc + column + first, p.ldc, 0, p.alpha, k == 0 ? p.beta : 1.0f});
      }
    }
  }
}

}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::sgemm
