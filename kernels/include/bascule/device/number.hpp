/* 16-bit floating point: bsc::f16 (IEEE binary16) and bsc::bf16 (the upper half of a binary32). Part of
 * <bascule/device.hpp>. Both convert to and from float, rounding to nearest even; arithmetic happens in float unless
 * written otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_DEVICE_NUMBER_HPP
#define BASCULE_DEVICE_NUMBER_HPP

#include "target.hpp"

namespace bsc {

using f16 = _Float16;

BSC_INLINE constexpr u16 bf16_bits_from_float(float value) {
  const u32 bits = internal::bits<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<u16>((bits >> 16) | 0x40u);  // a NaN stays one, quiet
  return static_cast<u16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
BSC_INLINE constexpr float float_from_bf16_bits(u16 bits) { return internal::bits<float>(static_cast<u32>(bits) << 16); }

#if defined(__clang__) && !defined(BSC_TARGET_SPIRV)
using bf16 = __bf16;
#else
/* Where the compiler has no such type; the same bits. */
struct bf16 {
  u16 bits;
  bf16() = default;
  BSC_INLINE constexpr bf16(float value) : bits(bf16_bits_from_float(value)) {}
  BSC_INLINE constexpr operator float() const { return float_from_bf16_bits(bits); }
};
#endif
static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2);

BSC_INLINE float to_float(f16 value) { return static_cast<float>(value); }
BSC_INLINE float to_float(bf16 value) { return static_cast<float>(value); }
BSC_INLINE f16 to_f16(float value) { return static_cast<f16>(value); }
/* By integer operations, so that every target gives the same bits. */
BSC_INLINE bf16 to_bf16(float value) { return internal::bits<bf16>(bf16_bits_from_float(value)); }

}  // namespace bsc
#endif
