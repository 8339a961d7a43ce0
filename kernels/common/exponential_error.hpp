// Measures a level's vector exponential against the float64 one, for the quick (sampled) and nightly (exhaustive) test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "evaluate_exponential.hpp"

namespace bascule::kernels {

struct exponential_level {
  const char* name;
  void (*evaluate)(const float*, float*, std::uint64_t);
};

inline std::vector<exponential_level> exponential_levels() {
  std::vector<exponential_level> levels{{"v2", x86_64_v2::evaluate_exponential}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    levels.push_back({"v3", x86_64_v3::evaluate_exponential});
    levels.push_back({"v4_on_v3", x86_64_v4_on_v3::evaluate_exponential});
  }
  if (__builtin_cpu_supports("avx512f")) levels.push_back({"v4", x86_64_v4::evaluate_exponential});
  return levels;
}

struct exponential_error {
  double worst = 0;  // in ulp of the result (of the smallest f32 below the normal range)
  float where = 0;
  std::uint64_t wrong_special = 0;  // NaN, overflow or infinity not as it should be
};

inline double ulps(float actual, double expected) {
  const int exponent = std::max(std::ilogb(expected), -126);
  return std::fabs(double{actual} - expected) / std::ldexp(1.0, exponent - 23);
}

// Over the f32 whose bit patterns are first, first + step, ... up to 2^32.
inline exponential_error measure(const exponential_level& level, std::uint64_t first, std::uint64_t step) {
  constexpr std::uint64_t kBatch = 4096;
  std::vector<float> x(kBatch), y(kBatch);
  exponential_error result;
  for (std::uint64_t begin = first; begin < (std::uint64_t{1} << 32); begin += kBatch * step) {
    for (std::uint64_t i = 0; i < kBatch; ++i)
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(begin + i * step));
    level.evaluate(x.data(), y.data(), kBatch);
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      const double expected = std::exp(double{x[i]});
      if (std::isnan(x[i])) {
        result.wrong_special += !std::isnan(y[i]);
      } else if (static_cast<float>(expected) > std::numeric_limits<float>::max() || std::isinf(y[i])) {
        // Overflow may come one ulp early or late.
        result.wrong_special += !(std::isinf(y[i]) && y[i] > 0) && x[i] > 88.7229f;
        result.wrong_special += std::isinf(y[i]) && x[i] < 88.7227f;
      } else if (expected < 0x1p-151) {
        result.wrong_special += y[i] != 0.0f;
      } else if (const double error = ulps(y[i], expected); !(error <= result.worst)) {
        result.worst = error;
        result.where = x[i];
      }
    }
  }
  return result;
}

}  // namespace bascule::kernels
