// Approximate functions of ISA 9.7.3 and 9.7.4: the documented bound around the exact value, the documented special values.
// The reference is the C library's long double (64 bits of mantissa), a thousand times finer than the finest bound for f32.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "tests/ptx_models/arithmetic.hpp"

namespace bascule::ptx_models {
namespace {

struct Bound {
  long double relative = 0;
  long double absolute = 0;
  long double ulps = 0;
};

long double ulp_of(const Format& format, long double exact) {
  const int exponent = std::max(std::ilogb(exact), 1 - format.bias());
  return std::ldexp(1.0L, exponent - format.mantissa_bits);
}

bool within(const Format& format, long double exact, std::uint64_t got, const Bound& bound, bool flush) {
  if (std::isnan(exact)) return format.is_nan(got);
  if (format.is_nan(got)) return false;
  if (flush && format.is_subnormal(got)) return false;
  const long double value = decode(format, got).to_long_double();
  if (std::isinf(exact)) return value == exact;
  if (exact == 0) return value == 0 && std::signbit(exact) == format.is_negative(got);
  const long double slack = bound.relative * std::fabs(exact) + bound.absolute + bound.ulps * ulp_of(format, exact);
  if (bound.absolute == 0 && std::signbit(exact) != format.is_negative(got)) return false;
  const long double largest = decode(format, format.largest()).to_long_double();
  if (std::isinf(value)) return std::fabs(exact) + slack > largest;
  if (flush && value == 0 && std::fabs(exact) - slack < decode(format, format.least_normal()).to_long_double()) return true;
  return std::fabs(value - exact) <= slack;
}

using Function = long double (*)(long double x);

struct Approximation {
  const char* name;
  Function exact;
  Bound (*bound)(long double x);
  bool may_flush;
};

long double power(long double exponent) { return std::exp2(exponent); }

Bound trigonometric(long double x) {
  const long double pi = std::numbers::pi_v<long double>;
  if (std::fabs(x) <= 2 * pi) return {0, power(-20.5L), 0};
  if (std::fabs(x) <= 100 * pi) return {0, power(-14.7L), 0};
  return {0, 2.001L, 0};  // no guarantee beyond; it must still be a number about as large as a sine
}

constexpr Approximation kSingle[] = {
    {"rcp.approx", [](long double x) { return 1 / x; }, [](long double) { return Bound{0, 0, 1}; }, true},
    {"sqrt.approx", [](long double x) { return std::sqrt(x); }, [](long double) { return Bound{power(-23), 0, 0}; }, true},
    {"rsqrt.approx", [](long double x) { return 1 / std::sqrt(x); }, [](long double) { return Bound{power(-22.9L), 0, 0}; }, true},
    {"sin.approx", [](long double x) { return std::sin(x); }, trigonometric, true},
    {"cos.approx", [](long double x) { return std::cos(x); }, trigonometric, true},
    {"lg2.approx", [](long double x) { return std::log2(x); },
     [](long double x) { return x > 0.5L && x < 2 ? Bound{0, power(-22), 0} : Bound{power(-22), 0, 0}; }, true},
    // 2 ulp from the correctly rounded result, which is half an ulp from the exact one.
    {"ex2.approx", [](long double x) { return std::exp2(x); }, [](long double) { return Bound{0, 0, 2.5L}; }, true},
    {"tanh.approx", [](long double x) { return std::tanh(x); }, [](long double) { return Bound{power(-11), 0, 0}; }, false},
};

Expected nearest(const Format& format, long double exact) {
  Expected result;
  if (format.width() > 32 || std::isnan(exact)) {
    result = format.canonical_nan;
    return result;
  }
  // For the message only: the value through double, which is close enough to read.
  result = encode(format, decode(kF64, std::bit_cast<std::uint64_t>(static_cast<double>(exact))), Rounding::nearest_even);
  return result;
}

void add_single(Forms& forms) {
  for (const Approximation& function : kSingle) {
    for (const bool flush : {false, true}) {
      if (flush && !function.may_flush) continue;
      const bool passes_subnormals = !function.may_flush;
      const std::string name = function.name;
      const bool trigonometric_one = name == "sin.approx" || name == "cos.approx";
      for (const Values values : {Values::f32, trigonometric_one ? Values::angle32 : Values::exponent32}) {
        const auto exact_of = [=](std::uint64_t bits) {
          return function.exact(decode(kF32, flushed(kF32, bits, flush)).to_long_double());
        };
        Form form{name + (flush ? ".ftz" : "") + ".f32 $d, $a", {values}, {float_output(kF32)},
                  [=](const std::uint64_t* in, Expected* out) { out[0] = nearest(kF32, exact_of(in[0])); },
                  [=](const std::uint64_t* in, std::uint64_t got) {
                    if (passes_subnormals && kF32.is_subnormal(in[0])) return got == in[0];
                    const long double x = decode(kF32, flushed(kF32, in[0], flush)).to_long_double();
                    return within(kF32, exact_of(in[0]), got, function.bound(x), flush);
                  }};
        forms.push_back(form);
      }
    }
  }
}

bool accepts_division(std::uint64_t a_bits, std::uint64_t b_bits, std::uint64_t got, bool full, bool flush) {
  const long double a = decode(kF32, flushed(kF32, a_bits, flush)).to_long_double();
  const long double b = decode(kF32, flushed(kF32, b_bits, flush)).to_long_double();
  const long double size = std::fabs(b);
  if (!full && !std::isnan(a) && size > power(126) && std::isfinite(b)) {
    const bool negative = std::signbit(a) != std::signbit(b);
    return std::isinf(a) ? kF32.is_nan(got) : got == (negative ? kF32.sign() : 0);
  }
  // a * (1 / b) of a subnormal b: nothing is promised.
  if (!full && b != 0 && size < power(-126)) return true;
  return within(kF32, a / b, got, {0, 0, 2}, flush);
}

void add_divisions(Forms& forms) {
  for (const bool full : {false, true}) {
    for (const bool flush : {false, true}) {
      for (const Values values : {Values::f32, Values::exponent32}) {
        forms.push_back({std::string("div") + (full ? ".full" : ".approx") + (flush ? ".ftz" : "") + ".f32 $d, $a, $b", {values, values},
                         {float_output(kF32)},
                         [](const std::uint64_t* in, Expected* out) {
                           out[0] = nearest(kF32, decode(kF32, in[0]).to_long_double() / decode(kF32, in[1]).to_long_double());
                         },
                         [=](const std::uint64_t* in, std::uint64_t got) { return accepts_division(in[0], in[1], got, full, flush); }});
      }
    }
  }
}

/// rcp and rsqrt of the upper word of an f64; the lower word of the result is zero. No bound is documented: one unit of the
/// last of the 20 mantissa bits that there are.
void add_upper_words(Forms& forms) {
  for (const bool root : {false, true}) {
    const auto exact_of = [=](std::uint64_t bits) {
      const std::uint64_t upper = bits & 0xffffffff00000000u;
      const long double x = decode(kF64, flushed(kF64, upper, true)).to_long_double();
      return root ? 1 / std::sqrt(x) : 1 / x;
    };
    forms.push_back({std::string(root ? "rsqrt" : "rcp") + ".approx.ftz.f64 $d, $a", {Values::f64}, {output(64)},
                     [=](const std::uint64_t*, Expected* out) { out[0] = 0x7fffffff00000000u; },
                     [=](const std::uint64_t* in, std::uint64_t got) {
                       const bool nan_by_low_word = kF64.is_nan(in[0]) && !kF64.is_nan(in[0] & 0xffffffff00000000u);
                       if (kF64.is_nan(in[0]) && got == 0x7fffffff00000000u) return true;
                       if (kF64.is_nan(in[0]) && !nan_by_low_word) return false;
                       return (got & 0xffffffffu) == 0 && within(kF64, exact_of(in[0]), got, {0, 0, 0x1p32L}, true);
                     }});
  }
  // No bound is documented for rsqrt.approx.f64 either; 2 ulp is what CUDA's library states of it.
  forms.push_back({"rsqrt.approx.f64 $d, $a", {Values::f64}, {float_output(kF64)},
                   [](const std::uint64_t*, Expected* out) { out[0] = kF64.canonical_nan; },
                   [](const std::uint64_t* in, std::uint64_t got) {
                     return within(kF64, 1 / std::sqrt(decode(kF64, in[0]).to_long_double()), got, {0, 0, 2}, false);
                   }});
}

struct HalfApproximation {
  const char* name;
  const Format* format;
  Function exact;
  Bound bound;
  bool flush;
  unsigned target;
};

void add_halves(Forms& forms) {
  const HalfApproximation functions[] = {
      {"tanh.approx", &kF16, [](long double x) { return std::tanh(x); }, {0, power(-10.987L), 0}, false, 80},
      {"tanh.approx", &kBf16, [](long double x) { return std::tanh(x); }, {0, power(-8), 0}, false, 90},
      // Half a unit of the last place comes on top where the result is subnormal.
      {"ex2.approx", &kF16, [](long double x) { return std::exp2(x); }, {power(-9.9L), 0, 0}, false, 80},
      {"ex2.approx.ftz", &kBf16, [](long double x) { return std::exp2(x); }, {power(-7), 0, 0}, true, 90}};
  for (const HalfApproximation& function : functions) {
    for (const int elements : {1, 2}) {
      const Format& format = *function.format;
      const bool brain = &format == &kBf16;
      const auto accepts_one = [=, &format](std::uint64_t x_bits, std::uint64_t got) {
        const long double exact = function.exact(decode(format, flushed(format, x_bits, function.flush)).to_long_double());
        Bound bound = function.bound;
        if (std::fabs(exact) < power(1 - format.bias())) bound.ulps = 0.5L;
        if (exact == 0 && !std::signbit(exact)) return got == 0;
        return within(format, exact, got, bound, function.flush);
      };
      Form form{std::string(function.name) + (brain ? ".bf16" : ".f16") + (elements == 2 ? "x2" : "") + " $d, $a",
                {brain ? (elements == 2 ? Values::bf16x2 : Values::bf16) : (elements == 2 ? Values::f16x2 : Values::f16)},
                {float_output(format, elements)},
                [=, &format](const std::uint64_t* in, Expected* out) {
                  out[0] = nearest(format, function.exact(decode(format, in[0] & 0xffff).to_long_double())).bits;
                },
                [=](const std::uint64_t* in, std::uint64_t got) {
                  for (int e = 0; e < elements; ++e) {
                    if (!accepts_one(in[0] >> (16 * e) & 0xffff, got >> (16 * e) & 0xffff)) return false;
                  }
                  return true;
                }};
      form.target = function.target;
      form.exhaustive16 = true;
      form.may_be_immediate = false;
      forms.push_back(form);
    }
  }
}

}  // namespace

Forms approximate_forms() {
  Forms forms;
  add_single(forms);
  add_divisions(forms);
  add_upper_words(forms);
  add_halves(forms);
  return forms;
}

}  // namespace bascule::ptx_models
