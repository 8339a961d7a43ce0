// Comparing a kernel's output with its reference, for tests, selftest and bench alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bascule::kernels {

struct comparison {
  double worst_ratio =
      0;  // largest error / allowed error; above 1 is a failure, infinity where a NaN or infinity differs
  std::uint64_t index = 0;                       // of the worst element
  double actual = 0, expected = 0, allowed = 0;  // there

  bool passed() const { return worst_ratio <= 1.0; }
  explicit operator bool() const { return passed(); }
  std::string describe() const;
};

// Compares element by element. A NaN is right only where a NaN is expected. A reference beyond the range of f32 expects
// an infinity of its sign. `allowed` holds one bound per element. The spans must be of equal length.
comparison compare(std::span<const float> actual, std::span<const double> expected, std::span<const double> allowed);

// Folds one element into a comparison; for callers that compute references one at a time.
void compare_element(comparison& so_far, std::uint64_t index, double actual, double expected, double allowed);

}  // namespace bascule::kernels
