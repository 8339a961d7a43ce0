// The fragments of mma: which register of which lane holds which element. Included by x_cpu.cpp files only.
//
// All shapes but m8n8k4 of f16 are one scheme. Lane = 4 g + t. A register of A with E elements per register holds, in lane
// (g, t), the elements (row g, columns E t ... E t + E - 1) of a part of A with 8 rows and 4 E columns; parts follow each other
// down the rows first, then along k. B is the same transposed: (rows E t ..., column g) of parts with 4 E rows. C and D have
// the elements (row g, columns 2 t and 2 t + 1) of parts with 8 rows.
//
// In here columns are kept in the order 0 2 4 6 1 3 5 7: then a row of C is four consecutive lanes of its even register and
// four of its odd one, and only B must be rearranged.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/operations/matrix_operation.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

template <Format format>
[[gnu::always_inline]] inline void load_a(const Context& context, const Slot* slots, unsigned warp, const Product& product,
                                          float* a) {
  constexpr unsigned width = 4 * elements_per_word(format);
  const unsigned stride = width * product.k_parts;
  for (unsigned part = 0; part < product.k_parts; ++part) {
    for (unsigned half = 0; half < product.row_parts; ++half) {
      const std::uint32_t* const lanes = register_lanes<std::uint32_t>(context, *slots++, warp);
      float* const to = a + half * 8 * stride + part * width;
      for (unsigned g = 0; g < 8; ++g) widen<format>(lanes + 4 * g, 4, to + g * stride);
    }
  }
}

/// Words of eight columns (0 2 4 6 1 3 5 7) for t = 0..3.
[[gnu::always_inline]] inline void transpose_words(const std::uint32_t* lanes, U32x8* words) {
#if BASCULE_CPU_LEVEL >= 3
  // Row i: columns 2 i in the lower half, 2 i + 1 in the upper one; then both halves are transposed together.
  const float* const from = reinterpret_cast<const float*>(lanes);
  const __m256 row0 = _mm256_loadu_ps(from), row1 = _mm256_loadu_ps(from + 8);
  const __m256 row2 = _mm256_loadu_ps(from + 16), row3 = _mm256_loadu_ps(from + 24);
  const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(row0, row1)), high01 = _mm256_castps_pd(_mm256_unpackhi_ps(row0, row1));
  const __m256d low23 = _mm256_castps_pd(_mm256_unpacklo_ps(row2, row3)), high23 = _mm256_castps_pd(_mm256_unpackhi_ps(row2, row3));
  words[0] = reinterpret_cast<U32x8>(_mm256_unpacklo_pd(low01, low23));
  words[1] = reinterpret_cast<U32x8>(_mm256_unpackhi_pd(low01, low23));
  words[2] = reinterpret_cast<U32x8>(_mm256_unpacklo_pd(high01, high23));
  words[3] = reinterpret_cast<U32x8>(_mm256_unpackhi_pd(high01, high23));
#else
  for (unsigned t = 0; t < 4; ++t) {
    for (unsigned i = 0; i < 4; ++i) {
      words[t][i] = lanes[8 * i + t];
      words[t][4 + i] = lanes[8 * i + 4 + t];
    }
  }
#endif
}

template <Format format>
[[gnu::always_inline]] inline void load_b(const Context& context, const Slot* slots, unsigned warp, const Product& product,
                                          float* b) {
  constexpr unsigned elements = elements_per_word(format);
  for (unsigned part = 0; part < product.k_parts; ++part) {
    U32x8 words[4];
    transpose_words(register_lanes<std::uint32_t>(context, *slots++, warp), words);
    for (unsigned t = 0; t < 4; ++t) {
#pragma GCC unroll 8
      for (unsigned element = 0; element < elements; ++element) {
        F32x8 row;
        element_of_words<format>(words[t], element, row);
        std::memcpy(b, &row, sizeof row);
        b += 8;
      }
    }
  }
}

[[gnu::always_inline]] inline void load_half_row(const std::uint32_t* lanes, F32x8& row) {
  U32x8 words;
  join_fours(lanes, lanes, words);
  halves_to_float(words >> U32x8{0, 0, 0, 0, 16, 16, 16, 16} & 0xffffu, row);
}

[[gnu::always_inline]] inline void store_half_row(const F32x8& row, std::uint32_t* lanes) {
  U32x8 halves;
  float_to_halves(row, halves);
  __m128i even, odd;
  split_fours(halves, &even, &odd);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), _mm_or_si128(even, _mm_slli_epi32(odd, 16)));
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
