// The functions of <bascule/device.hpp> with the errors that docs/kernel-guide.md promises, for the tests of their sweep.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/device.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bascule::kernels {

struct MathFunction {
  const char* name;
  float (*function)(float);
  double (*exact)(double);  // in f64, by the C library
  double ulps;              // at most
};

inline const MathFunction kMathFunctions[] = {
    {"exp", [](float x) { return bsc::exp(x); }, [](double x) { return std::exp(x); }, 1},
    {"exp2", [](float x) { return bsc::exp2(x); }, [](double x) { return std::exp2(x); }, 1},
    {"log", [](float x) { return bsc::log(x); }, [](double x) { return std::log(x); }, 1},
    {"log2", [](float x) { return bsc::log2(x); }, [](double x) { return std::log2(x); }, 1},
    {"log10", [](float x) { return bsc::log10(x); }, [](double x) { return std::log10(x); }, 1},
    {"sin", [](float x) { return bsc::sin(x); }, [](double x) { return std::sin(x); }, 2},
    {"cos", [](float x) { return bsc::cos(x); }, [](double x) { return std::cos(x); }, 2},
    {"tan", [](float x) { return bsc::tan(x); }, [](double x) { return std::tan(x); }, 4},
    {"tanh", [](float x) { return bsc::tanh(x); }, [](double x) { return std::tanh(x); }, 2},
    {"erf", [](float x) { return bsc::erf(x); }, [](double x) { return std::erf(x); }, 1.5},
    {"sqrt", [](float x) { return bsc::sqrt(x); }, [](double x) { return std::sqrt(x); }, 0.5000001},
    {"rsqrt", [](float x) { return bsc::rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {"sigmoid", [](float x) { return bsc::sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, 3},
};

// The distance of two neighbouring floats at `value`.
inline double ulp_at(double value) {
  const double size = std::fmin(std::fmax(std::fabs(value), 0x1p-126), 0x1.fffffep127);
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, exponent - 24);
}

// In ulps; infinity where one is a NaN or infinite and the other is not. A result that rounds to infinity may be either.
inline double error_in_ulps(float got, double exact) {
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) == std::isnan(exact) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(got) && std::fabs(exact) > 0x1.fffffep127 - ulp_at(0x1p127)) return (got > 0) == (exact > 0) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(exact) || std::isinf(got)) return got == exact ? 0 : std::numeric_limits<double>::infinity();
  return std::fabs(static_cast<double>(got) - exact) / ulp_at(exact);
}

}  // namespace bascule::kernels
