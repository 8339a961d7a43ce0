// The approximate functions of f32 and what the ISA allows them to be off by; a sweep over the codes of f32 that measures it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

#include "backends/simt/operations/float_fixture.hpp"

namespace bascule::simt::float_test {

inline double ulp_of(double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

struct Approximation {
  Operation operation;
  double (*exact)(double x);
  /// The error of a result as a share of what is allowed; negative: nothing is promised for this x.
  double (*share)(double x, double result, double exact);
  double range;  // |x| up to here
};

inline double absolute_share(double result, double exact, double allowed) { return std::fabs(result - exact) / allowed; }

inline const Approximation kApproximations[] = {
    {Operation::ex2, [](double x) { return std::exp2(x); },
     [](double x, double result, double exact) {
       return x >= 128 ? (std::isinf(result) ? 0.0 : HUGE_VAL) : absolute_share(result, exact, 2 * ulp_of(exact));
     },
     HUGE_VAL},
    {Operation::lg2, [](double x) { return std::log2(x); },
     [](double x, double result, double exact) {
       if (x <= 0) return -1.0;
       return absolute_share(result, exact, x > 0.5 && x < 2 ? 0x1p-22 : 0x1p-22 * std::fabs(exact));
     },
     HUGE_VAL},
    {Operation::sin, [](double x) { return std::sin(x); },
     [](double x, double result, double exact) {
       return absolute_share(result, exact, std::fabs(x) <= 6.283185307179586 ? std::exp2(-20.5) : std::exp2(-14.7));
     },
     314.1592653589793},
    {Operation::cos, [](double x) { return std::cos(x); },
     [](double x, double result, double exact) {
       return absolute_share(result, exact, std::fabs(x) <= 6.283185307179586 ? std::exp2(-20.5) : std::exp2(-14.7));
     },
     314.1592653589793},
    {Operation::tanh, [](double x) { return std::tanh(x); },
     [](double x, double result, double exact) {
       return x == 0 ? (result == 0 ? 0.0 : HUGE_VAL) : absolute_share(result, exact, 0x1p-11 * std::fabs(exact));
     },
     HUGE_VAL},
};

struct Worst {
  double share = 0;
  float at = 0;
};

/// The worst case among the finite f32 codes first, first + step, ... of both signs.
inline Worst worst_of(const Level& level, const Approximation& approximation, std::uint32_t first, std::uint32_t step) {
  constexpr std::size_t kChunk = 96 * 64;
  Worst worst;
  Bench bench(level, approximation.operation, {Modifier::approx}, {Type::f32});
  std::vector<float> values;
  const auto measure = [&] {
    if (values.empty()) return;
    const auto results = bench.run(32, {column(values)});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i];
      const double share = approximation.share(x, as_float(results[i]), approximation.exact(x));
      if (!(share <= worst.share)) worst = {share, values[i]};  // NaN counts as worst
      if (std::isnan(share)) return;
    }
    values.clear();
  };
  for (std::uint64_t code = first; code < 0x7f800000u && !std::isnan(worst.share); code += step) {
    const float x = as_float(code);
    if (static_cast<double>(x) > approximation.range) break;
    values.push_back(x);
    values.push_back(-x);
    if (values.size() >= kChunk) measure();
  }
  measure();
  return worst;
}

}  // namespace bascule::simt::float_test
