// RMSNorm on every CPU level: rows of all lengths, NaN, strides, in place, splits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/common/check.hpp"
#include "kernels/common/guarded_buffer.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/common/test_launcher.hpp"
#include "kernels/rms_norm/rms_norm_arguments.hpp"
#include "kernels/rms_norm/rms_norm_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::rms_norm_entries, x86_64_v3::rms_norm_entries, x86_64_v4::rms_norm_entries,
                         x86_64_v4_on_v3::rms_norm_entries);
}

struct call {
  GuardedBuffer<float> x, w, y;
  rms_norm_arguments arguments;

  call(uint64_t rows, uint64_t columns, uint64_t padding, uint64_t offset, RandomData& random)
      : x((rows - 1) * (columns + padding) + columns, offset),
        w(columns, (offset * 5) % 16),
        y(x.size(), (offset * 3) % 16) {
    random.fill(x.span());
    random.fill(w.span());
    arguments = {rows, columns, 1e-5f, x.argument(), columns + padding, w.argument(), y.argument(), columns + padding};
  }
  const float* input(uint64_t row) const { return x.data() + row * arguments.x_stride; }
  const float* output(uint64_t row) const { return y.data() + row * arguments.y_stride; }
};

bsc_status launch(const level_entries& level, const rms_norm_arguments& arguments, const split& how = {1, 1, 1}) {
  return launch_items(find_entry(level, "rms_norm_f32"), &arguments, arguments.rows, how);
}

void meets_reference(const level_entries& level, call& c, const split& how = {1, 1, 1}) {
  const auto& s = c.arguments;
  INFO(level.name, " rows=", s.rows, " columns=", s.columns, " stride=", s.x_stride);
  REQUIRE(launch(level, s, how) == BSC_OK);
  std::vector<double> value(s.columns), allowed(s.columns);
  for (uint64_t row = 0; row < s.rows; ++row) {
    rms_norm_reference_row(c.input(row), c.w.data(), s.columns, s.epsilon, value.data(), allowed.data());
    const comparison result = compare({c.output(row), s.columns}, value, allowed);
    INFO("row ", row, ": ", result.describe());
    CHECK(result.passed());
    if (row + 1 < s.rows)
      for (uint64_t j = s.columns; j < s.y_stride; ++j) CHECK(std::isnan(c.output(row)[j]));
  }
  CHECK((c.x.intact() && c.w.intact() && c.y.intact()));
}

TEST_CASE("rms_norm meets rule R2 for short and long rows, with padding and offsets") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    for (uint64_t columns = 1; columns < 140; ++columns) {
      call c(3, columns, columns % 5, columns % 16, random);
      meets_reference(level, c, {1, 2, 1});
    }
    for (uint64_t columns : {1023, 4096, 7168, 131072}) {
      call c(2, columns, 1, 3, random);
      meets_reference(level, c, {1, 2, 2});
    }
  }
}

TEST_CASE("rms_norm of a row of zeros is zero, thanks to epsilon") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    call c(1, 77, 0, 0, random);
    std::fill_n(c.x.data(), 77, 0.0f);
    meets_reference(level, c);
    for (uint64_t j = 0; j < 77; ++j) CHECK(c.y[j] == 0.0f);
  }
}

TEST_CASE("a NaN in x makes its row NaN, a NaN in w its column") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t columns : {5, 8, 33, 200}) {
      call c(3, columns, 0, 1, random);
      c.x[columns + random.below(columns)] = std::numeric_limits<float>::quiet_NaN();
      c.w[columns - 1] = std::numeric_limits<float>::quiet_NaN();
      meets_reference(level, c);
      for (uint64_t j = 0; j < columns; ++j) {
        CHECK(std::isnan(c.output(1)[j]));
        CHECK(std::isnan(c.output(2)[j]) == (j == columns - 1));
      }
    }
}

TEST_CASE("rms_norm in place gives what it gives elsewhere, and the same bits for every split") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    call c(37, 333, 3, 2, random);
    REQUIRE(launch(level, c.arguments) == BSC_OK);
    const std::vector<float> first(c.y.span().begin(), c.y.span().end());
    for (uint64_t run = 1; run <= 10; ++run) {
      c.y.poison();
      REQUIRE(launch(level, c.arguments, {1, run * 4, static_cast<unsigned>(1 + run % 3)}) == BSC_OK);
      CHECK(std::memcmp(first.data(), c.y.data(), first.size() * sizeof(float)) == 0);
    }
    rms_norm_arguments in_place = c.arguments;
    in_place.y = in_place.x;
    REQUIRE(launch(level, in_place) == BSC_OK);
    for (uint64_t row = 0; row < 37; ++row) CHECK(std::memcmp(c.input(row), c.output(row), 333 * sizeof(float)) == 0);
  }
}

TEST_CASE("rms_norm accepts empty shapes and refuses wrong ones") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    const rms_norm_arguments empty{3, 0, 1e-5f, {nullptr, 0}, 0, {nullptr, 0}, {nullptr, 0}, 0};
    CHECK(launch(level, empty) == BSC_OK);
    call c(2, 10, 0, 0, random);
    auto wrong = c.arguments;
    wrong.w.bytes = 39;
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
    wrong = c.arguments;
    wrong.y_stride = 9;
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
    wrong = c.arguments;
    wrong.x.bytes -= 4;
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
