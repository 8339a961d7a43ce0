// Kernels on tensor cores: a product of f16 matrices with cp.async, ldmatrix and mma, and attention in one pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

FORCE_INLINE void copy_16_bytes(u32 shared, const void* global, u32 bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes) : "memory");
}
FORCE_INLINE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
FORCE_INLINE void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

FORCE_INLINE void load_4_matrices(u32 (&d)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address)
               : "memory");
}
FORCE_INLINE void load_2_matrices(u32 (&d)[2], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(address) : "memory");
}
FORCE_INLINE void load_2_matrices_transposed(u32 (&d)[2], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(address) : "memory");
}
FORCE_INLINE void multiply_add(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
FORCE_INLINE u32 pack(float low, float high) {
  u32 result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

// C = A B, f16 in and f32 out, by tiles of 64 x 64 x 32 in two buffers. Four warps, each with 32 x 32 of C. Columns of A and of
// B (k and n) are multiples of 8, as copies of 16 bytes need.
KERNEL gemm_f16(const half* a, const half* b, float* c, u32 m, u32 n, u32 k) {
  constexpr u32 kRow = 40, kColumn = 72;  // halves from row to row: 16-byte aligned, and spread over the banks
  static SHARED half tile_a[2][64 * kRow] __attribute__((aligned(16)));
  static SHARED half tile_b[2][32 * kColumn] __attribute__((aligned(16)));
  const u32 t = thread_x(), warp = t / 32, row = block_y() * 64, column = block_x() * 64;
  const u32 warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  const auto fetch = [&](u32 buffer, u32 from) __attribute__((always_inline)) {
    for (u32 i = t; i < 64 * 4; i += 128) {
      const u32 r = i / 4, at = i % 4 * 8;
      const bool inside = row + r < m && from + at < k;
      copy_16_bytes(shared_address(&tile_a[buffer][r * kRow + at]), inside ? a + (u64)(row + r) * k + from + at : a, inside ? 16 : 0);
    }
    for (u32 i = t; i < 32 * 8; i += 128) {
      const u32 r = i / 8, at = i % 8 * 8;
      const bool inside = from + r < k && column + at < n;
      copy_16_bytes(shared_address(&tile_b[buffer][r * kColumn + at]), inside ? b + (u64)(from + r) * n + column + at : b,
                    inside ? 16 : 0);
    }
    commit_copies();
  };
  float sums[2][4][4] = {};
  fetch(0, 0);
  for (u32 from = 0, buffer = 0; from < k; from += 32, buffer ^= 1) {
    if (from + 32 < k) {
      fetch(buffer ^ 1, from + 32);
      await_copies<1>();
    } else {
      await_copies<0>();
    }
    barrier();
    for (u32 step = 0; step < 32; step += 16) {
      u32 left[2][4];
      for (u32 i = 0; i < 2; ++i) {
        const u32 r = warp_row + 16 * i + lane() % 16, at = step + lane() / 16 * 8;
        load_4_matrices(left[i], shared_address(&tile_a[buffer][r * kRow + at]));
      }
      for (u32 j = 0; j < 4; ++j) {
        u32 right[2];
        load_2_matrices_transposed(right, shared_address(&tile_b[buffer][(step + lane() % 16) * kColumn + warp_column + 8 * j]));
        for (u32 i = 0; i < 2; ++i) multiply_add(sums[i][j], left[i], right);
      }
    }
    barrier();
  }
  for (u32 i = 0; i < 2; ++i) {
    for (u32 j = 0; j < 4; ++j) {
      for (u32 e = 0; e < 4; ++e) {
        const u32 r = row + warp_row + 16 * i + lane() / 4 + e / 2 * 8, at = column + warp_column + 8 * j + lane() % 4 * 2 + e % 2;
        if (r < m && at < n) c[(u64)r * n + at] = sums[i][j][e];
      }
    }
  }
}

// Attention for heads of 64 in one pass over keys, with a running maximum and sum. One warp has 16 queries; blocks of one warp.
// q, k, v: [length][64] of one head at block_y; out in f32.
KERNEL flash_attention(const half* q, const half* k, const half* v, float* out, u32 length, float scale) {
  constexpr u32 kWidth = 64, kPadded = 72, kKeys = 16;
  static SHARED half tile_q[16 * kPadded] __attribute__((aligned(16)));
  static SHARED half tile_k[kKeys * kPadded] __attribute__((aligned(16)));
  static SHARED half tile_v[kKeys * kPadded] __attribute__((aligned(16)));
  const u64 head = (u64)block_y() * length * kWidth;
  const u32 first = block_x() * 16;
  const auto fetch = [&](SHARED half* tile, const half* from, u32 at) __attribute__((always_inline)) {
    for (u32 i = lane(); i < 16 * 8; i += 32) {
      const u32 r = i / 8, piece = i % 8 * 8;
      const bool inside = at + r < length;
      copy_16_bytes(shared_address(tile + r * kPadded + piece), inside ? from + head + (u64)(at + r) * kWidth + piece : from,
                    inside ? 16 : 0);
    }
    commit_copies();
  };
  fetch(tile_q, q, first);
  await_copies<0>();
  warp_barrier();
  u32 query[4][4];
  for (u32 i = 0; i < 4; ++i) load_4_matrices(query[i], shared_address(tile_q + lane() % 16 * kPadded + 16 * i + lane() / 16 * 8));

  float sums[8][4] = {}, largest[2] = {-__builtin_inff(), -__builtin_inff()}, total[2] = {};
  for (u32 key = 0; key < length; key += kKeys) {
    warp_barrier();
    fetch(tile_k, k, key);
    fetch(tile_v, v, key);
    await_copies<0>();
    warp_barrier();
    float scores[2][4] = {};
    for (u32 j = 0; j < 2; ++j) {
      for (u32 i = 0; i < 4; ++i) {
        u32 right[2];
        load_2_matrices(right, shared_address(tile_k + (8 * j + lane() % 8) * kPadded + 16 * i + lane() / 8 % 2 * 8));
        multiply_add(scores[j], query[i], right);
      }
    }
    for (u32 half_of = 0; half_of < 2; ++half_of) {
      float best = largest[half_of];
      for (u32 j = 0; j < 2; ++j) {
        for (u32 e = 0; e < 2; ++e) {
          float& score = scores[j][half_of * 2 + e];
          score = key + 8 * j + lane() % 4 * 2 + e < length ? score * scale : -__builtin_inff();
          best = __builtin_fmaxf(best, score);
        }
      }
      best = __builtin_fmaxf(best, shuffle_xor(best, 1));
      best = __builtin_fmaxf(best, shuffle_xor(best, 2));
      const float correction = fast_exp(largest[half_of] - best);
      largest[half_of] = best;
      total[half_of] *= correction;
      for (u32 j = 0; j < 2; ++j) {
        for (u32 e = 0; e < 2; ++e) {
          float& score = scores[j][half_of * 2 + e];
          score = fast_exp(score - best);
          total[half_of] += score;
        }
      }
      for (u32 j = 0; j < 8; ++j) {
        sums[j][half_of * 2] *= correction;
        sums[j][half_of * 2 + 1] *= correction;
      }
    }
    // The scores' places as an accumulator are those of a left operand.
    const u32 weights[4] = {pack(scores[0][0], scores[0][1]), pack(scores[0][2], scores[0][3]), pack(scores[1][0], scores[1][1]),
                            pack(scores[1][2], scores[1][3])};
    for (u32 j = 0; j < 8; ++j) {
      u32 right[2];
      load_2_matrices_transposed(right, shared_address(tile_v + lane() % 16 * kPadded + 8 * j));
      multiply_add(sums[j], weights, right);
    }
  }
  for (u32 half_of = 0; half_of < 2; ++half_of) {
    float sum = total[half_of];
    sum += shuffle_xor(sum, 1);
    sum += shuffle_xor(sum, 2);
    const u32 row = first + lane() / 4 + half_of * 8;
    if (row >= length) continue;
    for (u32 j = 0; j < 8; ++j) {
      for (u32 e = 0; e < 2; ++e) out[head + (u64)row * kWidth + 8 * j + lane() % 4 * 2 + e] = sums[j][half_of * 2 + e] / sum;
    }
  }
}

FORCE_INLINE void init_barrier(SHARED u64* barrier, u32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
FORCE_INLINE void arrive(SHARED u64* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier)) : "memory");
}
FORCE_INLINE void await(SHARED u64* barrier, u32 parity) {
  u32 done;
  do {
    asm volatile("{ .reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  } while (done == 0);
}

// A ring of four slots: the first warp fills them, the second one empties them; mbarriers say when.
KERNEL producer_consumer(const u32* in, u32* out, u32 n) {
  static SHARED u64 full[4], empty[4];
  static SHARED u32 slots[4][32];
  if (thread_x() == 0) {
    for (u32 i = 0; i < 4; ++i) {
      init_barrier(&full[i], 32);
      init_barrier(&empty[i], 32);
    }
  }
  barrier();
  const u32 rounds = (n + 31) / 32;
  if (thread_x() < 32) {
    for (u32 round = 0; round < rounds; ++round) {
      if (round >= 4) await(&empty[round % 4], (round / 4 - 1) & 1);
      const u32 i = round * 32 + lane();
      slots[round % 4][lane()] = i < n ? in[i] : 0;
      arrive(&full[round % 4]);
    }
  } else {
    for (u32 round = 0; round < rounds; ++round) {
      await(&full[round % 4], round / 4 & 1);
      const u32 value = slots[round % 4][lane() ^ 31];
      arrive(&empty[round % 4]);
      const u32 i = round * 32 + (lane() ^ 31);
      if (i < n) out[i] = value * value;
    }
  }
}
