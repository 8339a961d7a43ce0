// Attention of a prompt in the dialect, for every target: a block of threads per query and head, one pass over the keys by tiles with
// the maximum and the sum so far. Contract: attention.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bascule/device.hpp>

namespace {

constexpr bsc::u32 kThreads = 128;  // keys of a tile; at least the dimensions of a head

BSC_INLINE void put(bsc::out<bsc::bf16> o, bsc::u64 at, float value) { o[at] = bsc::to_bf16(value); }
BSC_INLINE void put(bsc::out<bsc::f16> o, bsc::u64 at, float value) { o[at] = bsc::to_f16(value); }

BSC_INLINE float larger(float a, float b) { return a > b || bsc::is_nan(a) ? a : b; }

template <class T>
BSC_INLINE void attention(bsc::u32 causal, bsc::u64 batch, bsc::u64 heads, bsc::u64 kv_heads, bsc::u64 queries, bsc::u64 keys, bsc::u64 head_dim,
                          float scale, bsc::in<T> q, bsc::u64 q_stride, bsc::in<T> k, bsc::u64 k_stride, bsc::in<T> v, bsc::u64 v_stride, bsc::out<T> o,
                          bsc::u64 o_stride) {
  using bsc::u32;
  using bsc::u64;
  constexpr float kInfinity = __builtin_inff();
  BASCULE_SHARED float query[kThreads];
  BASCULE_SHARED float weight[kThreads];
  const u32 thread = bsc::thread_id();
  for (u64 item = bsc::block_id(); item < batch * heads * queries; item += bsc::grid_size()) {
    const u64 row = item % queries, head = item / queries % heads, sequence = item / queries / heads;
    const u64 kv_head = head / (heads / kv_heads);
    const u64 seen = row + 1 + keys > queries ? row + 1 + keys - queries : 0;
    const u64 limit = causal != 0 && seen < keys ? seen : keys;
    if (thread < head_dim) query[thread] = bsc::to_float(q[(sequence * queries + row) * q_stride + head * head_dim + thread]);
    bsc::block_barrier();
    float highest = -kInfinity, sum = 0.0f, result = 0.0f;
    for (u64 tile = 0; tile < limit; tile += kThreads) {
      float score = -kInfinity;
      if (tile + thread < limit) {
        const u64 at = (sequence * keys + tile + thread) * k_stride + kv_head * head_dim;
        score = 0.0f;
        for (u64 d = 0; d < head_dim; ++d) score = bsc::fma(query[d], bsc::to_float(k[at + d]), score);
        score *= scale;
      }
      const float now = larger(highest, bsc::block_reduce(score, -kInfinity, [](float a, float b) { return larger(a, b); }));
      const float used = now == -kInfinity ? 0.0f : now;
      const float correction = bsc::exp(highest - used), mine = bsc::exp(score - used);
      weight[thread] = mine;
      sum = sum * correction + bsc::block_reduce_add(mine);  // its barriers also make the weights known
      highest = now;
      if (thread < head_dim) {
        result *= correction;
        const u64 at = (sequence * keys + tile) * v_stride + kv_head * head_dim + thread;
        for (u64 j = 0; j < kThreads && tile + j < limit; ++j) result = bsc::fma(weight[j], bsc::to_float(v[at + j * v_stride]), result);
      }
      bsc::block_barrier();
    }
    if (thread < head_dim) put(o, (sequence * queries + row) * o_stride + head * head_dim + thread, sum == 0.0f ? 0.0f : result / sum);
    bsc::block_barrier();
  }
}

}  // namespace

BASCULE_KERNEL void attention_bf16(bsc::u32 causal, bsc::u64 batch, bsc::u64 heads, bsc::u64 kv_heads, bsc::u64 queries, bsc::u64 keys,
                                   bsc::u64 head_dim, float scale, bsc::in<bsc::bf16> q, bsc::u64 q_stride, bsc::in<bsc::bf16> k, bsc::u64 k_stride,
                                   bsc::in<bsc::bf16> v, bsc::u64 v_stride, bsc::out<bsc::bf16> o, bsc::u64 o_stride) {
  attention<bsc::bf16>(causal, batch, heads, kv_heads, queries, keys, head_dim, scale, q, q_stride, k, k_stride, v, v_stride, o, o_stride);
}

BASCULE_KERNEL void attention_f16(bsc::u32 causal, bsc::u64 batch, bsc::u64 heads, bsc::u64 kv_heads, bsc::u64 queries, bsc::u64 keys,
                                  bsc::u64 head_dim, float scale, bsc::in<bsc::f16> q, bsc::u64 q_stride, bsc::in<bsc::f16> k, bsc::u64 k_stride,
                                  bsc::in<bsc::f16> v, bsc::u64 v_stride, bsc::out<bsc::f16> o, bsc::u64 o_stride) {
  attention<bsc::f16>(causal, batch, heads, kv_heads, queries, keys, head_dim, scale, q, q_stride, k, k_stride, v, v_stride, o, o_stride);
}
