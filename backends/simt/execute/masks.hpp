// From a mask of lanes to lanes and back: a predicate is a 32-bit word, bit i for lane i; the loops over lanes want it as wide as
// what they work on, all ones or all zeros per lane. Compilers find neither of the two conversions by themselves at every
// width (16 and 64 bits stay scalar), so they are spelled with vectors here.
// Compiled once per x86-64 level, inside files x_cpu.cpp only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "backends/simt/execute/op.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

template <unsigned bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
template <unsigned bytes>
using Unsigned = typename UnsignedOf<bytes>::type;
/// The unsigned integer that is as wide as a lane of type T.
template <class T>
using Word = Unsigned<sizeof(T)>;

#if BASCULE_CPU_LEVEL >= 3
inline constexpr unsigned kVectorBytes = 32;
#else
inline constexpr unsigned kVectorBytes = 16;
#endif

/// As many lanes as one vector register holds.
template <class W>
struct VectorOf {
  using type [[gnu::vector_size(kVectorBytes)]] = W;
};
template <class W>
using Vector = typename VectorOf<W>::type;
template <class W>
inline constexpr unsigned kWidth = kVectorBytes / sizeof(W);

/// The lanes from `first` on: all ones where their bit in `mask` is set, else 0.
template <class W>
[[gnu::always_inline]] inline Vector<W> spread_mask(std::uint32_t mask, unsigned first) {
  Vector<W> bits;
  Vector<W> chosen;
  if constexpr (sizeof(W) == 1) {
    for (unsigned part = 0; part < kWidth<W>; part += 8) {
      const std::uint64_t eight = (mask >> (first + part) & 0xffu) * 0x0101010101010101u;
      std::memcpy(reinterpret_cast<std::byte*>(&bits) + part, &eight, sizeof eight);
    }
    for (unsigned i = 0; i < kWidth<W>; ++i) chosen[i] = static_cast<W>(1u << i % 8);
  } else {
    bits = Vector<W>{} + static_cast<W>(mask >> first);
    for (unsigned i = 0; i < kWidth<W>; ++i) chosen[i] = static_cast<W>(W{1} << i);
  }
  return reinterpret_cast<Vector<W>>((bits & chosen) == chosen);
}

/// All 32 lanes likewise.
template <class W>
[[gnu::always_inline]] inline void spread_mask(std::uint32_t mask, W* lanes) {
  for (unsigned first = 0; first < kLanes; first += kWidth<W>) {
    const Vector<W> chosen = spread_mask<W>(mask, first);
    std::memcpy(lanes + first, &chosen, sizeof chosen);
  }
}

/// Bit i of the result: the highest bit of lanes[i].
template <class W>
[[gnu::always_inline]] inline std::uint32_t gather_mask(const W* lanes) {
  std::uint32_t mask = 0;
#if BASCULE_CPU_LEVEL >= 3
  const auto at = [&](unsigned lane) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + lane)); };
  if constexpr (sizeof(W) == 1) {
    mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(at(0)));
  } else if constexpr (sizeof(W) == 2) {
    // packing works within 128-bit halves, so their quarters come out as 0 2 1 3
    const __m256i low = _mm256_srai_epi16(at(0), 15);
    const __m256i high = _mm256_srai_epi16(at(16), 15);
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
  } else if constexpr (sizeof(W) == 4) {
    for (unsigned i = 0; i < kLanes; i += 8) {
      mask |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(at(i)))) << i;
    }
  } else {
    for (unsigned i = 0; i < kLanes; i += 4) {
      mask |= static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(at(i)))) << i;
    }
  }
#else
  const auto at = [&](unsigned lane) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + lane)); };
  if constexpr (sizeof(W) == 1) {
    for (unsigned i = 0; i < kLanes; i += 16) mask |= static_cast<std::uint32_t>(_mm_movemask_epi8(at(i))) << i;
  } else if constexpr (sizeof(W) == 2) {
    for (unsigned i = 0; i < kLanes; i += 16) {
      const __m128i bytes = _mm_packs_epi16(_mm_srai_epi16(at(i), 15), _mm_srai_epi16(at(i + 8), 15));
      mask |= static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) << i;
    }
  } else if constexpr (sizeof(W) == 4) {
    for (unsigned i = 0; i < kLanes; i += 4) {
      mask |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(at(i)))) << i;
    }
  } else {
    for (unsigned i = 0; i < kLanes; i += 2) {
      mask |= static_cast<std::uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(at(i)))) << i;
    }
  }
#endif
  return mask;
}

/// Bit i of the result: f(i), where f compares lanes of type T.
template <class T, class F>
[[gnu::always_inline]] inline std::uint32_t mask_of(F f) {
  alignas(64) Word<T> lanes[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) lanes[i] = f(i) ? static_cast<Word<T>>(-1) : Word<T>{0};
  return gather_mask(lanes);
}

/// destination[i] = bit i of `mask` ? a[i] : b[i]; the destination may be exactly one of the sources.
template <class T>
[[gnu::always_inline]] inline void select_lanes(T* destination, const T* a, const T* b, std::uint32_t mask) {
  using W = Word<T>;
  for (unsigned first = 0; first < kLanes; first += kWidth<W>) {
    const Vector<W> chosen = spread_mask<W>(mask, first);
    Vector<W> x;
    Vector<W> y;
    std::memcpy(&x, a + first, sizeof x);
    std::memcpy(&y, b + first, sizeof y);
    x = (x & chosen) | (y & ~chosen);
    std::memcpy(destination + first, &x, sizeof x);
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
