// sin, cos, lg2, ex2 and tanh of f32, and ex2 and tanh of f16, f16x2, bf16 and bf16x2, which go through f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/half.hpp"
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
  return map<float, float>(op, context, [](float a) { return F::of(a); });
}
template <class F>
const Op* apply_flushing(const Op* op, Context& context) {
  return map<float, float>(op, context, [](float a) { return flushed(F::of(flushed(a))); });
}

/// With .ftz (bf16, whose subnormals are those of f32) results are flushed once they are rounded.
template <class F, class Format>
const Op* apply_narrow(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const std::uint32_t smallest = (op->immediate & kFlush) != 0 ? Format::kSmallestCode : 0;
  return map_blocks<1>(op, context, [&](const std::uint16_t* a, const std::uint16_t*, const std::uint16_t*, std::uint16_t* d) {
    alignas(64) float x[kLanes];
    load_block<Format>(a, threshold, x);
    for (unsigned i = 0; i < kLanes; ++i) x[i] = F::of(x[i]);
    Format::encode(x, d);
    flush_codes(d, smallest);
  });
}

template <class F>
Handler handler_of_f32(bool flush) {
  return flush ? apply_flushing<F> : apply<F>;
}

template <class F>
Handler handler_of(ptx::Type type, bool flush) {
  switch (type) {
    case ptx::Type::f32: return handler_of_f32<F>(flush);
    case ptx::Type::f16:
    case ptx::Type::f16x2: return apply_narrow<F, HalfBlock>;
    case ptx::Type::bf16:
    case ptx::Type::bf16x2: return apply_narrow<F, Bfloat16Block>;
    default: return nullptr;
  }
}

Handler handler_of(const ptx::Instruction& instruction) {
  using ptx::Operation;
  const ptx::Type type = instruction.type();
  const bool flush = instruction.has(ptx::Modifier::ftz);
  switch (instruction.operation) {
    case Operation::ex2: return handler_of<Exponential>(type, flush);
    case Operation::tanh: return handler_of<HyperbolicTangent>(type, flush);
    case Operation::sin: return type == ptx::Type::f32 ? handler_of_f32<Sine>(flush) : nullptr;
    case Operation::cos: return type == ptx::Type::f32 ? handler_of_f32<Cosine>(flush) : nullptr;
    case Operation::lg2: return type == ptx::Type::f32 ? handler_of_f32<Logarithm>(flush) : nullptr;
    default: return nullptr;
  }
}

}  // namespace

Selected select_mathematics(const ptx::Instruction& instruction, const ptx::Function&) {
  const bool packed = instruction.type() == ptx::Type::f16x2 || instruction.type() == ptx::Type::bf16x2;
  return {.run = handler_of(instruction), .immediate = mode_of(instruction) | (packed ? kPacked : 0)};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
