// Small helpers for models on integers of any width.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "tests/ptx_models/form.hpp"

namespace bascule::ptx_models {

using Signed128 = __int128;

constexpr std::uint64_t low_bits(int width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

/// The mathematical value of the low `width` bits.
constexpr Signed128 value_of(std::uint64_t bits, int width, bool is_signed) {
  const std::uint64_t kept = bits & low_bits(width);
  const bool negative = is_signed && (kept >> (width - 1) & 1) != 0;
  return negative ? static_cast<Signed128>(kept) - (static_cast<Signed128>(1) << width) : static_cast<Signed128>(kept);
}

constexpr std::uint64_t wrapped(Signed128 value, int width) { return static_cast<std::uint64_t>(value) & low_bits(width); }

constexpr Signed128 clamped(Signed128 value, int width, bool is_signed) {
  const Signed128 low = is_signed ? -(static_cast<Signed128>(1) << (width - 1)) : 0;
  const Signed128 high = (static_cast<Signed128>(1) << (is_signed ? width - 1 : width)) - 1;
  return value < low ? low : value > high ? high : value;
}

struct IntegerType {
  const char* name;
  int width;
  bool is_signed;
  [[nodiscard]] Signed128 value(std::uint64_t bits) const { return value_of(bits, width, is_signed); }
};

inline constexpr IntegerType kIntegerTypes[] = {{"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                                                {"s16", 16, true},  {"s32", 32, true},  {"s64", 64, true}};

constexpr Values integers(int width) {
  return width == 8 ? Values::bits8 : width == 16 ? Values::integer16 : width == 32 ? Values::integer32 : Values::integer64;
}

constexpr Output output(int width) { return {width, nullptr, 1}; }

/// Two halves of 16 bits: what `f` gives for each.
template <class F>
std::uint64_t each_half(std::uint64_t a, std::uint64_t b, F f) {
  return (static_cast<std::uint64_t>(f(a & 0xffff, b & 0xffff)) & 0xffff) |
         (static_cast<std::uint64_t>(f(a >> 16 & 0xffff, b >> 16 & 0xffff)) & 0xffff) << 16;
}

}  // namespace bascule::ptx_models
