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
#define SKINNY_COLUMNS 32  // per work item

// Up to SKINNY_ROWS rows by up to 8 columns, columns contiguous in B.
void skinny_along_columns(__global const float* a, ulong a_row, ulong a_column, __global const float* b, ulong b_row, ulong k,
                          uint rows, uint columns, float* sums) {
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  // Rows beyond the last repeat it; their sums are not used.
  const ulong r1 = min(1u, rows - 1) * a_row, r2 = min(2u, rows - 1) * a_row, r3 = min(3u, rows - 1) * a_row;
  if (columns == 8) {
    for (ulong l = 0; l < k; ++l) {
      const float8 v = vload8(0, b + l * b_row);
      __global const float* at = a + l * a_column;
      s0 = at[0] * v + s0;
      s1 = at[r1] * v + s1;
      s2 = at[r2] * v + s2;
      s3 = at[r3] * v + s3;
    }
    vstore8(s0, 0, sums);
    vstore8(s1, 1, sums);
    vstore8(s2, 2, sums);
    vstore8(s3, 3, sums);
    return;
  }
  for (uint i = 0; i < rows; ++i) {
    for (uint j = 0; j < columns; ++j) {
      float sum = 0.0f;
      for (ulong l = 0; l < k; ++l) sum = a[i * a_row + l * a_column] * b[l * b_row + j] + sum;
      sums[i * 8 + j] = sum;
    }
  }
}

// Up to SKINNY_ROWS rows by one column, both contiguous along k.
void skinny_along_k(__global const float* a, ulong a_row, __global const float* b, ulong k, uint rows, float* sums) {
  float8 s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f, t0 = 0.0f, t1 = 0.0f, t2 = 0.0f, t3 = 0.0f;
  __global const float* a1 = a + min(1u, rows - 1) * a_row;
  __global const float* a2 = a + min(2u, rows - 1) * a_row;
  __global const float* a3 = a + min(3u, rows - 1) * a_row;
  ulong l = 0;
  for (; l + 16 <= k; l += 16) {
    const float8 v = vload8(0, b + l), w = vload8(1, b + l);
    s0 = vload8(0, a + l) * v + s0;
    t0 = vload8(1, a + l) * w + t0;
    if (rows > 1) {
      s1 = vload8(0, a1 + l) * v + s1;
      t1 = vload8(1, a1 + l) * w + t1;
      s2 = vload8(0, a2 + l) * v + s2;
      t2 = vload8(1, a2 + l) * w + t2;
      s3 = vload8(0, a3 + l) * v + s3;
      t3 = vload8(1, a3 + l) * w + t3;
    }
  }
  sums[0] = sum_of_lanes(s0 + t0);
  sums[8] = sum_of_lanes(s1 + t1);
  sums[16] = sum_of_lanes(s2 + t2);
  sums[24] = sum_of_lanes(s3 + t3);
  for (; l < k; ++l) {
    sums[0] = a[l] * b[l] + sums[0];
    sums[8] = a1[l] * b[l] + sums[8];
    sums[16] = a2[l] * b[l] + sums[16];
    sums[24] = a3[l] * b[l] + sums[24];
  }
}

// A work item makes all m rows of SKINNY_COLUMNS columns.
__kernel void sgemm_skinny(SGEMM_PARAMETERS) {
  SGEMM_POINTERS
  const ulong begin = (ulong)get_global_id(0) * SKINNY_COLUMNS;
  const ulong end = min(begin + SKINNY_COLUMNS, n);
  if (alpha == 0.0f || k == 0) {
    scale_tile(c + begin, ldc, m, end - begin, beta);
    return;
  }
  const bool along_k = a_column == 1 && b_row == 1;
  const uint step = along_k ? 1 : 8;
  for (ulong i = 0; i < m; i += SKINNY_ROWS) {
    const uint rows = (uint)min((ulong)SKINNY_ROWS, m - i);
    for (ulong j = begin; j < end; j += step) {
      const uint columns = (uint)min((ulong)step, end - j);
      float sums[SKINNY_ROWS * 8];
      if (along_k) {
        skinny_along_k(a + i * a_row, a_row, b + j * b_column, k, rows, sums);
      } else if (b_column == 1) {
        skinny_along_columns(a + i * a_row, a_row, a_column, b + j, b_row, k, rows, columns, sums);
      } else {
        for (uint r = 0; r < rows; ++r) {
          for (uint q = 0; q < columns; ++q) {
            float sum = 0.0f;
            for (ulong l = 0; l < k; ++l) sum = A_AT(i + r, l) * B_AT(l, j + q) + sum;
            sums[r * 8 + q] = sum;
          }
        }
      }
      for (uint r = 0; r < rows; ++r) {
        for (uint q = 0; q < columns; ++q) {
          __global float* at = c + (i + r) * ldc + j + q;
          *at = blend(alpha, sums[r * 8 + q], beta, at);
        }
      }
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
