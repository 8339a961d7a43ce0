// Which of two floating-point values is the smaller or larger one, by the rules of min and max. Only inside files x_cpu.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "backends/simt/operations/float_mode.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// A NaN loses against a number; -0 is less than +0.
template <bool kMaximum>
[[gnu::always_inline]] inline float ordered(float a, float b) {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(a);
  const std::uint32_t y = std::bit_cast<std::uint32_t>(b);
  const float strict = kMaximum ? (a > b ? a : b) : (a < b ? a : b);  // b where either is NaN
  const float equal = std::bit_cast<float>(kMaximum ? x & y : x | y);  // differ in the sign of zero at most
  const float number = a == b ? equal : strict;
  return canonical(b != b ? a : number);
}

/// .NaN, .abs and .xorsign, beside the flags of float_mode.hpp in Op::immediate.
class OrderRule {
 public:
  static constexpr std::uint64_t kPropagate = 16;
  static constexpr std::uint64_t kAbsolute = 32;
  static constexpr std::uint64_t kXorSign = 64;

  static std::uint64_t of(const ptx::Instruction& instruction) {
    std::uint64_t rule = mode_of(instruction);
    if (instruction.has(ptx::Modifier::NaN)) rule |= kPropagate;
    if (instruction.has(ptx::Modifier::abs)) rule |= kAbsolute;
    if (instruction.has(ptx::Modifier::xorsign)) rule |= kXorSign;
    return rule;
  }

  explicit OrderRule(std::uint64_t immediate)
      : magnitude_((immediate & kAbsolute) != 0 ? 0x7fffffffu : 0xffffffffu),
        sign_((immediate & kXorSign) != 0 ? 0x80000000u : 0u),
        propagate_((immediate & kPropagate) != 0) {}

  template <bool kMaximum>
  [[gnu::always_inline]] float apply(float a, float b) const {
    const std::uint32_t x = std::bit_cast<std::uint32_t>(a);
    const std::uint32_t y = std::bit_cast<std::uint32_t>(b);
    const float p = std::bit_cast<float>(x & magnitude_);
    const float q = std::bit_cast<float>(y & magnitude_);
    const float chosen = ordered<kMaximum>(p, q);
    const bool unordered = propagate_ & ((p != p) | (q != q));
    const float result = unordered ? std::bit_cast<float>(kNaN32) : chosen;
    const float with_sign = std::bit_cast<float>(std::bit_cast<std::uint32_t>(result) | ((x ^ y) & sign_));
    return result != result ? result : with_sign;
  }

 private:
  std::uint32_t magnitude_;
  std::uint32_t sign_;
  bool propagate_;
};

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
