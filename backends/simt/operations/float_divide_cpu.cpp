// div, rcp, sqrt and rsqrt of f32 and f64.
//
// The approximate forms of f32 are the host's correctly rounded ones, which are inside every documented bound (rsqrt: two
// roundings, 2^-23 against 2^-22.9) and the same on all machines, unlike the host's approximate instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/families.hpp"
#include "backends/simt/operations/float_mode.hpp"

namespace bascule::simt::BASCULE_CPU_NAMESPACE {
namespace {

struct Reciprocal {
  template <class T>
  [[gnu::always_inline]] static T of(T x) {
    return T{1} / x;
  }
};
struct SquareRoot {
  [[gnu::always_inline]] static float of(float x) { return __builtin_sqrtf(x); }
  [[gnu::always_inline]] static double of(double x) { return __builtin_sqrt(x); }
};
struct ReciprocalSquareRoot {
  template <class T>
  [[gnu::always_inline]] static T of(T x) {
    return T{1} / SquareRoot::of(x);
  }
};

// ---- f32 -----------------------------------------------------------------------------------------------------------

template <class F>
const Op* plain(const Op* op, Context& context) {
  return map<float, float>(op, context, [](float a) { return canonical(F::of(a)); });
}
/// Rounding and .ftz as the instruction says.
template <class F>
const Op* general(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const RoundingScope scope(rounding_of(op));
  return map<float, float>(
      op, context, [threshold](float a) { return canonical(flushed(F::of(flushed(a, threshold)), threshold)); });
}

const Op* divide(const Op* op, Context& context) {
  return map<float, float, float>(op, context, [](float a, float b) { return canonical(a / b); });
}
const Op* divide_general(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  const RoundingScope scope(rounding_of(op));
  return map<float, float, float>(op, context, [threshold](float a, float b) {
    return canonical(flushed(flushed(a, threshold) / flushed(b, threshold), threshold));
  });
}
/// a * (1 / b), where the reciprocal of a |b| above 2^126 is taken for 0.
const Op* divide_approximately(const Op* op, Context& context) {
  const float threshold = flush_threshold(op);
  return map<float, float, float>(op, context, [threshold](float a, float b) {
    const float x = flushed(a, threshold);
    const float y = flushed(b, threshold);
    const bool huge = magnitude(y) > 0x1p126f && magnitude(y) < __builtin_inff();
    const float quotient = huge ? x * with_sign_of(0.0f, y) : x / y;
    return canonical(flushed(quotient, threshold));
  });
}

// ---- f64 -----------------------------------------------------------------------------------------------------------

template <class F>
const Op* plain_f64(const Op* op, Context& context) {
  return map<double, double>(op, context, [](double a) { return F::of(a); });
}
template <class F>
const Op* rounded_f64(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<double, double>(op, context, [](double a) { return F::of(a); });
}
const Op* divide_f64(const Op* op, Context& context) {
  return map<double, double, double>(op, context, [](double a, double b) { return a / b; });
}
const Op* divide_rounded_f64(const Op* op, Context& context) {
  const RoundingScope scope(rounding_of(op));
  return map<double, double, double>(op, context, [](double a, double b) { return a / b; });
}

/// .approx.ftz.f64: of the upper 32 bits, giving the upper 32 bits; subnormals count as zeros.
template <class F>
const Op* gross_f64(const Op* op, Context& context) {
  constexpr std::uint64_t kUpper = 0xffffffff00000000u;
  constexpr double kNormal = 0x1p-1022;
  const auto flushed_f64 = [](double x) {
    const std::uint64_t sign = std::bit_cast<std::uint64_t>(x) & (std::uint64_t{1} << 63);
    return __builtin_fabs(x) < kNormal ? std::bit_cast<double>(sign) : x;
  };
  return map<double, double>(op, context, [flushed_f64](double a) {
    const double upper = std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) & kUpper);
    const double result = flushed_f64(F::of(flushed_f64(upper)));
    const std::uint64_t bits = a != a || result != result ? 0x7fffffff00000000u : std::bit_cast<std::uint64_t>(result) & kUpper;
    return std::bit_cast<double>(bits);
  });
}

// ---- selection -----------------------------------------------------------------------------------------------------

struct Handlers {
  Handler plain, general, plain_f64, rounded_f64, gross_f64;
};
template <class F>
constexpr Handlers kHandlers{plain<F>, general<F>, plain_f64<F>, rounded_f64<F>, gross_f64<F>};

Handler unary_handler(const Handlers& handlers, const ptx::Instruction& instruction, std::uint64_t mode) {
  if (instruction.type() == ptx::Type::f32) return mode == 0 ? handlers.plain : handlers.general;
  if (instruction.type() != ptx::Type::f64) return nullptr;
  if (instruction.has(ptx::Modifier::ftz)) return handlers.gross_f64;
  return mode == 0 ? handlers.plain_f64 : handlers.rounded_f64;
}

Handler divide_handler(const ptx::Instruction& instruction, std::uint64_t mode) {
  if (instruction.type() == ptx::Type::f64) return mode == 0 ? divide_f64 : divide_rounded_f64;
  if (instruction.type() != ptx::Type::f32) return nullptr;
  if (instruction.has(ptx::Modifier::approx)) return divide_approximately;
  return mode == 0 ? divide : divide_general;
}

}  // namespace

Selected select_float_divide(const ptx::Instruction& instruction, const ptx::Function&) {
  using ptx::Operation;
  const std::uint64_t mode = mode_of(instruction);
  switch (instruction.operation) {
    case Operation::div: return {.run = divide_handler(instruction, mode), .immediate = mode};
    case Operation::rcp: return {.run = unary_handler(kHandlers<Reciprocal>, instruction, mode), .immediate = mode};
    case Operation::sqrt: return {.run = unary_handler(kHandlers<SquareRoot>, instruction, mode), .immediate = mode};
    case Operation::rsqrt: return {.run = unary_handler(kHandlers<ReciprocalSquareRoot>, instruction, mode), .immediate = mode};
    default: return {};
  }
}

}  // namespace bascule::simt::BASCULE_CPU_NAMESPACE
