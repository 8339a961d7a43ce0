// Comparing a kernel's output with its reference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

namespace bascule::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double error_ratio(double actual, double expected, double allowed) {
  if (std::isnan(expected)) return std::isnan(actual) ? 0.0 : kInfinity;
  if (std::isnan(actual)) return kInfinity;
  const double rounded = static_cast<double>(static_cast<float>(expected));
  if (std::isinf(rounded) || std::isinf(actual)) {
    if (rounded == actual) return 0.0;
    // At the edge of the range the allowed error decides whether overflow was legitimate.
    const double largest = std::numeric_limits<float>::max();
    const double clamped = std::isinf(actual) ? std::copysign(largest, actual) : actual;
    if (std::isinf(expected)) return kInfinity;
    const double distance = std::fabs(clamped - expected);
    return allowed > 0 && distance <= allowed ? distance / allowed : kInfinity;
  }
  const double error = std::fabs(actual - expected);
  if (error == 0.0) return 0.0;
  return allowed > 0.0 ? error / allowed : kInfinity;
}

}  // namespace

void compare_element(comparison& so_far, std::uint64_t index, double actual, double expected, double allowed) {
  const double ratio = error_ratio(actual, expected, allowed);
  if (ratio > so_far.worst_ratio) so_far = {ratio, index, actual, expected, allowed};
}

comparison compare(std::span<const float> actual, std::span<const double> expected, std::span<const double> allowed) {
  comparison result;
  if (actual.size() != expected.size() || actual.size() != allowed.size()) {
    result.worst_ratio = kInfinity;
    return result;
  }
  for (std::uint64_t i = 0; i < actual.size(); ++i) compare_element(result, i, actual[i], expected[i], allowed[i]);
  return result;
}

std::string comparison::describe() const {
  char text[200];
  std::snprintf(text, sizeof text,
                "worst error is %.3g of the allowed one: element %llu is %.9g, expected %.9g +- %.3g", worst_ratio,
                static_cast<unsigned long long>(index), actual, expected, allowed);
  return text;
}

}  // namespace bascule::kernels
