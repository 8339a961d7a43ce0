// The reductions on every CPU level: sizes, ties, NaN wherever it stands, splits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/guarded_buffer.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/common/test_launcher.hpp"
#include "kernels/reduce/reduce_arguments.hpp"
#include "kernels/reduce/reduce_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::reduce_entries, x86_64_v3::reduce_entries, x86_64_v4::reduce_entries,
                         x86_64_v4_on_v3::reduce_entries);
}

uint64_t blocks_of(uint64_t n) { return (n + kReduceBlock - 1) / kReduceBlock; }

template <typename Partial>
GuardedBuffer<Partial> partials_of(const level_entries& level, const char* name, GuardedBuffer<float>& x,
                                   const split& how) {
  GuardedBuffer<Partial> partials(blocks_of(x.size()));
  const reduce_partial_arguments arguments{x.size(), x.argument(), partials.argument()};
  REQUIRE(launch_items(find_entry(level, name), &arguments, partials.size(), how) == BSC_OK);
  CHECK((partials.intact() && x.intact()));
  return partials;
}

float sum(const level_entries& level, GuardedBuffer<float>& x, const split& how = {1, 1, 1}) {
  auto partials = partials_of<double>(level, "reduce_sum_partial_f32", x, how);
  GuardedBuffer<float> result(1, 3);
  const reduce_combine_arguments arguments{x.size(), partials.argument(), result.argument()};
  REQUIRE(launch_items(find_entry(level, "reduce_sum_combine_f32"), &arguments, 1, {1, 1, 1}) == BSC_OK);
  CHECK(result.intact());
  return result[0];
}

float max(const level_entries& level, GuardedBuffer<float>& x, const split& how = {1, 1, 1}) {
  auto partials = partials_of<float>(level, "reduce_max_partial_f32", x, how);
  GuardedBuffer<float> result(1, 3);
  const reduce_combine_arguments arguments{x.size(), partials.argument(), result.argument()};
  REQUIRE(launch_items(find_entry(level, "reduce_max_combine_f32"), &arguments, 1, {1, 1, 1}) == BSC_OK);
  CHECK(result.intact());
  return result[0];
}

uint64_t arg_max(const level_entries& level, GuardedBuffer<float>& x, const split& how = {1, 1, 1}) {
  auto partials = partials_of<float>(level, "reduce_max_partial_f32", x, how);
  GuardedBuffer<uint64_t> index(1, 3);
  const arg_max_combine_arguments arguments{x.size(), x.argument(), partials.argument(), index.argument()};
  REQUIRE(launch_items(find_entry(level, "arg_max_combine_f32"), &arguments, 1, {1, 1, 1}) == BSC_OK);
  CHECK(index.intact());
  return index[0];
}

GuardedBuffer<float> random_buffer(uint64_t n, uint64_t offset, RandomData& random) {
  GuardedBuffer<float> x(n, offset);
  random.fill(x.span());
  return x;
}

TEST_CASE("reductions of nothing: sum 0, maximum -inf, no index") {
  for (const auto& level : levels()) {
    GuardedBuffer<float> none(0);
    CHECK(sum(level, none) == 0.0f);
    CHECK(max(level, none) == -kInfinity);
    CHECK(arg_max(level, none) == kNoIndex);
  }
}

TEST_CASE("reductions match their references for small, odd and large sizes at every offset") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    std::vector<uint64_t> sizes{1023, 32767, 32768, 32769, 100003, 1 << 20};
    for (uint64_t n = 1; n < 140; ++n) sizes.push_back(n);
    for (uint64_t n : sizes) {
      INFO(level.name, " n=", n);
      auto x = random_buffer(n, n % 16, random);
      const reference_value expected = reduce_sum_reference(x.data(), n);
      CHECK(std::fabs(sum(level, x) - expected.value) <= expected.allowed);
      CHECK(max(level, x) == reduce_max_reference(x.data(), n));
      CHECK(arg_max(level, x) == arg_max_reference(x.data(), n));
    }
  }
}

TEST_CASE("arg_max returns the lowest index of equal maxima, with -0 equal to +0") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t n : {1, 31, 33, 1000, 70000}) {
      GuardedBuffer<float> x(n);
      std::fill_n(x.data(), n, -1.0f);
      CHECK(arg_max(level, x) == 0);
      const uint64_t first = random.below(n);
      for (uint64_t i = first; i < n; i += 1 + random.below(50)) x[i] = i % 2 != 0 ? 0.0f : -0.0f;
      CHECK(arg_max(level, x) == first);
      std::fill_n(x.data(), n, -kInfinity);
      CHECK(arg_max(level, x) == 0);
      CHECK(max(level, x) == -kInfinity);
    }
}

TEST_CASE("a NaN anywhere is the maximum, and the first NaN is its index") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t n : {1, 7, 64, 129, 1000, 66000})
      for (int trial = 0; trial < 20; ++trial) {
        auto x = random_buffer(n, random.below(16), random);
        const uint64_t first = random.below(n), second = first + random.below(n - first);
        x[first] = x[second] = trial % 2 != 0 ? kNan : -kNan;
        x[random.below(n)] *= 1.0f;
        INFO(level.name, " n=", n, " NaN at ", first, " and ", second);
        CHECK(std::isnan(max(level, x)));
        CHECK(arg_max(level, x) == first);
        CHECK(std::isnan(sum(level, x)));
      }
}

TEST_CASE("infinities are larger than everything finite") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    auto x = random_buffer(5000, 1, random);
    x[4321] = kInfinity;
    CHECK(max(level, x) == kInfinity);
    CHECK(arg_max(level, x) == 4321);
    CHECK(sum(level, x) == kInfinity);
    x[17] = -kInfinity;
    CHECK(std::isnan(sum(level, x)));
  }
}

TEST_CASE("reductions give the same bits for every split and repetition") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    auto x = random_buffer(13 * kReduceBlock + 5, 7, random);
    const float first_sum = sum(level, x), first_max = max(level, x);
    const uint64_t first_index = arg_max(level, x);
    for (uint64_t run = 1; run <= 10; ++run) {
      const split how{1, run, static_cast<unsigned>(1 + run % 3)};
      CHECK(sum(level, x, how) == first_sum);
      CHECK(max(level, x, how) == first_max);
      CHECK(arg_max(level, x, how) == first_index);
    }
  }
}

TEST_CASE("reductions refuse buffers and workspaces that are too small") {
  for (const auto& level : levels()) {
    GuardedBuffer<float> x(100), result(1);
    GuardedBuffer<double> partials(1);
    reduce_partial_arguments first{101, x.argument(), partials.argument()};
    CHECK(launch_items(find_entry(level, "reduce_sum_partial_f32"), &first, 1, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
    first = {100, x.argument(), {partials.data(), 4}};
    CHECK(launch_items(find_entry(level, "reduce_sum_partial_f32"), &first, 1, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
    const reduce_combine_arguments second{100, partials.argument(), {result.data(), 3}};
    CHECK(launch_items(find_entry(level, "reduce_max_combine_f32"), &second, 1, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
