// How far a result may be from its float64 reference: the rules R1 and R2, shared by tests, selftest and bench.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>

namespace bascule::kernels {

inline constexpr double kUnitRoundoffF32 = 0x1p-24;  // half a ulp of 1
inline constexpr double kSmallestF32 = 0x1p-149;     // below the normal range an f32 is wrong by up to half of this

inline constexpr double kSmallestNormalF32 = 0x1p-126;

// Relative error granted to a fused kernel's own elementary functions under R2, 6 ulp: what OpenCL allows for one
// exponential or square root (3 ulp) followed by one division (2.5 ulp).
inline constexpr double kFunctionError = 12 * kUnitRoundoffF32;

// What an element should be, and how far it may be from that.
struct reference_value {
  double value;
  double allowed;  // absolute error
};

// R1, for sums of products: the allowed error of a sum of `terms` products whose absolute values add up to `magnitude`,
// computed in a format of unit roundoff `accumulate` and stored in one of unit roundoff `output`. The first bound is
// what random rounding errors reach, the second what no order of summation can exceed; the smaller one counts.
inline double r1_bound(std::uint64_t terms, double magnitude, double reference, double accumulate = kUnitRoundoffF32,
                       double output = kUnitRoundoffF32) {
  const double count = static_cast<double>(terms);
  const double likely = 4.0 * std::sqrt(count), certain = count;
  return std::fmin(likely, certain) * accumulate * magnitude + output * std::fabs(reference) + kSmallestF32;
}

// R2, for fused kernels: twice the error of a plain implementation in the same precision, plus a little.
inline double r2_bound(double plain_error, double absolute) { return 2.0 * plain_error + absolute; }

}  // namespace bascule::kernels
