// add, sub, mul, fma and mad of f32, f64, f32x2, and those of f32 with f16 or bf16 operands.
//
// Each operation has a loop for what most code uses (to nearest, no modifiers), one for .ftz, and one that reads rounding,
// flushing and clamping from the instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/float_mode.hpp"
#include "backends/simt/operations/number_formats.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

#if defined(__FMA__)
[[gnu::always_inline]] inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
/// Without an instruction for it, to nearest: the product is exact in double; the sum is rounded to odd there, so that the
/// final rounding to f32 is that of the exact sum.
[[gnu::always_inline]] inline float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);  // exact: sum + error is the exact sum
  return static_cast<float>(rounded_to_odd(sum, error));
}
#endif

struct Add {
  template <class T>
  [[gnu::always_inline]] static T nearest(T a, T b) {
    return a + b;
  }
  template <class T>
  [[gnu::always_inline]] static T rounded(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  [[gnu::always_inline]] static T nearest(T a, T b) {
    return a - b;
  }
  template <class T>
  [[gnu::always_inline]] static T rounded(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  [[gnu::always_inline]] static T nearest(T a, T b) {
    return a * b;
  }
  template <class T>
  [[gnu::always_inline]] static T rounded(T a, T b) {
    return a * b;
  }
};
/// The rounded form follows MXCSR: the instruction where there is one, else the C library, whose fma is exact in every mode.
struct MultiplyAdd {
  [[gnu::always_inline]] static float nearest(float a, float b, float c) { return fused(a, b, c); }
  [[gnu::always_inline]] static float rounded(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  [[gnu::always_inline]] static double nearest(double a, double b, double c) { return __builtin_fma(a, b, c); }
  [[gnu::always_inline]] static double rounded(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

// ---- two operands --------------------------------------------------------------------------------------------------

template <class F>
const Op* plain2(const Op* op, Context& context) {
  return map<float, float, float>(op, context, [](float a, float b) { return canonical(F::nearest(a, b)); });
}

template <class F>
const Op* flushing2(const Op* op, Context& context) {
  return map<float, float, float>(
      op, context, [](float a, float b) { return canonical(flushed(F::nearest(flushed(a), flushed(b)))); });
}

/// What every modifier does to a result.
[[gnu::always_inline]] inline float finished(float x, float threshold, bool saturate) {
  const float result = canonical(flushed(x, threshold));
  return saturate ? saturated(result) : result;
}

template <unsigned Parts, class F>
const Op* general2(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const bool saturate = (op->immediate & kSaturate) != 0;
  const RoundingScope scope(rounding_of(op));
  Mask mask(*op, context);
  Destination<float> d(context, op->operands[0]);
  Source<float> a(context, op->operands[1]);
  Source<float> b(context, op->operands[2]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next()) {
    const float* const x = a.lanes();
    const float* const y = b.lanes();
    each_part<Parts>(d.lanes(), mask.lanes(), [&](unsigned i) {
      return finished(F::rounded(flushed(x[i], threshold), flushed(y[i], threshold)), threshold, saturate);
    });
  }
  return op + 1;
}

/// a is f16 or bf16, b is f32.
template <class F, class Narrow>
const Op* mixed2(const Op* op, Context& context) {
  const bool saturate = (op->immediate & kSaturate) != 0;
  const RoundingScope scope(rounding_of(op));
  return map<float, std::uint16_t, float>(op, context, [saturate](std::uint16_t a, float b) {
    return finished(F::rounded(Narrow::decode(a), b), 0.0f, saturate);
  });
}

template <class F>
const Op* plain2_f64(const Op* op, Context& context) {
  return map<double, double, double>(op, context, [](double a, double b) { return F::nearest(a, b); });
}

template <class F>
const Op* rounded2_f64(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<double, double, double>(op, context, [](double a, double b) { return F::rounded(a, b); });
}

// ---- three operands ------------------------------------------------------------------------------------------------

const Op* plain_fma(const Op* op, Context& context) {
  return map<float, float, float, float>(
      op, context, [](float a, float b, float c) { return canonical(MultiplyAdd::nearest(a, b, c)); });
}

const Op* flushing_fma(const Op* op, Context& context) {
  return map<float, float, float, float>(op, context, [](float a, float b, float c) {
    return canonical(flushed(MultiplyAdd::nearest(flushed(a), flushed(b), flushed(c))));
  });
}

template <unsigned Parts>
const Op* general_fma(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const bool saturate = (op->immediate & kSaturate) != 0;
  const RoundingScope scope(rounding_of(op));
  Mask mask(*op, context);
  Destination<float> d(context, op->operands[0]);
  Source<float> a(context, op->operands[1]);
  Source<float> b(context, op->operands[2]);
  Source<float> c(context, op->operands[3]);
  for (unsigned warp = 0; warp < context.warps; ++warp, mask.next(), d.next(), a.next(), b.next(), c.next()) {
    const float* const x = a.lanes();
    const float* const y = b.lanes();
    const float* const z = c.lanes();
    each_part<Parts>(d.lanes(), mask.lanes(), [&](unsigned i) {
      const float sum = MultiplyAdd::rounded(flushed(x[i], threshold), flushed(y[i], threshold), flushed(z[i], threshold));
      return finished(sum, threshold, saturate);
    });
  }
  return op + 1;
}

/// a and b are f16 or bf16, c is f32.
template <class Narrow>
const Op* mixed_fma(const Op* op, Context& context) {
  const bool saturate = (op->immediate & kSaturate) != 0;
  const RoundingScope scope(rounding_of(op));
  return map<float, std::uint16_t, std::uint16_t, float>(
      op, context, [saturate](std::uint16_t a, std::uint16_t b, float c) {
        return finished(MultiplyAdd::rounded(Narrow::decode(a), Narrow::decode(b), c), 0.0f, saturate);
      });
}

const Op* plain_fma_f64(const Op* op, Context& context) {
  return map<double, double, double, double>(
      op, context, [](double a, double b, double c) { return MultiplyAdd::nearest(a, b, c); });
}

const Op* rounded_fma_f64(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<double, double, double, double>(
      op, context, [](double a, double b, double c) { return MultiplyAdd::rounded(a, b, c); });
}

// ---- selection -----------------------------------------------------------------------------------------------------

/// The handlers of one operation.
struct Handlers {
  Handler plain, flushing, general, general_x2, mixed_f16, mixed_bf16, plain_f64, rounded_f64;
};

template <class F>
constexpr Handlers kHandlers2{plain2<F>,          flushing2<F>,        general2<1, F>, general2<2, F>,
                              mixed2<F, Half>,    mixed2<F, Bfloat16>, plain2_f64<F>,  rounded2_f64<F>};
constexpr Handlers kHandlersFma{plain_fma,       flushing_fma,        general_fma<1>, general_fma<2>,
                                mixed_fma<Half>, mixed_fma<Bfloat16>, plain_fma_f64,  rounded_fma_f64};

const Handlers* handlers_of(ptx::Operation operation) {
  switch (operation) {
    case ptx::Operation::add: return &kHandlers2<Add>;
    case ptx::Operation::sub: return &kHandlers2<Subtract>;
    case ptx::Operation::mul: return &kHandlers2<Multiply>;
    case ptx::Operation::fma:
    case ptx::Operation::mad: return &kHandlersFma;
    default: return nullptr;
  }
}

Handler handler_of(const Handlers& handlers, const ptx::Instruction& instruction, std::uint64_t mode) {
  switch (instruction.type(0)) {
    case ptx::Type::f64: return mode == 0 ? handlers.plain_f64 : handlers.rounded_f64;
    case ptx::Type::f32x2: return handlers.general_x2;
    case ptx::Type::f32:
      if (instruction.type(1) == ptx::Type::f16) return handlers.mixed_f16;
      if (instruction.type(1) == ptx::Type::bf16) return handlers.mixed_bf16;
      return mode == 0 ? handlers.plain : mode == kFlush ? handlers.flushing : handlers.general;
    default: return nullptr;
  }
}

}  // namespace

Selected select_float(const ptx::Instruction& instruction, const ptx::Function&) {
  const Handlers* const handlers = handlers_of(instruction.operation);
  if (handlers == nullptr) return {};
  const std::uint64_t mode = mode_of(instruction);
  return {.run = handler_of(*handlers, instruction, mode), .immediate = mode};
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
