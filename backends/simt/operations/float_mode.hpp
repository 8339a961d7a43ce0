// How a floating-point instruction rounds, flushes and clamps: its modifiers packed for Op::immediate, and what they do to a
// value. Only inside files x_cpu.cpp, which are compiled with -fno-trapping-math -fno-math-errno (backends/simt/CMakeLists.txt).
//
// .ftz concerns f32 (and f16) alone, so it is done here on inputs and results, never by MXCSR's FTZ/DAZ, which would flush
// f64 too. Static rounding is MXCSR's: set around a whole loop, whose operands come from memory and whose results go there,
// so that the compiler has nothing that it could move out of the scope or compute itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

#include "backends/simt/execute/lanes.hpp"
#include "backends/simt/operations/number_formats.hpp"
#include "backends/simt/ptx/ir.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {

/// Of .rn .rz .rm .rp and their integer namesakes .rni .rzi .rmi .rpi; none: nearest.
inline Rounding rounding_of(const ptx::Instruction& instruction) {
  using ptx::Modifier;
  if (instruction.has(Modifier::rz) || instruction.has(Modifier::rzi)) return Rounding::zero;
  if (instruction.has(Modifier::rm) || instruction.has(Modifier::rmi)) return Rounding::down;
  if (instruction.has(Modifier::rp) || instruction.has(Modifier::rpi)) return Rounding::up;
  return Rounding::nearest;
}

/// Op::immediate of arithmetic: rounding in bits 0 and 1, then flags.
inline constexpr std::uint64_t kFlush = 4;
inline constexpr std::uint64_t kSaturate = 8;

inline std::uint64_t mode_of(const ptx::Instruction& instruction) {
  std::uint64_t mode = static_cast<std::uint64_t>(rounding_of(instruction));
  if (instruction.has(ptx::Modifier::ftz)) mode |= kFlush;
  if (instruction.has(ptx::Modifier::sat)) mode |= kSaturate;
  return mode;
}

inline Rounding rounding_of(const Op* op) { return static_cast<Rounding>(op->immediate & 3u); }

/// Host arithmetic rounds as said, without flushing and trapping, until the scope ends; then all is as it was.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) {
    __asm__ volatile("stmxcsr %0" : "=m"(saved_)::"memory");
    const std::uint32_t set = kAllMasked | static_cast<std::uint32_t>(rounding) << 13;
    __asm__ volatile("ldmxcsr %0" ::"m"(set) : "memory");
  }
  ~RoundingScope() { __asm__ volatile("ldmxcsr %0" ::"m"(saved_) : "memory"); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  static constexpr std::uint32_t kAllMasked = 0x1f80;
  std::uint32_t saved_;
};

/// What NVIDIA's f32 arithmetic answers for any NaN; the text leaves it open. One value, so that all levels agree.
inline constexpr std::uint32_t kNaN32 = 0x7fffffff;

/// Chosen among bits: to clang one NaN is as good as another, and it drops a choice between two of them.
[[gnu::always_inline]] inline float canonical(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7fffffffu) > 0x7f800000u ? kNaN32 : bits);
}

[[gnu::always_inline]] inline float magnitude(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffu);
}
[[gnu::always_inline]] inline float with_sign_of(float x, float sign) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) |
                              (std::bit_cast<std::uint32_t>(sign) & 0x80000000u));
}

inline constexpr float kSmallestNormal = 0x1p-126f;

/// Subnormals become zeros of their sign. A threshold of 0 flushes nothing, so one loop serves with and without .ftz.
/// (Measured: twice as fast, with a threshold read at run time, as with the comparison or a shift in integers.)
[[gnu::always_inline]] inline float flushed(float x, float threshold = kSmallestNormal) {
  return magnitude(x) < threshold ? with_sign_of(0.0f, x) : x;
}
[[gnu::always_inline]] inline float flush_threshold(const Op* op) {
  return (op->immediate & kFlush) != 0 ? kSmallestNormal : 0.0f;
}

/// .sat: [0, 1], and +0 for NaN and -0.
[[gnu::always_inline]] inline float saturated(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/// 32 lanes of `Parts` values each, side by side in the slot (f16x2, f32x2): destination[i] = f(i) for i < 32 * Parts.
/// As each_lane in lanes.hpp otherwise.
template <unsigned Parts, class P, class F>
[[gnu::always_inline]] inline void each_part(P* destination, std::uint32_t mask, F f) {
  constexpr unsigned kParts = kLanes * Parts;
#if !defined(__clang__)
  if (mask == kAllLanes) [[likely]] {
#pragma GCC ivdep
    for (unsigned i = 0; i < kParts; ++i) destination[i] = f(i);
    return;
  }
#endif
  if (mask == 0) return;
  alignas(64) P result[kParts];
  for (unsigned i = 0; i < kParts; ++i) result[i] = f(i);
  if (mask == kAllLanes) {
    std::memcpy(destination, result, sizeof result);
  } else {
    for (unsigned i = 0; i < kParts; ++i) destination[i] = (mask >> i / Parts & 1u) != 0 ? result[i] : destination[i];
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
