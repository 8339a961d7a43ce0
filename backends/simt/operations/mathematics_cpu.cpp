// sin, cos, lg2, ex2 and tanh of f32, and ex2 and tanh of f16, f16x2, bf16 and bf16x2, which go through f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/mathematics.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

struct Sine {
  [[gnu::always_inline]] static float of(float x) { return sine<false>(x); }
};
struct Cosine {
  [[gnu::always_inline]] static float of(float x) { return sine<true>(x); }
};
struct Exponential {
  [[gnu::always_inline]] static float of(float x) { return ex2(x); }
};
struct Logarithm {
  [[gnu::always_inline]] static float of(float x) { return lg2(x); }
};
struct HyperbolicTangent {
  [[gnu::always_inline]] static float of(float x) { return tanh(x); }
};

template <class F>
const Op* apply(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  return map<float, float>(op, context, [threshold](float a) { return flushed(F::of(flushed(a, threshold)), threshold); });
}

/// One or two values of a 16-bit format in each lane. With .ftz (bf16, whose subnormals are those of f32) results are flushed
/// once they are rounded.
template <unsigned Parts, class F, class Narrow>
const Op* apply_narrow(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const std::uint32_t smallest = (op->immediate & kFlush) != 0 ? 1u << Narrow::kFormat.mantissa_bits : 0;
  Mask mask(*op, context);
  Destination<std::uint16_t> d(context, op->operands[0]);
  Source<std::uint16_t> a(context, op->operands[1]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next()) {
    const std::uint16_t* const x = a.lanes();
    each_part<Parts>(d.lanes(), mask.lanes(), [&](unsigned i) {
      const float result = F::of(flushed(Narrow::decode(x[i]), threshold));
      const std::uint32_t code = encode_number<Narrow::kFormat>(result, Rounding::nearest);
      return static_cast<std::uint16_t>((code & 0x7fffu) < smallest ? code & 0x8000u : code);
    });
  }
  return op + 1;
}

template <class F>
Handler handler_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::f32: return apply<F>;
    case ptx::Type::f16: return apply_narrow<1, F, Half>;
    case ptx::Type::f16x2: return apply_narrow<2, F, Half>;
    case ptx::Type::bf16: return apply_narrow<1, F, Bfloat16>;
    case ptx::Type::bf16x2: return apply_narrow<2, F, Bfloat16>;
    default: return nullptr;
  }
}

Handler handler_of(const ptx::Instruction& instruction) {
  using ptx::Operation;
  const ptx::Type type = instruction.type();
  switch (instruction.operation) {
    case Operation::ex2: return handler_of<Exponential>(type);
    case Operation::tanh: return handler_of<HyperbolicTangent>(type);
    case Operation::sin: return type == ptx::Type::f32 ? apply<Sine> : nullptr;
    case Operation::cos: return type == ptx::Type::f32 ? apply<Cosine> : nullptr;
    case Operation::lg2: return type == ptx::Type::f32 ? apply<Logarithm> : nullptr;
    default: return nullptr;
  }
}

}  // namespace

Selected select_mathematics(const ptx::Instruction& instruction, const ptx::Function&) {
  return {.run = handler_of(instruction), .immediate = mode_of(instruction)};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
