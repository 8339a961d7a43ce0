// The stream kernels on every CPU level: values, offsets, ends, splits, both ways of storing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/common/cache_size.hpp"
#include "kernels/common/check.hpp"
#include "kernels/common/guarded_buffer.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/common/test_launcher.hpp"
#include "kernels/stream/stream_arguments.hpp"
#include "kernels/stream/stream_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::stream_entries, x86_64_v3::stream_entries, x86_64_v4::stream_entries,
                         x86_64_v4_on_v3::stream_entries);
}

struct arrays {
  GuardedBuffer<float> a, b, c;
  arrays(uint64_t n, uint64_t offset, RandomData& random)
      : a(n, offset), b(n, (offset * 7) % 16), c(n, (offset * 3) % 16) {
    random.fill(a.span());
    random.fill(b.span());
    random.fill(c.span());
  }
  bool intact() const { return a.intact() && b.intact() && c.intact(); }
};

template <typename Reference>
bool all_within(const GuardedBuffer<float>& output, const Reference& reference) {
  comparison result;
  for (uint64_t i = 0; i < output.size(); ++i) {
    const reference_value expected = reference(i);
    compare_element(result, i, output[i], expected.value, expected.allowed);
  }
  INFO(result.describe());
  CHECK(result.passed());
  return result.passed();
}

float dot(const level_entries& level, arrays& x, const split& how) {
  const uint64_t n = x.a.size(), blocks = (n + kStreamDotBlock - 1) / kStreamDotBlock;
  GuardedBuffer<double> partials(blocks);
  GuardedBuffer<float> result(1, 5);
  const stream_dot_partial_arguments first{n, x.a.argument(), x.b.argument(), partials.argument()};
  REQUIRE(launch_items(find_entry(level, "stream_dot_partial_f32"), &first, blocks, {1, how.calls, how.threads}) ==
          BSC_OK);
  const stream_dot_combine_arguments second{n, partials.argument(), result.argument()};
  REQUIRE(launch_items(find_entry(level, "stream_dot_combine_f32"), &second, 1, {1, 1, 1}) == BSC_OK);
  CHECK((partials.intact() && result.intact()));
  return result[0];
}

void runs_all(const level_entries& level, uint64_t n, uint64_t offset, const split& how, RandomData& random) {
  INFO(level.name, " n=", n, " offset=", offset, " grain=", how.grain, " calls=", how.calls);
  arrays x(n, offset, random);
  GuardedBuffer<float> output(n, (offset * 5) % 16);
  const auto launch = [&](const char* name, const auto& arguments) {
    output.poison();
    REQUIRE(launch_items(find_entry(level, name), &arguments, n, how) == BSC_OK);
  };

  launch("stream_copy_f32", stream_copy_arguments{n, x.a.argument(), output.argument()});
  CHECK((n == 0 || std::memcmp(output.data(), x.a.data(), n * sizeof(float)) == 0));
  launch("stream_scale_f32", stream_scale_arguments{n, 0.4f, x.c.argument(), output.argument()});
  all_within(output, [&](uint64_t i) { return stream_scale_reference(0.4f, x.c[i]); });
  launch("stream_add_f32", stream_add_arguments{n, x.a.argument(), x.b.argument(), output.argument()});
  all_within(output, [&](uint64_t i) { return stream_add_reference(x.a[i], x.b[i]); });
  launch("stream_triad_f32", stream_triad_arguments{n, 0.4f, x.b.argument(), x.c.argument(), output.argument()});
  all_within(output, [&](uint64_t i) { return stream_triad_reference(0.4f, x.b[i], x.c[i]); });

  const float sum = dot(level, x, how);
  const reference_value expected = stream_dot_reference(x.a.data(), x.b.data(), n);
  CHECK(std::fabs(sum - expected.value) <= expected.allowed);
  CHECK((x.intact() && output.intact()));
}

TEST_CASE("stream kernels are right for every small size, however a launch is split") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t n = 0; n < 70; ++n) runs_all(level, n, n % 16, {1 + random.below(9), 1 + random.below(5), 1}, random);
}

TEST_CASE("stream kernels are right at every element offset, on two threads") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t offset = 0; offset < 16; ++offset) runs_all(level, 5000 + offset, offset, {64, 7, 2}, random);
}

TEST_CASE("stream kernels are right past the size from which they write past the cache") {
  RandomData random(test::seed());
  const uint64_t n = last_level_cache_bytes() / 8 + 1001;  // copy streams from n * 8 bytes
  for (const auto& level : levels()) runs_all(level, n, 3, {kStreamGrain, n, 2}, random);
}

TEST_CASE("triad is one multiplication and one addition, each rounded, on every level") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    arrays x(1000, 0, random);
    GuardedBuffer<float> output(1000);
    const stream_triad_arguments arguments{1000, 0.3f, x.b.argument(), x.c.argument(), output.argument()};
    REQUIRE(launch_items(find_entry(level, "stream_triad_f32"), &arguments, 1000, {1, 1, 1}) == BSC_OK);
    for (uint64_t i = 0; i < 1000; ++i) {
      const float product = 0.3f * x.c[i];
      CHECK(output[i] == x.b[i] + product);
    }
  }
}

TEST_CASE("an output may be an input") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    arrays x(999, 1, random);
    const std::vector<float> before(x.a.span().begin(), x.a.span().end());
    const stream_add_arguments arguments{999, x.a.argument(), x.b.argument(), x.a.argument()};
    REQUIRE(launch_items(find_entry(level, "stream_add_f32"), &arguments, 999, {1, 1, 1}) == BSC_OK);
    for (uint64_t i = 0; i < 999; ++i) CHECK(x.a[i] == before[i] + x.b[i]);
  }
}

TEST_CASE("dot gives the same bits for every split and repetition") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    arrays x(10 * kStreamDotBlock + 777, 2, random);
    const float first = dot(level, x, {1, 1, 1});
    for (uint64_t run = 1; run <= 10; ++run)
      CHECK(dot(level, x, {1, run, static_cast<unsigned>(1 + run % 3)}) == first);
  }
}

TEST_CASE("dot propagates NaN and infinity, and is 0 for nothing") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    arrays none(0, 0, random);
    CHECK(dot(level, none, {1, 1, 1}) == 0.0f);
    arrays x(100003, 0, random);
    x.a[99999] = std::numeric_limits<float>::infinity();
    x.b[99999] = 2.0f;
    CHECK(dot(level, x, {1, 3, 1}) == std::numeric_limits<float>::infinity());
    x.b[7] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(dot(level, x, {1, 3, 1})));
  }
}

TEST_CASE("stream kernels refuse buffers shorter than n") {
  RandomData random(test::seed());
  for (const auto& level : levels()) {
    arrays x(100, 0, random);
    const stream_copy_arguments short_input{101, x.a.argument(), x.c.argument()};
    CHECK(launch_items(find_entry(level, "stream_copy_f32"), &short_input, 101, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
    const stream_add_arguments absent{100, x.a.argument(), {nullptr, 400}, x.c.argument()};
    CHECK(launch_items(find_entry(level, "stream_add_f32"), &absent, 100, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
    const stream_copy_arguments beyond{50, x.a.argument(), x.c.argument()};
    CHECK(launch_items(find_entry(level, "stream_copy_f32"), &beyond, 51, {1, 1, 1}) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
