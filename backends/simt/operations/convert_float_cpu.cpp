// cvt between f16, bf16, tf32, f32 and f64, one value per lane: rounded once, to a shorter format or to an integral value.
//
// All but f64 are computed in f32, which holds them; f64 goes to the 16-bit formats through f32 rounded to odd. The most common
// pairs, in registers of their own width and without modifiers, have loops of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/convert.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/half.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// Sources as f32, exact.
template <class Narrow>
struct From16 {
  using From = std::uint16_t;
  static float number(std::uint16_t code, float) { return Narrow::decode(code); }
};
struct FromF32 {
  using From = float;
  static float number(float value, float threshold) { return flushed(value, threshold); }
};

[[gnu::always_inline]] inline float shaped(float x, const ConversionRule& rule) {
  const float value = rule.has(ConversionRule::kIntegral) ? __builtin_rintf(x) : x;
  return rule.has(kSaturate) ? saturated(value) : value;
}

/// Destinations: codes from f32.
template <class Narrow>
struct To16 {
  using To = std::uint16_t;
  static To code(float x, const ConversionRule& rule) {
    return static_cast<To>(encode_number<Narrow::kFormat>(shaped(x, rule), rule.any_rounding(),
                                                          rule.has(ConversionRule::kFinite), rule.has(ConversionRule::kRelu)));
  }
};
struct ToTf32 {
  using To = std::uint32_t;
  static To code(float x, const ConversionRule& rule) {
    const std::uint32_t code = encode_number<kTf32>(x, rule.any_rounding(), rule.has(ConversionRule::kFinite),
                                                    rule.has(ConversionRule::kRelu));
    return x != x ? kNaN32 : code << 13;
  }
};
struct ToF32 {
  using To = std::uint32_t;
  static To code(float x, const ConversionRule& rule) {
    return std::bit_cast<To>(canonical(shaped(flushed(x, rule.threshold()), rule)));
  }
};
struct ToF64 {
  using To = std::uint64_t;
  static To code(float x, const ConversionRule& rule) { return std::bit_cast<To>(static_cast<double>(shaped(x, rule))); }
};

template <class Source, class Target>
struct Through32 {
  using From = typename Source::From;
  using To = typename Target::To;
  static void run(const From* from, To* to, const ConversionRule& rule) {
    const float threshold = rule.threshold();
    for (unsigned i = 0; i < kLanes; ++i) to[i] = Target::code(Source::number(from[i], threshold), rule);
  }
};

[[gnu::always_inline]] inline double shaped(double x, const ConversionRule& rule) {
  const double value = rule.has(ConversionRule::kIntegral) ? __builtin_rint(x) : x;
  const double clamped = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
  return rule.has(kSaturate) ? clamped : value;
}

struct F64ToF64 {
  using From = double;
  using To = std::uint64_t;
  static void run(const double* from, To* to, const ConversionRule& rule) {
    for (unsigned i = 0; i < kLanes; ++i) to[i] = std::bit_cast<To>(shaped(from[i], rule));
  }
};
struct F64ToF32 {
  using From = double;
  using To = std::uint32_t;
  static void run(const double* from, To* to, const ConversionRule& rule) {
    for (unsigned i = 0; i < kLanes; ++i) to[i] = ToF32::code(static_cast<float>(from[i]), rule);
  }
};
template <class Target>
struct F64To16 {
  using From = double;
  using To = std::uint16_t;
  static void run(const double* from, To* to, const ConversionRule& rule) {
    for (unsigned i = 0; i < kLanes; ++i) to[i] = Target::code(narrowed_to_odd(from[i]), rule);
  }
};

template <class Source>
Handler handler_from(ptx::Type to) {
  switch (to) {
    case ptx::Type::f16: return convert<Through32<Source, To16<Half>>>;
    case ptx::Type::bf16: return convert<Through32<Source, To16<Bfloat16>>>;
    case ptx::Type::f32: return convert<Through32<Source, ToF32>>;
    case ptx::Type::f64: return convert<Through32<Source, ToF64>>;
    case ptx::Type::tf32: return convert<Through32<Source, ToTf32>>;
    default: return nullptr;
  }
}
Handler handler_from_f64(ptx::Type to) {
  switch (to) {
    case ptx::Type::f16: return convert<F64To16<To16<Half>>>;
    case ptx::Type::bf16: return convert<F64To16<To16<Bfloat16>>>;
    case ptx::Type::f32: return convert<F64ToF32>;
    case ptx::Type::f64: return convert<F64ToF64>;
    default: return nullptr;
  }
}

// ---- the most common ones ------------------------------------------------------------------------------------------

const Op* f32_to_f64(const Op* op, Context& context) {
  return map<double, float>(op, context, [](float a) { return static_cast<double>(a); });
}
const Op* f64_to_f32(const Op* op, Context& context) {
  return map<float, double>(op, context, [](double a) { return canonical(static_cast<float>(a)); });
}
template <class Format>
const Op* widened(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<float> d(context, op->operands[0]);
  Source<std::uint16_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    alignas(64) float values[kLanes];
    Format::decode(a.lanes(), values);
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return canonical(values[i]); });
  }
  return op + 1;
}
template <class Format>
const Op* narrowed(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<std::uint16_t> d(context, op->operands[0]);
  Source<float> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    alignas(64) std::uint16_t codes[kLanes];
    Format::encode(a.lanes(), codes);
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return codes[i]; });
  }
  return op + 1;
}

/// To nearest and without modifiers, in registers of the types' own widths; nullptr else.
Handler common_handler(ptx::Type to, ptx::Type from, std::uint64_t immediate) {
  using ptx::Type;
  const ConversionRule rule(immediate);
  if ((immediate & 0xff) != 0 || rule.source_slot_bits() != rule.source_bits() ||
      rule.result_slot_bits() != rule.result_bits()) {
    return nullptr;
  }
  if (to == Type::f64 && from == Type::f32) return f32_to_f64;
  if (to == Type::f32 && from == Type::f64) return f64_to_f32;
  if (to == Type::f32 && from == Type::f16) return widened<HalfBlock>;
  if (to == Type::f32 && from == Type::bf16) return widened<Bfloat16Block>;
  if (to == Type::f16 && from == Type::f32) return narrowed<HalfBlock>;
  if (to == Type::bf16 && from == Type::f32) return narrowed<Bfloat16Block>;
  return nullptr;
}

Handler handler_for(ptx::Type to, ptx::Type from) {
  switch (from) {
    case ptx::Type::f16: return handler_from<From16<Half>>(to);
    case ptx::Type::bf16: return handler_from<From16<Bfloat16>>(to);
    case ptx::Type::f32: return handler_from<FromF32>(to);
    case ptx::Type::f64: return handler_from_f64(to);
    default: return nullptr;
  }
}

}  // namespace

Selected select_convert_float(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != ptx::Operation::cvt || instruction.has(ptx::Modifier::rs)) return {};
  const ptx::Type to = instruction.type(0);
  const ptx::Type from = instruction.type(1);
  const std::uint64_t immediate = ConversionRule::of(instruction, function);
  const Handler common = common_handler(to, from, immediate);
  return {.run = common != nullptr ? common : handler_for(to, from), .immediate = immediate};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
