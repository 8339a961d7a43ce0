// f16 and bf16 in blocks of 32 values, to and from f32, and the loop over registers that hold one or two of them per lane.
// Only inside files x_cpu.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "backends/simt/operations/float_mode.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

struct HalfBlock {
  static constexpr NumberFormat kFormat = kF16;
  static constexpr std::uint32_t kSmallestCode = 0x0400;  // of the normal numbers

  static void decode(const std::uint16_t* codes, float* values) {
#if defined(__F16C__)
    for (unsigned i = 0; i < kLanes; i += 8) {
      _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + i))));
    }
#else
    for (unsigned i = 0; i < kLanes; ++i) values[i] = Half::decode(codes[i]);
#endif
  }
  /// To nearest; NaN gives 0x7fff.
  static void encode(const float* values, std::uint16_t* codes) {
#if defined(__F16C__)
    for (unsigned i = 0; i < kLanes; i += 8) {
      const __m256 x = _mm256_loadu_ps(values + i);
      const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(kNaN32));
      const __m256 clean = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), _mm256_cvtps_ph(clean, _MM_FROUND_TO_NEAREST_INT));
    }
#else
    for (unsigned i = 0; i < kLanes; ++i) codes[i] = static_cast<std::uint16_t>(encode_number<kF16>(values[i], Rounding::nearest));
#endif
  }
};

struct Bfloat16Block {
  static constexpr NumberFormat kFormat = kBf16;
  static constexpr std::uint32_t kSmallestCode = 0x0080;

  static void decode(const std::uint16_t* codes, float* values) {
    for (unsigned i = 0; i < kLanes; ++i) values[i] = Bfloat16::decode(codes[i]);
  }
  /// To nearest; NaN gives 0x7fff. A carry out of the mantissa is the next exponent, and infinity after the last one.
  static void encode(const float* values, std::uint16_t* codes) {
    for (unsigned i = 0; i < kLanes; ++i) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(values[i]);
      const std::uint32_t code = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
      codes[i] = static_cast<std::uint16_t>(values[i] != values[i] ? 0x7fffu : code);
    }
  }
};

/// In Op::immediate: two values per lane (f16x2, bf16x2).
inline constexpr std::uint64_t kPacked = 1u << 8;

/// Each of the low 16 bits twice.
inline std::uint32_t doubled(std::uint32_t mask) {
  std::uint32_t x = mask & 0xffffu;
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  x = (x | x << 1) & 0x55555555u;
  return x | x << 1;
}

/// Calls compute(a, b, c, results) for each block of 32 codes; with two per lane there are two blocks. Sources that the
/// operation does not have are null.
template <unsigned kSources, class F>
[[gnu::always_inline]] inline const Op* map_blocks(const Op* op, Context& context, F compute) {
  const bool packed = (op->immediate & kPacked) != 0;
  Mask mask(*op, context);
  Destination<std::uint16_t> d(context, op->operands[0]);
  Source<std::uint16_t> a(context, op->operands[1]);
  Source<std::uint16_t> b(context, op->operands[kSources > 1 ? 2 : 1]);
  Source<std::uint16_t> c(context, op->operands[kSources > 2 ? 3 : 1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next(), c.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    for (unsigned block = 0; block < (packed ? 2u : 1u); ++block) {
      const unsigned first = block * kLanes;
      alignas(64) std::uint16_t results[kLanes];
      compute(a.lanes() + first, b.lanes() + first, c.lanes() + first, results);
      const std::uint32_t values = packed ? doubled(lanes >> 16 * block) : lanes;
      if (values == kAllLanes) {
        std::memcpy(d.lanes() + first, results, sizeof results);
      } else {
        blend_lanes(d.lanes() + first, results, values);
      }
    }
  }
  return op + 1;
}

/// 32 codes as numbers, subnormals below `threshold` flushed.
template <class Format>
[[gnu::always_inline]] inline void load_block(const std::uint16_t* codes, float threshold, float* values) {
  Format::decode(codes, values);
  for (unsigned i = 0; i < kLanes; ++i) values[i] = flushed(values[i], threshold);
}

/// .ftz of a result: codes below the smallest normal one keep their sign alone. 0 flushes nothing.
[[gnu::always_inline]] inline void flush_codes(std::uint16_t* codes, std::uint32_t smallest) {
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t code = codes[i];
    codes[i] = static_cast<std::uint16_t>((code & 0x7fffu) < smallest ? code & 0x8000u : code);
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
