// SGEMM for OpenCL 1.2 devices. Contract: sgemm_arguments.hpp (row-major, BLAS rules for alpha and beta).
//
// For CPUs, by one work item with vectors:
//   sgemm_pack_a, sgemm_pack_b   copy op(A) into panels of MR rows and op(B) into panels of NR columns, cut along k into slabs
//                                of KC, so that what the inner loop reads is contiguous and stays in the caches
//   sgemm_packed                 a work item makes MC x NC of C from panels; its inner loop keeps MR x NR of it in registers
//   sgemm_skinny                 for few rows, where packing B would cost more than the multiplication
// For GPUs, sgemm_group: a work-group makes TILE x TILE of C from tiles in local memory, 4 x 4 of it per work item.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product and the addition of it may be one rounding here: the contract's bound holds for both, and it halves the work.
#pragma OPENCL FP_CONTRACT ON

#define MR 6
#define NR 16
#ifndef KC
#define KC 256
#endif
#ifndef MC
#define MC 96  // a multiple of MR
#endif
#ifndef NC
#define NC 128  // a multiple of NR
#endif

#define IN(name) __global const float* name##_base, ulong name##_offset, ulong name##_length
#define OUT(name) __global float* name##_base, ulong name##_offset, ulong name##_length
#define IN_POINTER(name) ((__global const float*)((__global const char*)name##_base + name##_offset))
#define OUT_POINTER(name) ((__global float*)((__global char*)name##_base + name##_offset))

#define ROUND_UP(x, step) (((x) + (step) - 1) / (step) * (step))

// Element i of a panel's `width` for each l of a slab; `along` is the stride over l, `across` over i.
#define PACK(width)                                                              \
  if (count == width && across == 1) {                                           \
    for (ulong l = 0; l < depth; ++l) {                                          \
      for (uint i = 0; i < width; ++i) to[l * width + i] = from[l * along + i];  \
    }                                                                            \
  } else if (count == width) {                                                   \
    for (ulong l = 0; l < depth; ++l) {                                          \
      for (uint i = 0; i < width; ++i) to[l * width + i] = from[l * along + i * across]; \
    }                                                                            \
  } else {                                                                       \
    for (ulong l = 0; l < depth; ++l) {                                          \
      for (uint i = 0; i < width; ++i) to[l * width + i] = i < count ? from[l * along + i * across] : 0.0f; \
    }                                                                            \
  }

// One panel of one slab per work item: get_global_id(0) is the panel, get_global_id(1) the slab.
__kernel void sgemm_pack_a(uint transpose_a, ulong m, ulong k, IN(a), ulong lda, OUT(packed)) {
  const ulong row = (ulong)get_global_id(0) * MR;
  const ulong begin = (ulong)get_global_id(1) * KC;
  const ulong depth = min((ulong)KC, k - begin);
  const uint count = (uint)min((ulong)MR, m - row);
  const ulong along = transpose_a ? lda : 1;
  const ulong across = transpose_a ? 1 : lda;
  __global const float* from = IN_POINTER(a) + row * across + begin * along;
  __global float* to = OUT_POINTER(packed) + begin * ROUND_UP(m, MR) + row * depth;
  PACK(MR)
}

__kernel void sgemm_pack_b(uint transpose_b, ulong n, ulong k, IN(b), ulong ldb, OUT(packed)) {
  const ulong column = (ulong)get_global_id(0) * NR;
  const ulong begin = (ulong)get_global_id(1) * KC;
  const ulong depth = min((ulong)KC, k - begin);
  const uint count = (uint)min((ulong)NR, n - column);
  const ulong along = transpose_b ? 1 : ldb;
  const ulong across = transpose_b ? ldb : 1;
  __global const float* from = IN_POINTER(b) + column * across + begin * along;
  __global float* to = OUT_POINTER(packed) + begin * ROUND_UP(n, NR) + column * depth;
  PACK(NR)
}

// beta == 0: c is not read.
float blend(float alpha, float product, float beta, __global const float* c) {
  return beta == 0.0f ? alpha * product : alpha * product + beta * *c;
}

#define FOR_ROWS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define CLEAR(r) float8 lo##r = 0.0f, hi##r = 0.0f;
#define MULTIPLY(r)                 \
  lo##r = a[r] * b_lo + lo##r;      \
  hi##r = a[r] * b_hi + hi##r;
#define SPILL(r)                    \
  vstore8(lo##r, 0, tile + r * NR); \
  vstore8(hi##r, 1, tile + r * NR);
#define STORE(r)                                                                           \
  {                                                                                        \
    __global float* row = c + r * ldc;                                                     \
    if (beta == 0.0f) {                                                                    \
      vstore8(alpha * lo##r, 0, row);                                                      \
      vstore8(alpha * hi##r, 1, row);                                                      \
    } else {                                                                               \
      vstore8(alpha * lo##r + beta * vload8(0, row), 0, row);                              \
      vstore8(alpha * hi##r + beta * vload8(1, row), 1, row);                              \
    }                                                                                      \
  }

// rows x columns (at most MR x NR) of c from one panel of each.
void multiply_panels(__global const float* a, __global const float* b, ulong depth, float alpha, float beta,
                     __global float* c, ulong ldc, uint rows, uint columns) {
  FOR_ROWS(CLEAR)
  for (ulong l = 0; l < depth; ++l) {
    const float8 b_lo = vload8(0, b);
    const float8 b_hi = vload8(1, b);
    FOR_ROWS(MULTIPLY)
    a += MR;
    b += NR;
  }
  if (rows == MR && columns == NR) {
    FOR_ROWS(STORE)
  } else {
    float tile[MR * NR];
    FOR_ROWS(SPILL)
    for (uint i = 0; i < rows; ++i) {
      for (uint j = 0; j < columns; ++j) c[i * ldc + j] = blend(alpha, tile[i * NR + j], beta, c + i * ldc + j);
    }
  }
}

void scale_tile(__global float* c, ulong ldc, ulong rows, ulong columns, float beta) {
  for (ulong i = 0; i < rows; ++i) {
    for (ulong j = 0; j < columns; ++j) c[i * ldc + j] = beta == 0.0f ? 0.0f : beta * c[i * ldc + j];
  }
}

__kernel void sgemm_packed(ulong m, ulong n, ulong k, float alpha, IN(a), IN(b), float beta, OUT(c), ulong ldc) {
  const ulong row = (ulong)get_global_id(0) * MC;
  const ulong column = (ulong)get_global_id(1) * NC;
  if (row >= m || column >= n) return;
  const ulong rows = min((ulong)MC, m - row);
  const ulong columns = min((ulong)NC, n - column);
  __global float* c = OUT_POINTER(c) + row * ldc + column;
  if (alpha == 0.0f || k == 0) {
    scale_tile(c, ldc, rows, columns, beta);
    return;
  }
  for (ulong begin = 0; begin < k; begin += KC) {
    const ulong depth = min((ulong)KC, k - begin);
    __global const float* a = IN_POINTER(a) + begin * ROUND_UP(m, MR) + row * depth;
    __global const float* b = IN_POINTER(b) + begin * ROUND_UP(n, NR) + column * depth;
    for (ulong j = 0; j < columns; j += NR) {
      for (ulong i = 0; i < rows; i += MR) {
        multiply_panels(a + i * depth, b + j * depth, depth, alpha, begin == 0 ? beta : 1.0f, c + i * ldc + j, ldc,
                        (uint)min((ulong)MR, rows - i), (uint)min((ulong)NR, columns - j));
      }
    }
  }
}

float sum_of_lanes(float8 v) {
  const float4 a = v.lo + v.hi;
  const float2 b = a.lo + a.hi;
  return b.x + b.y;
}

// Element (i, l) of op(A), (l, j) of op(B).
#define A_AT(i, l) a[(i) * a_row + (l) * a_column]
#define B_AT(l, j) b[(l) * b_row + (j) * b_column]

#define SGEMM_PARAMETERS                                                                                                \
  uint transpose_a, uint transpose_b, ulong m, ulong n, ulong k, float alpha, IN(a), ulong lda, IN(b), ulong ldb,       \
      float beta, OUT(c), ulong ldc
#define SGEMM_POINTERS                             \
  __global const float* a = IN_POINTER(a);         \
  __global const float* b = IN_POINTER(b);         \
  __global float* c = OUT_POINTER(c);              \
  const ulong a_row = transpose_a ? 1 : lda;       \
  const ulong a_column = transpose_a ? lda : 1;    \
  const ulong b_row = transpose_b ? 1 : ldb;       \
  const ulong b_column = transpose_b ? ldb : 1;

#define SKINNY_ROWS 4
#ifndef STRIP
#define STRIP 128  // columns per work item, a multiple of 8
#endif

// Dot products of four rows of A (those beyond the last repeat it) with two columns of B, all contiguous along k. The sums
// of row i and column j go to sums[2 * i + j].
void dot_4x2(__global const float* a, ulong a_row, uint rows, __global const float* b, ulong b_column, ulong k, float* sums) {
  __global const float* a1 = a + min(1u, rows - 1) * a_row;
  __global const float* a2 = a + min(2u, rows - 1) * a_row;
  __global const float* a3 = a + min(3u, rows - 1) * a_row;
  __global const float* b1 = b + b_column;
  float8 s00 = 0.0f, s01 = 0.0f, s10 = 0.0f, s11 = 0.0f, s20 = 0.0f, s21 = 0.0f, s30 = 0.0f, s31 = 0.0f;
  ulong l = 0;
  for (; l + 8 <= k; l += 8) {
    const float8 v0 = vload8(0, b + l), v1 = vload8(0, b1 + l);
    const float8 w0 = vload8(0, a + l), w1 = vload8(0, a1 + l), w2 = vload8(0, a2 + l), w3 = vload8(0, a3 + l);
    s00 = w0 * v0 + s00;
    s01 = w0 * v1 + s01;
    s10 = w1 * v0 + s10;
    s11 = w1 * v1 + s11;
    s20 = w2 * v0 + s20;
    s21 = w2 * v1 + s21;
    s30 = w3 * v0 + s30;
    s31 = w3 * v1 + s31;
  }
  sums[0] = sum_of_lanes(s00);
  sums[1] = sum_of_lanes(s01);
  sums[2] = sum_of_lanes(s10);
  sums[3] = sum_of_lanes(s11);
  sums[4] = sum_of_lanes(s20);
  sums[5] = sum_of_lanes(s21);
  sums[6] = sum_of_lanes(s30);
  sums[7] = sum_of_lanes(s31);
  for (; l < k; ++l) {
    sums[0] = a[l] * b[l] + sums[0];
    sums[1] = a[l] * b1[l] + sums[1];
    sums[2] = a1[l] * b[l] + sums[2];
    sums[3] = a1[l] * b1[l] + sums[3];
    sums[4] = a2[l] * b[l] + sums[4];
    sums[5] = a2[l] * b1[l] + sums[5];
    sums[6] = a3[l] * b[l] + sums[6];
    sums[7] = a3[l] * b1[l] + sums[7];
  }
}

// The dot product of one row of A with one column of B, both contiguous along k.
float dot_1x1(__global const float* a, __global const float* b, ulong k) {
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  ulong l = 0;
  for (; l + 32 <= k; l += 32) {
    s0 = vload8(0, a + l) * vload8(0, b + l) + s0;
    s1 = vload8(1, a + l) * vload8(1, b + l) + s1;
    s2 = vload8(2, a + l) * vload8(2, b + l) + s2;
    s3 = vload8(3, a + l) * vload8(3, b + l) + s3;
  }
  float sum = sum_of_lanes((s0 + s1) + (s2 + s3));
  for (; l < k; ++l) sum = a[l] * b[l] + sum;
  return sum;
}

// Up to four rows by a strip of columns where both lie along k.
void strip_along_k(__global const float* a, ulong a_row, uint rows, __global const float* b, ulong b_column, ulong k,
                   uint columns, float* strip) {
  uint j = 0;
  if (rows > 1) {
    for (; j + 2 <= columns; j += 2) {
      float sums[2 * SKINNY_ROWS];
      dot_4x2(a, a_row, rows, b + j * b_column, b_column, k, sums);
      for (uint i = 0; i < rows; ++i) {
        strip[i * STRIP + j] = sums[2 * i];
        strip[i * STRIP + j + 1] = sums[2 * i + 1];
      }
    }
  }
  for (; j < columns; ++j) {
    for (uint i = 0; i < rows; ++i) strip[i * STRIP + j] = dot_1x1(a + i * a_row, b + j * b_column, k);
  }
}

// The same where rows of B are contiguous: they are read in order, a strip of each, and the sums stay in the nearest cache.
void strip_along_columns(__global const float* a, ulong a_row, ulong a_column, uint rows, __global const float* b, ulong b_row,
                         ulong k, uint columns, float* strip) {
  for (uint i = 0; i < rows; ++i) {
    for (uint j = 0; j < columns; ++j) strip[i * STRIP + j] = 0.0f;
  }
  ulong l = 0;
  for (; l + 4 <= k; l += 4) {
    __global const float* b0 = b + l * b_row;
    __global const float* b1 = b0 + b_row;
    __global const float* b2 = b1 + b_row;
    __global const float* b3 = b2 + b_row;
    for (uint i = 0; i < rows; ++i) {
      __global const float* at = a + i * a_row + l * a_column;
      const float w0 = at[0], w1 = at[a_column], w2 = at[2 * a_column], w3 = at[3 * a_column];
      float* sums = strip + i * STRIP;
      uint j = 0;
      for (; j + 8 <= columns; j += 8) {
        float8 sum = vload8(0, sums + j);
        sum = w0 * vload8(0, b0 + j) + sum;
        sum = w1 * vload8(0, b1 + j) + sum;
        sum = w2 * vload8(0, b2 + j) + sum;
        sum = w3 * vload8(0, b3 + j) + sum;
        vstore8(sum, 0, sums + j);
      }
      for (; j < columns; ++j) sums[j] = w3 * b3[j] + (w2 * b2[j] + (w1 * b1[j] + (w0 * b0[j] + sums[j])));
    }
  }
  for (; l < k; ++l) {
    for (uint i = 0; i < rows; ++i) {
      for (uint j = 0; j < columns; ++j) strip[i * STRIP + j] = a[i * a_row + l * a_column] * b[l * b_row + j] + strip[i * STRIP + j];
    }
  }
}

// Any strides; for A and B both transposed, which few callers have with so few rows.
void strip_of_any(__global const float* a, ulong a_row, ulong a_column, uint rows, __global const float* b, ulong b_row,
                  ulong b_column, ulong k, uint columns, float* strip) {
  for (uint i = 0; i < rows; ++i) {
    for (uint j = 0; j < columns; ++j) {
      float sum = 0.0f;
      for (ulong l = 0; l < k; ++l) sum = A_AT(i, l) * B_AT(l, j) + sum;
      strip[i * STRIP + j] = sum;
    }
  }
}

// A work item makes all m rows of STRIP columns.
__kernel void sgemm_skinny(SGEMM_PARAMETERS) {
  SGEMM_POINTERS
  const ulong begin = (ulong)get_global_id(0) * STRIP;
  if (begin >= n) return;
  const uint columns = (uint)min((ulong)STRIP, n - begin);
  if (alpha == 0.0f || k == 0) {
    scale_tile(c + begin, ldc, m, columns, beta);
    return;
  }
  b += begin * b_column;
  float strip[SKINNY_ROWS * STRIP];
  for (ulong row = 0; row < m; row += SKINNY_ROWS) {
    const uint rows = (uint)min((ulong)SKINNY_ROWS, m - row);
    __global const float* from = a + row * a_row;
    if (b_column == 1) {
      strip_along_columns(from, a_row, a_column, rows, b, b_row, k, columns, strip);
    } else if (a_column == 1) {
      strip_along_k(from, a_row, rows, b, b_column, k, columns, strip);
    } else {
      strip_of_any(from, a_row, a_column, rows, b, b_row, b_column, k, columns, strip);
    }
    for (uint i = 0; i < rows; ++i) {
      __global float* to = c + (row + i) * ldc + begin;
      for (uint j = 0; j < columns; ++j) to[j] = blend(alpha, strip[i * STRIP + j], beta, to + j);
    }
  }
}

#define TILE 64
#define TILE_K 16
#define ITEMS 16       // work items per dimension
#define PER_ITEM 4     // rows and columns of C per work item
#define PITCH (TILE + 1)  // keeps transposed stores off one bank

__kernel __attribute__((reqd_work_group_size(ITEMS, ITEMS, 1))) void sgemm_group(SGEMM_PARAMETERS) {
  __local float tile_a[TILE_K * PITCH];
  __local float tile_b[TILE_K * PITCH];
  SGEMM_POINTERS
  const uint x = get_local_id(0), y = get_local_id(1), item = y * ITEMS + x;
  const ulong row = (ulong)get_group_id(1) * TILE, column = (ulong)get_group_id(0) * TILE;
  float sums[PER_ITEM][PER_ITEM] = {{0.0f}};
  const ulong depth = alpha == 0.0f ? 0 : k;
  for (ulong begin = 0; begin < depth; begin += TILE_K) {
    for (uint e = item; e < TILE * TILE_K; e += ITEMS * ITEMS) {
      // Neighbouring work items read neighbouring elements, whichever way the matrix lies.
      const uint ai = transpose_a ? e % TILE : e / TILE_K, al = transpose_a ? e / TILE : e % TILE_K;
      const uint bj = transpose_b ? e / TILE_K : e % TILE, bl = transpose_b ? e % TILE_K : e / TILE;
      tile_a[al * PITCH + ai] = row + ai < m && begin + al < k ? A_AT(row + ai, begin + al) : 0.0f;
      tile_b[bl * PITCH + bj] = column + bj < n && begin + bl < k ? B_AT(begin + bl, column + bj) : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint l = 0; l < TILE_K; ++l) {
      for (uint i = 0; i < PER_ITEM; ++i) {
        const float value = tile_a[l * PITCH + y + i * ITEMS];
        for (uint j = 0; j < PER_ITEM; ++j) sums[i][j] = value * tile_b[l * PITCH + x + j * ITEMS] + sums[i][j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < PER_ITEM; ++i) {
    for (uint j = 0; j < PER_ITEM; ++j) {
      const ulong ci = row + y + i * ITEMS, cj = column + x + j * ITEMS;
      if (ci >= m || cj >= n) continue;
      __global float* at = c + ci * ldc + cj;
      *at = depth == 0 ? (beta == 0.0f ? 0.0f : beta * *at) : blend(alpha, sums[i][j], beta, at);
    }
  }
}
