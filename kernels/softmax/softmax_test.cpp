// Softmax on every CPU level: rows of all lengths, masks, NaN, strides, in place, splits.
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
#include "kernels/softmax/softmax_arguments.hpp"
#include "kernels/softmax/softmax_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::softmax_entries, x86_64_v3::softmax_entries, x86_64_v4::softmax_entries,
                         x86_64_v4_on_v3::softmax_entries);
}

struct call {
  GuardedBuffer<float> x, y;
  softmax_arguments arguments;

  call(uint64_t rows, uint64_t columns, uint64_t padding, uint64_t offset, float scale, RandomData& random)
      : x(rows == 0 ? 0 : (rows - 1) * (columns + padding) + columns, offset), y(x.size(), (offset * 3) % 16) {
    random.fill(x.span());
    for (float& value : x.span()) value *= scale;
    arguments = {rows, columns, x.argument(), columns + padding, y.argument(), columns + padding};
  }
  const float* input(uint64_t row) const { return x.data() + row * arguments.x_stride; }
  const float* output(uint64_t row) const { return y.data() + row * arguments.y_stride; }
};

bsc_status launch(const level_entries& level, const softmax_arguments& arguments, const split& how = {1, 1, 1}) {
  return launch_items(find_entry(level, "softmax_f32"), &arguments, arguments.rows, how);
}

void meets_reference(const level_entries& level, call& c, const split& how = {1, 1, 1}) {
  const auto& s = c.arguments;
  INFO(level.name, " rows=", s.rows, " columns=", s.columns, " stride=", s.x_stride);
  REQUIRE(launch(level, s, how) == BSC_OK);
  std::vector<double> value(s.columns), allowed(s.columns);
  for (uint64_t row = 0; row < s.rows; ++row) {
    softmax_reference_row(c.input(row), s.columns, value.data(), allowed.data());
    const comparison result = compare({c.output(row), s.columns}, value, allowed);
    INFO("row ", row, ": ", result.describe());
    CHECK(result.passed());
    if (row + 1 < s.rows)
      for (uint64_t j = s.columns; j < s.y_stride; ++j) CHECK(std::isnan(c.output(row)[j]));
  }
  CHECK((c.x.intact() && c.y.intact()));
}

TEST_CASE("softmax meets rule R2 for every short row, with padding and offsets") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t columns = 1; columns < 140; ++columns) {
      call c(3, columns, columns % 5, columns % 16, columns % 2 != 0 ? 1.0f : 30.0f, random);
      meets_reference(level, c, {1, 2, 1});
    }
}

TEST_CASE("softmax meets rule R2 for long rows") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t columns : {1000, 4095, 4097, 32000, 131072}) {
      call c(2, columns, 1, 3, 5.0f, random);
      meets_reference(level, c, {1, 2, 2});
    }
}

TEST_CASE("softmax neither overflows nor loses what is far below the maximum") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    call c(1, 200, 0, 0, 1.0f, random);
    for (uint64_t j = 0; j < 200; ++j) c.x[j] = 3.0e38f - static_cast<float>(j) * 1e37f;
    meets_reference(level, c);
    for (uint64_t j = 0; j < 200; ++j) c.x[j] = -0.6f * static_cast<float>(j);  // to e^-120, past the smallest f32
    meets_reference(level, c);
  }
}

TEST_CASE("a fully masked row gives 0, a partly masked one 0 where masked") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t columns : {1, 5, 33, 1000}) {
      call c(3, columns, 2, 0, 1.0f, random);
      std::fill_n(c.x.data() + c.arguments.x_stride, columns, -kInfinity);
      c.x[columns - 1] = -kInfinity;  // row 0
      meets_reference(level, c);
      for (uint64_t j = 0; j < columns; ++j) CHECK(c.output(1)[j] == 0.0f);
      CHECK(c.output(0)[columns - 1] == 0.0f);
    }
}

TEST_CASE("a NaN or +inf anywhere makes its row NaN and no other") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t columns : {1, 7, 8, 31, 32, 33, 64, 1000})
      for (float bad : {kNan, -kNan, kInfinity}) {
        call c(3, columns, 0, 1, 1.0f, random);
        const uint64_t where = random.below(columns);
        c.x[columns + where] = bad;
        INFO("bad element at ", where);
        meets_reference(level, c);
        for (uint64_t j = 0; j < columns; ++j) {
          CHECK(std::isnan(c.output(1)[j]));
          CHECK_FALSE(std::isnan(c.output(2)[j]));
        }
      }
}

TEST_CASE("softmax in place gives what it gives elsewhere, and the same bits for every split") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    call c(37, 333, 3, 2, 4.0f, random);
    REQUIRE(launch(level, c.arguments) == BSC_OK);
    const std::vector<float> first(c.y.span().begin(), c.y.span().end());
    for (uint64_t run = 1; run <= 10; ++run) {
      c.y.poison();
      REQUIRE(launch(level, c.arguments, {1, run * 4, static_cast<unsigned>(1 + run % 3)}) == BSC_OK);
      CHECK(std::memcmp(first.data(), c.y.data(), first.size() * sizeof(float)) == 0);
    }
    softmax_arguments in_place = c.arguments;
    in_place.y = in_place.x;
    REQUIRE(launch(level, in_place) == BSC_OK);
    for (uint64_t row = 0; row < 37; ++row) CHECK(std::memcmp(c.input(row), c.output(row), 333 * sizeof(float)) == 0);
  }
}

TEST_CASE("softmax accepts empty shapes and refuses wrong ones") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    softmax_arguments empty{3, 0, {nullptr, 0}, 0, {nullptr, 0}, 0};
    CHECK(launch(level, empty) == BSC_OK);
    empty = {0, 3, {nullptr, 0}, 3, {nullptr, 0}, 3};
    CHECK(launch(level, empty) == BSC_OK);
    call c(2, 10, 0, 0, 1.0f, random);
    auto wrong = c.arguments;
    wrong.x_stride = 9;
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
    wrong = c.arguments;
    wrong.y_stride = 11;
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
    wrong = c.arguments;
    wrong.columns = ~uint64_t{0};
    wrong.x_stride = wrong.y_stride = ~uint64_t{0};
    CHECK(launch(level, wrong) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
