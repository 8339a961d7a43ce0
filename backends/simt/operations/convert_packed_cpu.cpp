// cvt to and from two values in one register: f16x2, bf16x2, e4m3x2, e5m2x2, e3m2x2, e2m3x2, e2m1x2, ue8m0x2. The first operand,
// or the upper half of a packed one, goes to the upper half.
//
// Stochastic rounding (.rs) is not here: which random bits belong to which value is given by figures that the text lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/convert.hpp"
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/half.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

/// 32 numbers to codes of a format, and back, as the rule says.
struct Coder {
  void (*encode)(const float* values, std::uint32_t* codes, const ConversionRule& rule);
  void (*decode)(const std::uint32_t* codes, float* values);
  unsigned bits;  // that a code takes in the packed register
};

template <NumberFormat kFormat>
void encode_lanes(const float* values, std::uint32_t* codes, const ConversionRule& rule) {
  const Rounding rounding = rule.rounding();
  const bool finite = rule.has(ConversionRule::kFinite);
  const bool relu = rule.has(ConversionRule::kRelu);
  for (unsigned i = 0; i < kLanes; ++i) codes[i] = encode_number<kFormat>(values[i], rounding, finite, relu);
}
template <NumberFormat kFormat>
void decode_lanes(const std::uint32_t* codes, float* values) {
  for (unsigned i = 0; i < kLanes; ++i) values[i] = decode_number<kFormat>(codes[i]);
}
void encode_lanes_ue8m0(const float* values, std::uint32_t* codes, const ConversionRule& rule) {
  const bool up = rule.rounding() == Rounding::up;
  const bool finite = rule.has(ConversionRule::kFinite);
  for (unsigned i = 0; i < kLanes; ++i) codes[i] = encode_ue8m0(values[i], up, finite);
}
void decode_lanes_ue8m0(const std::uint32_t* codes, float* values) {
  for (unsigned i = 0; i < kLanes; ++i) values[i] = std::bit_cast<float>(bf16_of_ue8m0(codes[i]) << 16);
}

template <NumberFormat kFormat>
constexpr Coder kCoder{encode_lanes<kFormat>, decode_lanes<kFormat>,
                       kFormat.exponent_bits + kFormat.mantissa_bits < 4 ? 4
                       : kFormat.exponent_bits + kFormat.mantissa_bits < 8 ? 8 : 16};
constexpr Coder kCoderUe8m0{encode_lanes_ue8m0, decode_lanes_ue8m0, 8};

const Coder* coder_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::f16x2: return &kCoder<kF16>;
    case ptx::Type::bf16x2: return &kCoder<kBf16>;
    case ptx::Type::e4m3x2: return &kCoder<kE4m3>;
    case ptx::Type::e5m2x2: return &kCoder<kE5m2>;
    case ptx::Type::e3m2x2: return &kCoder<kE3m2>;
    case ptx::Type::e2m3x2: return &kCoder<kE2m3>;
    case ptx::Type::e2m1x2: return &kCoder<kE2m1>;
    case ptx::Type::ue8m0x2: return &kCoderUe8m0;
    default: return nullptr;
  }
}

const Coder& result_coder(const Op* op) { return *coder_of(op->instruction->type(0)); }
const Coder& source_coder(const Op* op) { return *coder_of(op->instruction->type(1)); }

/// The two halves of each lane to one register.
void store_pairs(std::byte* at, unsigned slot_bits, const float* high, const float* low, const Coder& coder,
                 const ConversionRule& rule, std::uint32_t mask) {
  alignas(64) std::uint32_t upper[kLanes], lower[kLanes];
  coder.encode(high, upper, rule);
  coder.encode(low, lower, rule);
  for (unsigned i = 0; i < kLanes; ++i) lower[i] |= upper[i] << coder.bits;
  store_lanes(at, slot_bits, lower, mask);
}

/// From two f32.
const Op* from_two(const Op* op, Context& context) {
  const ConversionRule rule(op);
  const Coder& coder = result_coder(op);
  Mask mask(*op, context);
  Destination<std::byte> d(context, op->operands[0]);
  Source<float> a(context, op->operands[1]);
  Source<float> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes != 0) store_pairs(d.lanes(), rule.result_slot_bits(), a.lanes(), b.lanes(), coder, rule, lanes);
  }
  return op + 1;
}

/// From two values of 16, 8 or 4 bits.
const Op* from_packed(const Op* op, Context& context) {
  const ConversionRule rule(op);
  const Coder& result = result_coder(op);
  const Coder& source = source_coder(op);
  const std::uint32_t ones = (1u << source.bits) - 1;
  Mask mask(*op, context);
  Destination<std::byte> d(context, op->operands[0]);
  Source<std::byte> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const std::uint32_t lanes = mask.lanes();
    if (lanes == 0) continue;
    alignas(64) std::uint32_t codes[kLanes], part[kLanes];
    alignas(64) float high[kLanes], low[kLanes];
    extend_to_32(a.lanes(), rule.source_slot_bits(), codes);
    for (unsigned i = 0; i < kLanes; ++i) part[i] = codes[i] >> source.bits & ones;
    source.decode(part, high);
    for (unsigned i = 0; i < kLanes; ++i) part[i] = codes[i] & ones;
    source.decode(part, low);
    store_pairs(d.lanes(), rule.result_slot_bits(), high, low, result, rule, lanes);
  }
  return op + 1;
}

/// cvt.rn.f16x2.f32 and cvt.rn.bf16x2.f32 without modifiers.
template <class Format>
const Op* from_two_to_nearest(const Op* op, Context& context) {
  Mask mask(*op, context);
  Destination<std::uint32_t> d(context, op->operands[0]);
  Source<float> a(context, op->operands[1]);
  Source<float> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next()) {
    alignas(64) std::uint16_t high[kLanes], low[kLanes];
    Format::encode(a.lanes(), high);
    Format::encode(b.lanes(), low);
    each_lane(d.lanes(), mask.lanes(), [&](unsigned i) { return std::uint32_t{high[i]} << 16 | low[i]; });
  }
  return op + 1;
}

Handler handler_of(const ptx::Instruction& instruction, std::uint64_t immediate) {
  using ptx::Type;
  const Type to = instruction.type(0);
  const Type from = instruction.type(1);
  if (coder_of(to) == nullptr || instruction.has(ptx::Modifier::rs)) return nullptr;
  if (from != Type::f32) return coder_of(from) != nullptr ? from_packed : nullptr;
  if ((immediate & 0xff) == 0 && to == Type::f16x2) return from_two_to_nearest<HalfBlock>;
  if ((immediate & 0xff) == 0 && to == Type::bf16x2) return from_two_to_nearest<Bfloat16Block>;
  return from_two;
}

}  // namespace

Selected select_convert_packed(const ptx::Instruction& instruction, const ptx::Function& function) {
  if (instruction.operation != ptx::Operation::cvt) return {};
  const std::uint64_t immediate = ConversionRule::of(instruction, function);
  return {.run = handler_of(instruction, immediate), .immediate = immediate};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
