// cvt from floating point to integers: rounded as .rni .rzi .rmi .rpi say, clamped to the type. NaN gives 0, but
// 1 << (bits - 1) where the source is f64 or the type has 64 bits.
//
// Types of up to 32 bits go through double, which holds all of them, so their bounds are data. The most common ones, from f32
// to s32 and u32 in registers of 32 bits, have loops of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/convert.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// Sources: how 32 values become numbers to compute with.
template <class Narrow>
struct From16 {
  using From = std::uint16_t;
  using Number = float;
  static float number(std::uint16_t code) { return Narrow::decode(code); }
};
struct FromF32 {
  using From = float;
  using Number = float;
  static float number(float value) { return value; }
};
struct FromF64 {
  using From = double;
  using Number = double;
  static double number(double value) { return value; }
};

[[gnu::always_inline]] inline float integral(float x) { return __builtin_rintf(x); }  // as MXCSR rounds
[[gnu::always_inline]] inline double integral(double x) { return __builtin_rint(x); }
[[gnu::always_inline]] inline float flushed_source(float x, float threshold) { return flushed(x, threshold); }
[[gnu::always_inline]] inline double flushed_source(double x, float) { return x; }

/// The low 32 bits of a double that is an integer below 2^51 in magnitude: those of its sum with 1.5 * 2^52.
[[gnu::always_inline]] inline std::uint32_t low_bits(double integer) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(integer + 0x1.8p52));
}

/// Results of up to 32 bits, sign- or zero-extended to 32.
template <class Source>
struct To32 {
  using From = typename Source::From;
  using To = std::uint32_t;
  static void run(const From* from, To* to, const ConversionRule& rule) {
    const unsigned bits = rule.result_bits();
    const double half = static_cast<double>(std::uint64_t{1} << (bits - 1));
    const double low = rule.result_signed() ? -half : 0.0;
    const double high = (rule.result_signed() ? half : 2 * half) - 1;
    const double nan = sizeof(From) < 8 ? 0.0 : rule.result_signed() ? -half : half;
    const float threshold = rule.threshold();
    for (unsigned i = 0; i < kLanes; ++i) {
      const double x = static_cast<double>(integral(flushed_source(Source::number(from[i]), threshold)));
      const double above = x < low ? low : x;
      const double within = above > high ? high : above;
      to[i] = low_bits(x != x ? nan : within);
    }
  }
};

[[gnu::always_inline]] inline std::int64_t to_signed(double x) {
  if (x >= -0x1p63 && x < 0x1p63) return static_cast<std::int64_t>(x);
  return x > 0 ? INT64_MAX : INT64_MIN;  // NaN: INT64_MIN
}
[[gnu::always_inline]] inline std::uint64_t to_unsigned(double x) {
  if (x >= 0 && x < 0x1p64) return static_cast<std::uint64_t>(x);
  return x > 0 ? UINT64_MAX : x < 0 ? 0 : std::uint64_t{1} << 63;
}

/// Results of 64 bits.
template <class Source>
struct To64 {
  using From = typename Source::From;
  using To = std::uint64_t;
  static void run(const From* from, To* to, const ConversionRule& rule) {
    const float threshold = rule.threshold();
    for (unsigned i = 0; i < kLanes; ++i) {
      const double x = static_cast<double>(integral(flushed_source(Source::number(from[i]), threshold)));
      to[i] = rule.result_signed() ? static_cast<std::uint64_t>(to_signed(x)) : to_unsigned(x);
    }
  }
};

/// The same as a signed type, which a wider register is sign-extended from.
template <class Source>
struct ToSigned32 {
  using From = typename Source::From;
  using To = std::int32_t;
  static void run(const From* from, To* to, const ConversionRule& rule) {
    To32<Source>::run(from, reinterpret_cast<std::uint32_t*>(to), rule);
  }
};

template <class Source>
Handler handler_for(const ptx::Instruction& instruction) {
  const ptx::Type to = instruction.type(0);
  if (ptx::bits_of(to) == 64) return convert<To64<Source>>;
  return is_signed(to) ? convert<ToSigned32<Source>> : convert<To32<Source>>;
}

// ---- f32 to s32 and u32 --------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline std::int32_t clamped_s32(float x) {
  const bool fits = magnitude(x) < 0x1p31f;
  const std::int32_t value = static_cast<std::int32_t>(fits ? x : 0.0f);
  const std::int32_t outside = x > 0 ? INT32_MAX : x < 0 ? INT32_MIN : 0;
  return fits ? value : outside;
}
[[gnu::always_inline]] inline std::uint32_t clamped_u32(float x) {
  const bool high = x >= 0x1p31f;
  const float rest = high ? x - 0x1p31f : x;  // exact
  const bool fits = rest > -1.0f && rest < 0x1p31f;
  const std::uint32_t value = static_cast<std::uint32_t>(static_cast<std::int32_t>(fits ? rest : 0.0f));
  return fits ? (high ? value ^ 0x80000000u : value) : x > 0 ? UINT32_MAX : 0;
}

const Op* f32_to_s32_towards_zero(const Op* op, Context& context) {
  return map<std::int32_t, float>(op, context, clamped_s32);
}
const Op* f32_to_u32_towards_zero(const Op* op, Context& context) {
  return map<std::uint32_t, float>(op, context, clamped_u32);
}
const Op* f32_to_s32(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<std::int32_t, float>(op, context, [](float x) { return clamped_s32(integral(x)); });
}
const Op* f32_to_u32(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<std::uint32_t, float>(op, context, [](float x) { return clamped_u32(integral(x)); });
}

/// Without .ftz, between registers of 32 bits; nullptr else. (.ftz matters where it rounds away from zero.)
Handler common_handler(const ptx::Instruction& instruction, const ConversionRule& rule) {
  if (rule.has(kFlush) || rule.source_slot_bits() != 32 || rule.result_slot_bits() != 32) return nullptr;
  const bool towards_zero = rule.rounding() == Rounding::zero;
  if (instruction.type(0) == ptx::Type::s32) return towards_zero ? f32_to_s32_towards_zero : f32_to_s32;
  if (instruction.type(0) == ptx::Type::u32) return towards_zero ? f32_to_u32_towards_zero : f32_to_u32;
  return nullptr;
}

}  // namespace

Selected select_convert_to_integer(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != ptx::Operation::cvt || !is_integer(instruction.type(0))) return {};
  const std::uint64_t immediate = ConversionRule::of(instruction, function);
  switch (instruction.type(1)) {
    case ptx::Type::f16: return {.run = handler_for<From16<Half>>(instruction), .immediate = immediate};
    case ptx::Type::bf16: return {.run = handler_for<From16<Bfloat16>>(instruction), .immediate = immediate};
    case ptx::Type::f64: return {.run = handler_for<FromF64>(instruction), .immediate = immediate};
    case ptx::Type::f32: {
      const Handler common = common_handler(instruction, ConversionRule(immediate));
      return {.run = common != nullptr ? common : handler_for<FromF32>(instruction), .immediate = immediate};
    }
    default: return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
