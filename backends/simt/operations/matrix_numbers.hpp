// Elements of matrices as floats, eight at a time, and back. Every format that `mma` multiplies is exact in f32; the sums of
// integer products are too (at most 64 products of 4-bit, 32 of 8-bit numbers: below 2^24), so all of them share one
// multiplication. Included by x_cpu.cpp files only. Vectors go by reference: without AVX, passing 32 bytes by value depends
// on the compiler's flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "backends/simt/operations/number_formats.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

using F32x8 = float __attribute__((vector_size(32)));
using S32x8 = std::int32_t __attribute__((vector_size(32)));
using U32x8 = std::uint32_t __attribute__((vector_size(32)));
using U16x8 = std::uint16_t __attribute__((vector_size(16)));
using U8x8 = std::uint8_t __attribute__((vector_size(8)));

enum class Format : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8, u8, s4, u4, f32, f64, s32, b1 };

/// Elements in a 32-bit register.
constexpr unsigned elements_per_word(Format format) {
  switch (format) {
    case Format::f16:
    case Format::bf16: return 2;
    case Format::e4m3:
    case Format::e5m2:
    case Format::s8:
    case Format::u8: return 4;
    case Format::s4:
    case Format::u4: return 8;
    case Format::b1: return 32;
    default: return 1;
  }
}

/// Eight codes of a small format.
template <NumberFormat kFormat>
[[gnu::always_inline]] inline void decode_eight(const U32x8& codes, F32x8& result) {
  std::uint32_t code[8];
  float value[8];
  std::memcpy(code, &codes, sizeof code);
  for (unsigned i = 0; i < 8; ++i) value[i] = decode_number<kFormat>(code[i]);
  std::memcpy(&result, value, sizeof value);
}

[[gnu::always_inline]] inline void halves_to_float(const U32x8& halves, F32x8& result) {
#if BASCULE_CPU_LEVEL >= 3
  const __m256i words = reinterpret_cast<__m256i>(halves);
  const __m128i packed = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  result = reinterpret_cast<F32x8>(_mm256_cvtph_ps(packed));
#else
  decode_eight<kF16>(halves, result);
#endif
}

/// Element `index` of each of eight words.
template <Format format>
[[gnu::always_inline]] inline void element_of_words(const U32x8& words, unsigned index, F32x8& result) {
  if constexpr (format == Format::f16) {
    halves_to_float(words >> (16 * index) & 0xffffu, result);
  } else if constexpr (format == Format::bf16) {
    result = reinterpret_cast<F32x8>(words >> (16 * index) << 16);
  } else if constexpr (format == Format::tf32) {
    result = reinterpret_cast<F32x8>(words & ~0x1fffu);  // as the hardware: 8 bits of exponent, 10 of mantissa
  } else if constexpr (format == Format::e4m3) {
    decode_eight<kE4m3>(words >> (8 * index) & 0xffu, result);
  } else if constexpr (format == Format::e5m2) {
    decode_eight<kE5m2>(words >> (8 * index) & 0xffu, result);
  } else if constexpr (format == Format::s8) {
    result = __builtin_convertvector(reinterpret_cast<S32x8>(words << (24 - 8 * index)) >> 24, F32x8);
  } else if constexpr (format == Format::u8) {
    result = __builtin_convertvector(reinterpret_cast<S32x8>(words >> (8 * index) & 0xffu), F32x8);
  } else if constexpr (format == Format::s4) {
    result = __builtin_convertvector(reinterpret_cast<S32x8>(words << (28 - 4 * index)) >> 28, F32x8);
  } else {
    static_assert(format == Format::u4);
    result = __builtin_convertvector(reinterpret_cast<S32x8>(words >> (4 * index) & 0xfu), F32x8);
  }
}

/// `words` packed words one after the other, as floats in the same order.
template <Format format>
[[gnu::always_inline]] inline void widen(const std::uint32_t* packed, unsigned words, float* result) {
  constexpr unsigned per_word = elements_per_word(format);
  const unsigned count = words * per_word;
  if constexpr (per_word == 1) {
    for (unsigned i = 0; i < count; i += 4) {
      std::uint32_t bits[4];
      std::memcpy(bits, packed + i, sizeof bits);
      for (std::uint32_t& one : bits) one &= ~0x1fffu;
      std::memcpy(result + i, bits, sizeof bits);
    }
  } else if constexpr (per_word == 2) {
    for (unsigned i = 0; i < count; i += 8) {
#if BASCULE_CPU_LEVEL >= 3
      if constexpr (format == Format::f16) {
        _mm256_storeu_ps(result + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(packed + i / 2))));
        continue;
      }
#endif
      U16x8 narrow;
      std::memcpy(&narrow, packed + i / 2, sizeof narrow);
      F32x8 wide;
      element_of_words<format>(__builtin_convertvector(narrow, U32x8), 0, wide);
      std::memcpy(result + i, &wide, sizeof wide);
    }
  } else if constexpr (per_word == 4) {
    for (unsigned i = 0; i < count; i += 8) {
      U8x8 narrow;
      std::memcpy(&narrow, packed + i / 4, sizeof narrow);
      F32x8 wide;
      element_of_words<format>(__builtin_convertvector(narrow, U32x8), 0, wide);
      std::memcpy(result + i, &wide, sizeof wide);
    }
  } else {
    for (unsigned word = 0; word < words; ++word) {
      const U32x8 same = U32x8{} + packed[word];
      const U32x8 nibbles = same >> U32x8{0, 4, 8, 12, 16, 20, 24, 28};
      F32x8 wide;
      element_of_words<format>(nibbles, 0, wide);
      std::memcpy(result + word * 8, &wide, sizeof wide);
    }
  }
}

/// f32 to f16, to nearest even; NaN becomes 0x7fff.
[[gnu::always_inline]] inline void float_to_halves(const F32x8& values, U32x8& halves) {
#if BASCULE_CPU_LEVEL >= 3
  const __m128i packed = _mm256_cvtps_ph(reinterpret_cast<__m256>(values), _MM_FROUND_TO_NEAREST_INT);
  const U32x8 rounded = reinterpret_cast<U32x8>(_mm256_cvtepu16_epi32(packed));
#else
  float value[8];
  std::uint32_t code[8];
  std::memcpy(value, &values, sizeof value);
  for (unsigned i = 0; i < 8; ++i) code[i] = encode_number<kF16>(value[i], Rounding::nearest);
  U32x8 rounded;
  std::memcpy(&rounded, code, sizeof code);
#endif
  const U32x8 nan = reinterpret_cast<U32x8>(values != values);
  halves = (rounded & ~nan) | (nan & 0x7fffu);
}

/// Eight values from two fours and back. Through registers: a load of 32 bytes right after two stores of 16 must wait.
template <class V>
[[gnu::always_inline]] inline void join_fours(const void* low, const void* high, V& result) {
#if BASCULE_CPU_LEVEL >= 3
  const __m128i first = _mm_loadu_si128(static_cast<const __m128i*>(low));
  const __m128i second = _mm_loadu_si128(static_cast<const __m128i*>(high));
  result = reinterpret_cast<V>(_mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1));
#else
  std::memcpy(&result, low, 16);
  std::memcpy(reinterpret_cast<char*>(&result) + 16, high, 16);
#endif
}

template <class V>
[[gnu::always_inline]] inline void split_fours(const V& values, void* low, void* high) {
#if BASCULE_CPU_LEVEL >= 3
  _mm_storeu_si128(static_cast<__m128i*>(low), _mm256_castsi256_si128(reinterpret_cast<__m256i>(values)));
  _mm_storeu_si128(static_cast<__m128i*>(high), _mm256_extracti128_si256(reinterpret_cast<__m256i>(values), 1));
#else
  std::memcpy(low, &values, 16);
  std::memcpy(high, reinterpret_cast<const char*>(&values) + 16, 16);
#endif
}

/// Tensor cores give one NaN.
[[gnu::always_inline]] inline void canonical_nan(F32x8& values) {
  const U32x8 nan = reinterpret_cast<U32x8>(values != values);
  values = reinterpret_cast<F32x8>((reinterpret_cast<U32x8>(values) & ~nan) | (nan & 0x7fffffffu));
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
