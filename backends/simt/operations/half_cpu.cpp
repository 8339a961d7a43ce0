// add, sub, mul, fma, min, max, abs and neg of f16, f16x2, bf16 and bf16x2.
//
// add, sub and mul are done in f32 and rounded again: f32 has at least 2p + 2 bits, so the second rounding does not matter, and
// products of two bf16 below f32's normal numbers still are exact or round to zero either way. A fused sum is rounded to odd
// before the last rounding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/float_order.hpp"
#include "backends/simt/operations/half.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

constexpr std::uint64_t kRelu = 1u << 9;
constexpr std::uint64_t kOutOfBounds = 1u << 10;  // fma.oob

// OOB-NaN: what tensor copies put where a tensor ends, in 16 bits each. The ISA names it and does not give its bits; these are
// what others report to have read from an sm_90 (and to give 0 in fma.oob of both formats).
constexpr std::uint16_t kOutOfBoundsNan = 0x7ff7;

/// The modifiers of an operation on 16-bit formats.
template <class Format>
struct Shape {
  explicit Shape(const Op* op)
      : threshold((op->immediate & kFlush) != 0 ? std::bit_cast<float>(normal_bits()) : 0.0f),
        smallest((op->immediate & kFlush) != 0 ? Format::kSmallestCode : 0),
        saturate((op->immediate & kSaturate) != 0),
        relu((op->immediate & kRelu) != 0) {}

  static constexpr std::uint32_t normal_bits() { return static_cast<std::uint32_t>(128 - Format::kFormat.bias) << 23; }

  /// Numbers to codes, clamped, rounded and flushed.
  [[gnu::always_inline]] void store(float* values, std::uint16_t* codes) const {
    if (saturate) {
      for (unsigned i = 0; i < kLanes; ++i) values[i] = saturated(values[i]);
    }
    if (relu) {
      for (unsigned i = 0; i < kLanes; ++i) values[i] = values[i] > 0.0f || values[i] != values[i] ? values[i] : 0.0f;
    }
    Format::encode(values, codes);
    if (smallest != 0) flush_codes(codes, smallest);
  }

  float threshold;
  std::uint32_t smallest;
  bool saturate;
  bool relu;
};

struct Add {
  [[gnu::always_inline]] static float of(float a, float b) { return a + b; }
};
struct Subtract {
  [[gnu::always_inline]] static float of(float a, float b) { return a - b; }
};
struct Multiply {
  [[gnu::always_inline]] static float of(float a, float b) { return a * b; }
};

template <class Format, class F>
const Op* binary(const Op* op, Context& context) {
  const Shape<Format> shape(op);
  return map_blocks<2>(op, context, [&](const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t*, std::uint16_t* d) {
    alignas(64) float x[kLanes], y[kLanes];
    load_block<Format>(a, shape.threshold, x);
    load_block<Format>(b, shape.threshold, y);
    for (unsigned i = 0; i < kLanes; ++i) x[i] = F::of(x[i], y[i]);
    shape.store(x, d);
  });
}

/// The product of two f16 is exact in f32, that of two bf16 in f64.
template <class Real>
[[gnu::always_inline]] inline Real fused_to_odd(Real a, Real b, Real c) {
  const Real product = a * b;
  const Real sum = product + c;
  const Real part = sum - product;
  return rounded_to_odd(sum, (product - (sum - part)) + (c - part));
}
[[gnu::always_inline]] inline float fused(float a, float b, float c, HalfBlock) { return fused_to_odd(a, b, c); }
[[gnu::always_inline]] inline float fused(float a, float b, float c, Bfloat16Block) {
  return narrowed_to_odd(fused_to_odd<double>(a, b, c));
}

template <class Format>
const Op* fma(const Op* op, Context& context) {
  const Shape<Format> shape(op);
  const bool out_of_bounds = (op->immediate & kOutOfBounds) != 0;
  return map_blocks<3>(op, context, [&](const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t* c, std::uint16_t* d) {
    alignas(64) float x[kLanes], y[kLanes], z[kLanes];
    load_block<Format>(a, shape.threshold, x);
    load_block<Format>(b, shape.threshold, y);
    load_block<Format>(c, shape.threshold, z);
    for (unsigned i = 0; i < kLanes; ++i) x[i] = fused(x[i], y[i], z[i], Format{});
    shape.store(x, d);
    if (!out_of_bounds) return;
    for (unsigned i = 0; i < kLanes; ++i) {
      const bool outside = a[i] == kOutOfBoundsNan || b[i] == kOutOfBoundsNan || c[i] == kOutOfBoundsNan;
      d[i] = static_cast<std::uint16_t>(outside ? 0 : d[i]);
    }
  });
}

template <class Format, bool kMaximum>
const Op* order(const Op* op, Context& context) {
  const Shape<Format> shape(op);
  const OrderRule rule(op->immediate);
  return map_blocks<2>(op, context, [&](const std::uint16_t* a, const std::uint16_t* b, const std::uint16_t*, std::uint16_t* d) {
    alignas(64) float x[kLanes], y[kLanes];
    load_block<Format>(a, shape.threshold, x);
    load_block<Format>(b, shape.threshold, y);
    for (unsigned i = 0; i < kLanes; ++i) x[i] = rule.template apply<kMaximum>(x[i], y[i]);
    Format::encode(x, d);
  });
}

/// abs and neg: d = (a & keep) ^ flip.
const Op* change_sign(const Op* op, Context& context) {
  constexpr std::uint64_t kNegate = 1;
  const bool negate = (op->immediate & kNegate) != 0;
  const std::uint32_t keep = negate ? 0xffffu : 0x7fffu;
  const std::uint32_t flip = negate ? 0x8000u : 0;
  const std::uint32_t smallest = (op->immediate & kFlush) != 0 ? HalfBlock::kSmallestCode : 0;  // f16 alone has .ftz
  return map_blocks<1>(op, context, [&](const std::uint16_t* a, const std::uint16_t*, const std::uint16_t*, std::uint16_t* d) {
    for (unsigned i = 0; i < kLanes; ++i) d[i] = static_cast<std::uint16_t>((a[i] & keep) ^ flip);
    flush_codes(d, smallest);
  });
}

template <class Format>
Handler handler_of(ptx::Operation operation) {
  using ptx::Operation;
  switch (operation) {
    case Operation::add: return binary<Format, Add>;
    case Operation::sub: return binary<Format, Subtract>;
    case Operation::mul: return binary<Format, Multiply>;
    case Operation::fma: return fma<Format>;
    case Operation::min: return order<Format, false>;
    case Operation::max: return order<Format, true>;
    case Operation::abs:
    case Operation::neg: return change_sign;
    default: return nullptr;
  }
}

}  // namespace

Selected select_half(const ptx::Instruction& instruction, const ptx::Function&) {
  using ptx::Type;
  const Type type = instruction.type();
  const bool half = type == Type::f16 || type == Type::f16x2;
  if (!half && type != Type::bf16 && type != Type::bf16x2) return {};
  std::uint64_t mode = OrderRule::of(instruction);
  if (type == Type::f16x2 || type == Type::bf16x2) mode |= kPacked;
  if (instruction.has(ptx::Modifier::relu)) mode |= kRelu;
  if (instruction.has(ptx::Modifier::oob)) mode |= kOutOfBounds;
  if (instruction.operation == ptx::Operation::neg) mode |= 1;
  return {.run = half ? handler_of<HalfBlock>(instruction.operation) : handler_of<Bfloat16Block>(instruction.operation),
          .immediate = mode};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
