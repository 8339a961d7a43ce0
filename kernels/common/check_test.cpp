// Tests of the comparison that every kernel test, selftest and bench relies on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "guarded_buffer.hpp"
#include "tolerance.hpp"

namespace bascule::kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

comparison compare_one(double actual, double expected, double allowed) {
  comparison result;
  compare_element(result, 7, actual, expected, allowed);
  return result;
}

TEST_CASE("an error inside its bound passes, one outside fails and is named") {
  CHECK(compare_one(1.0, 1.0, 0.0).passed());
  CHECK(compare_one(1.05, 1.0, 0.1).passed());
  const comparison wrong = compare_one(1.2, 1.0, 0.1);
  CHECK_FALSE(wrong.passed());
  CHECK(wrong.index == 7);
  CHECK(wrong.worst_ratio == doctest::Approx(2.0));
  CHECK(wrong.describe().find("element 7") != std::string::npos);
}

TEST_CASE("a NaN is right only where one is expected, whatever the bound") {
  CHECK(compare_one(kNan, kNan, 0.0).passed());
  CHECK_FALSE(compare_one(kNan, 1.0, kInfinity).passed());
  CHECK_FALSE(compare_one(1.0, kNan, kInfinity).passed());
}

TEST_CASE("a NaN bound lets nothing but an exact result through") {
  CHECK(compare_one(1.0, 1.0, kNan).passed());
  CHECK_FALSE(compare_one(1.5, 1.0, kNan).passed());
}

TEST_CASE("infinities must agree in sign, and overflow is right where the reference overflows f32") {
  CHECK(compare_one(kInfinity, kInfinity, 0.0).passed());
  CHECK_FALSE(compare_one(-kInfinity, kInfinity, 0.0).passed());
  CHECK(compare_one(kInfinity, 1e39, 0.0).passed());
  CHECK_FALSE(compare_one(kInfinity, 1e30, 1e30).passed());
  CHECK_FALSE(compare_one(0.0, 1e39, 1.0).passed());
}

TEST_CASE("spans of unequal length never pass") {
  const std::vector<float> actual(3);
  const std::vector<double> two(2), three(3);
  CHECK_FALSE(compare(actual, two, three).passed());
  CHECK_FALSE(compare(actual, three, two).passed());
  CHECK(compare(actual, three, three).passed());
}

TEST_CASE("R1 grows like the root of the length, but never past the certain bound") {
  CHECK(r1_bound(1, 1.0, 0.0) == doctest::Approx(0x1p-24));
  CHECK(r1_bound(100, 1.0, 0.0) == doctest::Approx(40 * 0x1p-24));
  CHECK(r1_bound(100, 1.0, 5.0) == doctest::Approx(45 * 0x1p-24));
}

TEST_CASE("a guarded buffer shows a write on either side and starts as NaN") {
  for (uint64_t offset = 0; offset < 16; ++offset) {
    GuardedBuffer<float> buffer(5, offset);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == offset * 4);
    for (float value : buffer.span()) CHECK(std::isnan(value));
    for (float& value : buffer.span()) value = 1.0f;
    CHECK(buffer.intact());
    const float before = buffer.data()[-1], after = buffer.data()[5];
    buffer.data()[-1] = 0.0f;
    CHECK_FALSE(buffer.intact());
    buffer.data()[-1] = before;
    CHECK(buffer.intact());
    buffer.data()[5] = 0.0f;
    CHECK_FALSE(buffer.intact());
    buffer.data()[5] = after;
    CHECK(buffer.intact());
  }
}

}  // namespace
}  // namespace bascule::kernels
