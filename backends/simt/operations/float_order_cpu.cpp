// min and max of f32 and f64, with two or three operands; abs, neg, copysign and testp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/float_mode.hpp"
#include "backends/simt/operations/float_order.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

// ---- min, max ------------------------------------------------------------------------------------------------------

template <bool kMaximum>
const Op* order(const Op* op, Context& context) {
  return map<float, float, float>(op, context, [](float a, float b) { return ordered<kMaximum>(a, b); });
}

template <bool kMaximum>
const Op* order_general(const Op* op, Context& context) {
  const OrderRule rule(op->immediate);
  const float threshold = flush_threshold(op);
  return map<float, float, float>(op, context, [rule, threshold](float a, float b) {
    return rule.template apply<kMaximum>(flushed(a, threshold), flushed(b, threshold));
  });
}

template <bool kMaximum>
const Op* order_of_three(const Op* op, Context& context) {
  const OrderRule rule(op->immediate);
  const float threshold = flush_threshold(op);
  return map<float, float, float, float>(op, context, [rule, threshold](float a, float b, float c) {
    const float first = rule.template apply<kMaximum>(flushed(a, threshold), flushed(b, threshold));
    return rule.template apply<kMaximum>(first, flushed(c, threshold));
  });
}

template <bool kMaximum>
const Op* order_f64(const Op* op, Context& context) {
  return map<double, double, double>(op, context, [](double a, double b) {
    const std::uint64_t x = std::bit_cast<std::uint64_t>(a);
    const std::uint64_t y = std::bit_cast<std::uint64_t>(b);
    const double strict = kMaximum ? (a > b ? a : b) : (a < b ? a : b);
    const double equal = std::bit_cast<double>(kMaximum ? x & y : x | y);
    return b != b ? a : a == b ? equal : strict;
  });
}

template <bool kMaximum>
Selected select_order(const ptx::Instruction& instruction, const ptx::Function& function) {
  const std::uint64_t rule = OrderRule::of(instruction);
  if (instruction.type() == ptx::Type::f64) return {.run = order_f64<kMaximum>};
  if (instruction.type() != ptx::Type::f32) return {};
  const bool three = instruction.operand_count > 3 && function.operand(instruction, 3).kind != ptx::Operand::Kind::none;
  return {.run = three ? order_of_three<kMaximum> : rule == 0 ? order<kMaximum> : order_general<kMaximum>, .immediate = rule};
}

// ---- abs, neg, copysign --------------------------------------------------------------------------------------------

const Op* absolute(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  return map<float, float>(op, context, [threshold](float a) { return magnitude(flushed(a, threshold)); });
}
const Op* negate(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  return map<float, float>(op, context, [threshold](float a) { return -flushed(a, threshold); });
}
const Op* copy_sign(const Op* op, Context& context) {
  return map<float, float, float>(op, context, [](float a, float b) { return with_sign_of(b, a); });
}

constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;

const Op* absolute_f64(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t>(op, context, [](std::uint64_t a) { return a & ~kSign64; });
}
const Op* negate_f64(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t>(op, context, [](std::uint64_t a) { return a ^ kSign64; });
}
const Op* copy_sign_f64(const Op* op, Context& context) {
  return map<std::uint64_t, std::uint64_t, std::uint64_t>(
      op, context, [](std::uint64_t a, std::uint64_t b) { return (b & ~kSign64) | (a & kSign64); });
}

/// f32 or f64, whichever the instruction is for.
Selected either(const ptx::Instruction& instruction, Handler f32, Handler f64) {
  if (instruction.type() == ptx::Type::f64) return {.run = f64};
  if (instruction.type() == ptx::Type::f32) return {.run = f32, .immediate = mode_of(instruction)};
  return {};
}

// ---- testp ---------------------------------------------------------------------------------------------------------

/// A property holds where the magnitude's bits lie in first..last, or, `zero_too`, for zeros.
struct Property {
  std::uint64_t first;
  std::uint64_t last;
  bool zero_too;
};

template <class Bits>
constexpr Property property_of(ptx::Modifier modifier) {
  constexpr Bits kInfinity = sizeof(Bits) == 4 ? Bits{0x7f800000u} : static_cast<Bits>(std::uint64_t{0x7ff} << 52);
  constexpr Bits kNormal = sizeof(Bits) == 4 ? Bits{0x00800000u} : static_cast<Bits>(std::uint64_t{1} << 52);
  constexpr Bits kAll = static_cast<Bits>(~Bits{0}) >> 1;
  switch (modifier) {
    case ptx::Modifier::finite: return {0, kInfinity - 1, true};
    case ptx::Modifier::infinite: return {kInfinity, kInfinity, false};
    case ptx::Modifier::number: return {0, kInfinity, true};
    case ptx::Modifier::notanumber: return {kInfinity + 1, kAll, false};
    case ptx::Modifier::normal: return {kNormal, kInfinity - 1, true};
    default: return {1, kNormal - 1, false};  // subnormal
  }
}

template <class Bits>
const Op* test_property(const Op* op, Context& context) {
  const Property property = property_of<Bits>(static_cast<ptx::Modifier>(op->immediate));
  const Bits first = static_cast<Bits>(property.first);
  const Bits span = static_cast<Bits>(property.last - property.first);
  Mask mask(*op, context);
  Destination<std::uint32_t> d(context, op->operands[0]);
  Source<Bits> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const Bits* const x = a.lanes();
    std::uint32_t holds = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      const Bits bits = static_cast<Bits>(x[i] << 1) >> 1;
      const bool yes = static_cast<Bits>(bits - first) <= span || (property.zero_too && bits == 0);
      holds |= static_cast<std::uint32_t>(yes) << i;
    }
    *d.lanes() = (*d.lanes() & ~mask.lanes()) | (holds & mask.lanes());
  }
  return op + 1;
}

}  // namespace

Selected select_float_order(const ptx::Instruction& instruction, const ptx::Function& function) {
  using ptx::Operation;
  switch (instruction.operation) {
    case Operation::min: return select_order<false>(instruction, function);
    case Operation::max: return select_order<true>(instruction, function);
    case Operation::abs: return either(instruction, absolute, absolute_f64);
    case Operation::neg: return either(instruction, negate, negate_f64);
    case Operation::copysign: return either(instruction, copy_sign, copy_sign_f64);
    case Operation::testp: {
      Selected selected = either(instruction, test_property<std::uint32_t>, test_property<std::uint64_t>);
      selected.immediate = instruction.modifier_count > 0 ? static_cast<std::uint64_t>(instruction.modifiers[0]) : 0;
      return selected;
    }
    default: return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
