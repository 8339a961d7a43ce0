// cvt from integers to floating point, rounded once as .rn .rz .rm .rp say.
//
// All integers are extended to 64 bits first. From 32-bit ones to f32 and f64, in registers of their own width, there are loops
// that need no detour.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/convert.hpp"
#include "backends/simt/operations/families.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// The source as 64 bits, extended as its type says.
template <class Wide>
void extend_lanes(const std::byte* at, std::uint64_t* values, unsigned bits, bool with_sign) {
  const Wide* const wide = reinterpret_cast<const Wide*>(at);
  const unsigned unused = 64 - bits;
  if (with_sign) {
    for (unsigned i = 0; i < kLanes; ++i) {
      values[i] = std::bit_cast<std::uint64_t>(std::bit_cast<std::int64_t>(std::uint64_t{wide[i]} << unused) >> unused);
    }
  } else {
    for (unsigned i = 0; i < kLanes; ++i) values[i] = std::uint64_t{wide[i]} << unused >> unused;
  }
}
void extended(const std::byte* at, std::uint64_t* values, const ConversionRule& rule) {
  const unsigned bits = rule.source_bits();
  const bool with_sign = rule.source_signed();
  switch (rule.source_slot_bits()) {
    case 8: return extend_lanes<std::uint8_t>(at, values, bits, with_sign);
    case 16: return extend_lanes<std::uint16_t>(at, values, bits, with_sign);
    case 32: return extend_lanes<std::uint32_t>(at, values, bits, with_sign);
    default: return extend_lanes<std::uint64_t>(at, values, bits, with_sign);
  }
}

/// To f32 so that a later rounding to 16 bits is that of the integer itself: to odd. `value` is signed where `negative` may be.
[[gnu::always_inline]] inline float to_odd(std::uint64_t value, bool negative) {
  const std::uint64_t magnitude = negative ? 0 - value : value;
  const unsigned length = 64 - static_cast<unsigned>(std::countl_zero(magnitude | 1u));
  const unsigned dropped = length > 24 ? length - 24 : 0;
  const std::uint64_t kept = magnitude >> dropped;
  const std::uint64_t rest = (kept << dropped) != magnitude ? 1 : 0;
  const float scale = std::bit_cast<float>((127u + dropped) << 23);
  const float result = static_cast<float>(static_cast<std::int32_t>(kept | rest)) * scale;
  return negative ? -result : result;
}

// Rounded as MXCSR says, and by one sum of parts that are exact. Left to itself, clang converts through a difference that
// cancels for 0, which is -0 where rounding is downwards.
[[gnu::always_inline]] inline double rounded_f64(std::uint64_t value, bool with_sign) {
  const auto part = [](std::uint64_t bits) { return static_cast<double>(static_cast<std::int32_t>(bits)); };
  const std::uint64_t upper = with_sign ? static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(value) >> 40) : value >> 40;
  return part(upper) * 0x1p40 + (part(value >> 20 & 0xfffffu) * 0x1p20 + part(value & 0xfffffu));
}
[[gnu::always_inline]] inline float rounded_f32(std::int32_t value) { return static_cast<float>(value); }
[[gnu::always_inline]] inline float rounded_f32(std::uint32_t value) {
  return rounded_f32(static_cast<std::int32_t>(value >> 16)) * 0x1p16f + rounded_f32(static_cast<std::int32_t>(value & 0xffffu));
}

struct ToF64 {
  using To = std::uint64_t;
  static To convert(std::uint64_t value, bool with_sign, const ConversionRule& rule) {
    const double x = rounded_f64(value, with_sign);
    const double clamped = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
    return std::bit_cast<To>(rule.has(kSaturate) ? clamped : x);
  }
};
struct ToF32 {
  using To = std::uint32_t;
  static To convert(std::uint64_t value, bool with_sign, const ConversionRule& rule) {
    const float x = with_sign ? static_cast<float>(std::bit_cast<std::int64_t>(value)) : static_cast<float>(value);
    return std::bit_cast<To>(rule.has(kSaturate) ? saturated(x) : x);
  }
};
template <class Narrow>
struct To16 {
  using To = std::uint16_t;
  static To convert(std::uint64_t value, bool with_sign, const ConversionRule& rule) {
    const float x = to_odd(value, with_sign && std::bit_cast<std::int64_t>(value) < 0);
    const float result = rule.has(kSaturate) ? saturated(x) : x;
    return static_cast<To>(encode_number<Narrow::kFormat>(result, rule.rounding()));
  }
};

template <class Target>
const Op* from_integer(const Op* op, Context& context) {
  const ConversionRule rule(op);
  const RoundingScope scope(rule.rounding());
  const bool with_sign = rule.source_signed();
  Mask mask(*op, context);
  Destination<std::byte> d(context, op->operands[0]);
  Source<std::byte> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    alignas(64) std::uint64_t values[kLanes];
    alignas(64) typename Target::To results[kLanes];
    extended(a.lanes(), values, rule);
    for (unsigned i = 0; i < kLanes; ++i) results[i] = Target::convert(values[i], with_sign, rule);
    store_lanes(d.lanes(), rule.result_slot_bits(), results, lanes);
  }
  return op + 1;
}

// ---- 32 bits to f32 and f64 ----------------------------------------------------------------------------------------

template <class From>
const Op* to_f32(const Op* op, Context& context) {
  return map<float, From>(op, context, [](From a) { return static_cast<float>(a); });
}
template <class From>
const Op* to_f32_rounded(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<float, From>(op, context, [](From a) { return rounded_f32(a); });
}
template <class From>
const Op* to_f64(const Op* op, Context& context) {
  return map<double, From>(op, context, [](From a) { return static_cast<double>(a); });
}

template <class From>
Handler common_handler(const ptx::Instruction& instruction, const ConversionRule& rule) {
  if (rule.has(kSaturate) || rule.source_slot_bits() != 32) return nullptr;
  if (instruction.type(0) == ptx::Type::f64) return to_f64<From>;
  if (instruction.type(0) != ptx::Type::f32 || rule.result_slot_bits() != 32) return nullptr;
  return rule.rounding() == Rounding::nearest ? to_f32<From> : to_f32_rounded<From>;
}

Handler handler_for(const ptx::Instruction& instruction, const ConversionRule& rule) {
  Handler common = nullptr;
  if (instruction.type(1) == ptx::Type::s32) common = common_handler<std::int32_t>(instruction, rule);
  if (instruction.type(1) == ptx::Type::u32) common = common_handler<std::uint32_t>(instruction, rule);
  if (common != nullptr) return common;
  switch (instruction.type(0)) {
    case ptx::Type::f64: return from_integer<ToF64>;
    case ptx::Type::f32: return from_integer<ToF32>;
    case ptx::Type::f16: return from_integer<To16<Half>>;
    case ptx::Type::bf16: return from_integer<To16<Bfloat16>>;
    default: return nullptr;
  }
}

}  // namespace

Selected select_convert_from_integer(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != ptx::Operation::cvt || !is_integer(instruction.type(1))) return {};
  const std::uint64_t immediate = ConversionRule::of(instruction, function);
  return {.run = handler_for(instruction, ConversionRule(immediate)), .immediate = immediate};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
