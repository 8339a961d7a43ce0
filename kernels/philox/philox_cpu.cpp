// Philox4x32-10 for one CPU level: one block per 64-bit lane, a 32-bit word in each lane's low half.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common/arguments.hpp"
#include "../common/host_entries.hpp"
#include "../common/simd.hpp"
#include "philox_arguments.hpp"

namespace bascule::kernels::BASCULE_CPU_NAMESPACE::philox {
namespace {

constexpr uint64_t kBlocks = kVectorBytes / 8;  // blocks in a vector
constexpr uint64_t kMultiplier0 = 0xd2511f53, kMultiplier1 = 0xcd9e8d57;
constexpr uint32_t kWeyl0 = 0x9e3779b9, kWeyl1 = 0xbb67ae85;  // added to the key each round

BASCULE_ALWAYS_INLINE u64v lane_numbers() {
  u64v v = {};
  for (uint64_t lane = 0; lane < kBlocks; ++lane) v[lane] = lane;
  return v;
}

// The words of kBlocks blocks, in the low halves of the lanes; what the high halves hold does not matter, because the
// multiplication ignores it and exclusive-or and shifts move nothing down from there but the products' own high halves.
struct blocks {
  u64v word[4];
};

BASCULE_ALWAYS_INLINE blocks counters(uint64_t low, uint64_t high) {
  const u64v lows = lane_numbers() + low;
  const u64v highs = (u64v{} + high) - (u64v)(lows < low);  // a comparison gives -1 where true: the carry
  return {{lows, lows >> 32, highs, highs >> 32}};
}

BASCULE_ALWAYS_INLINE void rounds(blocks& b, uint64_t key) {
  uint32_t key0 = uint32_t(key), key1 = uint32_t(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const u64v product0 = multiply_low_halves(b.word[0], u64v{} + kMultiplier0);
    const u64v product1 = multiply_low_halves(b.word[2], u64v{} + kMultiplier1);
    b.word[0] = (product1 >> 32) ^ b.word[1] ^ (u64v{} + key0);
    b.word[1] = product1;
    b.word[2] = (product0 >> 32) ^ b.word[3] ^ (u64v{} + key1);
    b.word[3] = product0;
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
}

// Writes 4 * kBlocks words, block by block.
BASCULE_ALWAYS_INLINE void write_blocks(const blocks& b, uint32_t* output) {
  const u64v low_half = u64v{} + 0xffffffffu;
  const u64v first = (b.word[0] & low_half) | (b.word[1] << 32), second = (b.word[2] & low_half) | (b.word[3] << 32);
#if BASCULE_VECTOR_BYTES == 16
  const u64v low = __builtin_shufflevector(first, second, 0, 2), high = __builtin_shufflevector(first, second, 1, 3);
#elif BASCULE_VECTOR_BYTES == 32
  const u64v low = __builtin_shufflevector(first, second, 0, 4, 1, 5);
  const u64v high = __builtin_shufflevector(first, second, 2, 6, 3, 7);
#else
  const u64v low = __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
  const u64v high = __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
  store(output, (u32v)low);
  store(output + kLanes, (u32v)high);
}

// Words [first, last) of the stream, for the ends of a range: fewer than fill a vector of blocks.
void write_some(const philox_arguments& x, uint64_t first, uint64_t last) {
  uint32_t words[4 * kBlocks];
  while (first < last) {
    const uint64_t block = first / 4, low = x.counter_low + block;
    blocks b = counters(low, x.counter_high + (low < block));
    rounds(b, x.key);
    write_blocks(b, words);
    const uint64_t end = smaller(last, (block + kBlocks) * 4);
    for (; first < end; ++first) pointer<uint32_t>(x.output)[first] = words[first - block * 4];
  }
}

bsc_status run(const void* blob, uint64_t begin, uint64_t end, uint32_t, void*, bsc_host_team*) {
  const auto& x = *static_cast<const philox_arguments*>(blob);
  if (end > x.n || !holds<uint32_t>(x.output, x.n)) return BSC_INVALID_ARGUMENT;
  constexpr uint64_t kWords = 4 * kBlocks;
  const uint64_t whole = smaller(begin + (4 - begin % 4) % 4, end);
  write_some(x, begin, whole);
  uint64_t i = whole;
  for (; i + 2 * kWords <= end; i += 2 * kWords) {  // two at once hide the latency of the multiplications
    const uint64_t low0 = x.counter_low + i / 4, low1 = low0 + kBlocks;
    blocks a = counters(low0, x.counter_high + (low0 < i / 4));
    blocks b = counters(low1, x.counter_high + (low1 < i / 4 + kBlocks));
    rounds(a, x.key);
    rounds(b, x.key);
    write_blocks(a, pointer<uint32_t>(x.output) + i);
    write_blocks(b, pointer<uint32_t>(x.output) + i + kWords);
  }
  write_some(x, i, end);
  return BSC_OK;
}

constexpr bsc_host_entry kTable[] = {
    {"philox4x32_10_u32_" BASCULE_CPU_SUFFIX, run, sizeof(philox_arguments), 0, 0, 0, 0},
};

}  // namespace
}  // namespace bascule::kernels::BASCULE_CPU_NAMESPACE::philox

namespace bascule::kernels::BASCULE_CPU_NAMESPACE {
constexpr host_entries philox_entries = {philox::kTable, sizeof(philox::kTable) / sizeof(philox::kTable[0])};
}
