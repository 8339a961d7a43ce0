// SGEMM on every CPU level: shapes, transposes, leading dimensions, alpha and beta, NaN, teams, bad calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/check.hpp"
#include "kernels/common/guarded_buffer.hpp"
#include "kernels/common/random_data.hpp"
#include "kernels/common/test_launcher.hpp"
#include "kernels/sgemm/sgemm_reference.hpp"
#include "tests/support/seed.hpp"

namespace bascule::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<level_entries> levels() {
  return runnable_levels(x86_64_v2::sgemm_entries, x86_64_v3::sgemm_entries, x86_64_v4::sgemm_entries,
                         x86_64_v4_on_v3::sgemm_entries);
}

struct shape {
  uint64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  uint64_t padding = 0;  // leading dimensions exceed the row length by this
  uint64_t offset = 0;   // elements past a 64-byte boundary
  float alpha = 1, beta = 0;
};

// Buffers and arguments of one call, with random contents and NaN between the rows of C.
struct call {
  GuardedBuffer<float> a, b, c;
  sgemm_arguments arguments;

  static uint64_t elements(uint64_t rows, uint64_t columns, uint64_t leading) {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * leading + columns;
  }

  call(const shape& s, RandomData& random)
      : a(s.transpose_a ? elements(s.k, s.m, s.m + s.padding) : elements(s.m, s.k, s.k + s.padding), s.offset),
        b(s.transpose_b ? elements(s.n, s.k, s.k + s.padding) : elements(s.k, s.n, s.n + s.padding), s.offset),
        c(elements(s.m, s.n, s.n + s.padding), s.offset) {
    random.fill(a.span());
    random.fill(b.span());
    arguments = {s.transpose_a,
                 s.transpose_b,
                 s.m,
                 s.n,
                 s.k,
                 s.alpha,
                 a.argument(),
                 (s.transpose_a ? s.m : s.k) + s.padding,
                 b.argument(),
                 (s.transpose_b ? s.k : s.n) + s.padding,
                 s.beta,
                 c.argument(),
                 s.n + s.padding};
    if (s.beta != 0)
      for (uint64_t i = 0; i < s.m; ++i)
        for (uint64_t j = 0; j < s.n; ++j) c[i * arguments.ldc + j] = random.uniform();
  }
};

// 0: the single-thread entry; otherwise a team of that many.
bsc_status launch(const level_entries& level, const sgemm_arguments& arguments, unsigned members) {
  if (members == 0) return launch_items(find_entry(level, "sgemm_f32_single"), &arguments, 1, {1, 1, 1});
  return launch_team(find_entry(level, "sgemm_f32"), &arguments, members);
}

comparison check(const sgemm_arguments& x, const std::vector<double>& value, const std::vector<double>& allowed) {
  comparison result;
  const auto* c = static_cast<const float*>(x.c.data);
  for (uint64_t i = 0; i < x.m; ++i)
    for (uint64_t j = 0; j < x.n; ++j)
      compare_element(result, i * x.n + j, c[i * x.ldc + j], value[i * x.n + j], allowed[i * x.n + j]);
  return result;
}

bool gaps_untouched(const call& x) {
  const auto& s = x.arguments;
  for (uint64_t i = 0; i + 1 < s.m; ++i)
    for (uint64_t j = s.n; j < s.ldc; ++j)
      if (!std::isnan(x.c[i * s.ldc + j])) return false;
  return x.c.intact();
}

void meets_reference(const level_entries& level, const shape& s, unsigned members, RandomData& random) {
  INFO(level.name, " m=", s.m, " n=", s.n, " k=", s.k, " transposes=", s.transpose_a, s.transpose_b,
       " padding=", s.padding, " offset=", s.offset, " alpha=", s.alpha, " beta=", s.beta, " members=", members);
  call x(s, random);
  std::vector<double> value(s.m * s.n), allowed(s.m * s.n);
  sgemm_reference(x.arguments, value.data(), allowed.data());
  REQUIRE(launch(level, x.arguments, members) == BSC_OK);
  const comparison result = check(x.arguments, value, allowed);
  INFO(result.describe());
  CHECK(result.passed());
  CHECK(gaps_untouched(x));
}

TEST_CASE("sgemm meets rule R1 for small and odd shapes, every transpose, padded rows, teams of 1 to 3") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t m : {1, 2, 3, 7, 17, 33})
      for (uint64_t n : {1, 3, 8, 17, 31, 65})
        for (uint64_t k : {1, 5, 17, 129})
          for (int transposes = 0; transposes < 4; ++transposes) {
            shape s{m, n, k, (transposes & 1) != 0, (transposes & 2) != 0};
            s.padding = random.below(4);
            s.offset = random.below(16);
            s.beta = random.below(2) != 0 ? 0.75f : 0.0f;
            s.alpha = random.below(2) != 0 ? 1.0f : -1.5f;
            meets_reference(level, s, static_cast<unsigned>(random.below(4)), random);
          }
}

TEST_CASE("sgemm meets rule R1 at the edges of its blocks") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (const shape& s : {shape{127, 128, 129}, shape{128, 129, 127, true}, shape{129, 127, 257, false, true},
                           shape{200, 530, 300, true, true, 3}, shape{9, 1100, 40}, shape{9, 9, 3000},
                           shape{340, 12, 70, true}, shape{64, 2100, 20}, shape{512, 64, 30}})
      for (unsigned members : {0u, 1u, 2u, 3u}) meets_reference(level, s, members, random);
}

TEST_CASE("sgemm meets rule R1 when C is a few vectors, in both forms of the matrix") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t few : {1, 2, 3, 4, 5, 8})
      for (int transposes = 0; transposes < 4; ++transposes)
        for (unsigned members : {0u, 2u, 3u}) {
          const bool a = (transposes & 1) != 0, b = (transposes & 2) != 0;
          meets_reference(level, {few, 1061, 67, a, b, 2, 1, 1.0f, 0.5f}, members, random);
          meets_reference(level, {533, few, 131, a, b, 1, 3}, members, random);
        }
  for (const auto& level : levels())
    for (bool transpose_b : {false, true}) meets_reference(level, {2, 50, 9000, false, transpose_b}, 2, random);
}

TEST_CASE("sgemm works with buffers at every element offset") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (uint64_t offset = 1; offset < 16; ++offset) {
      meets_reference(level, {37, 41, 43, false, false, 0, offset, 2.0f, 1.0f}, 1, random);
      meets_reference(level, {3, 41, 43, false, true, 0, offset}, 1, random);
    }
}

// A B = 2 in every element, from k = 4 products of 0.5.
struct uniform_call : call {
  static RandomData& unused() {
    static RandomData random(0);
    return random;
  }
  uniform_call(const shape& s, float c_value) : call(s, unused()) {
    std::fill_n(a.data(), a.size(), 1.0f);
    std::fill_n(b.data(), b.size(), 0.5f);
    std::fill_n(c.data(), c.size(), c_value);
  }
  bool all_equal(float expected) const {
    for (float value : c.span())
      if (std::isnan(expected) ? !std::isnan(value) : value != expected) return false;
    return true;
  }
};

TEST_CASE("sgemm follows the BLAS rules for alpha, beta and NaN") {
  for (const auto& level : levels())
    for (const auto& [m, n] : {std::pair<uint64_t, uint64_t>{20, 35}, {2, 35}, {35, 1}})
      for (unsigned members : {0u, 2u}) {
        INFO(level.name, " ", m, "x", n, " members=", members);
        const auto make = [&](float alpha, float beta, float c, uint64_t k = 4) {
          return uniform_call({m, n, k, false, false, 0, 0, alpha, beta}, c);
        };
        auto x = make(1, 0, kNan);  // C is never read
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(2));

        x = make(0, 0, kNan);
        x.a.poison();
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(0));

        x = make(0, 1, 3);
        x.a.poison();
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(3));

        x = make(0, 2, 3);
        std::fill_n(x.a.data(), x.a.size(), kInfinity);
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(6));

        x = make(1, 0, kNan, 0);
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(0));

        x = make(1, 2, 3, 0);
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(6));

        x = make(kNan, 0, 3);
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(kNan));

        x = make(1, kNan, 3);
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        CHECK(x.all_equal(kNan));

        x = make(1, 1, 3);
        x.a[(m - 1) * 4 + 2] = kNan;  // in A's last row
        CHECK(launch(level, x.arguments, members) == BSC_OK);
        for (uint64_t i = 0; i < m; ++i)
          for (uint64_t j = 0; j < n; ++j) CHECK((i == m - 1 ? std::isnan(x.c[i * n + j]) : x.c[i * n + j] == 5.0f));
      }
}

TEST_CASE("sgemm with alpha 0 accepts absent A and B, and an empty C needs no buffers") {
  for (const auto& level : levels()) {
    auto x = uniform_call({10, 10, 4, false, false, 0, 0, 0.0f, 2.0f}, 3.0f);
    x.arguments.a = x.arguments.b = {nullptr, 0};
    CHECK(launch(level, x.arguments, 1) == BSC_OK);
    CHECK(x.all_equal(6));
    for (const auto& [m, n] : {std::pair<uint64_t, uint64_t>{0, 5}, {5, 0}, {0, 0}}) {
      auto empty = uniform_call({m, n, 4}, 0.0f);
      empty.arguments.c = {nullptr, 0};
      CHECK(launch(level, empty.arguments, 2) == BSC_OK);
    }
  }
}

TEST_CASE("sgemm gives the same bits ten times over and for every team size") {
  RandomData random(test::seed());
  for (const auto& level : levels())
    for (const shape& s :
         {shape{150, 170, 310}, shape{5, 700, 300, false, true}, shape{4, 700, 300}, shape{90, 600, 40, true, true}}) {
      call x(s, random);
      REQUIRE(launch(level, x.arguments, 1) == BSC_OK);
      const std::vector<float> first(x.c.span().begin(), x.c.span().end());
      for (unsigned run = 0; run < 10; ++run) {
        x.c.poison();
        REQUIRE(launch(level, x.arguments, run % 4) == BSC_OK);
        CHECK(std::memcmp(first.data(), x.c.data(), first.size() * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("sgemm refuses leading dimensions and buffers that are too small") {
  for (const auto& level : levels()) {
    const auto make = [] { return uniform_call({20, 30, 40, false, false, 2}, 0.0f); };
    auto x = make();
    x.arguments.lda = 39;
    CHECK(launch(level, x.arguments, 1) == BSC_INVALID_ARGUMENT);
    x = make();
    x.arguments.ldb = 29;
    CHECK(launch(level, x.arguments, 1) == BSC_INVALID_ARGUMENT);
    x = make();
    x.arguments.ldc = 29;
    CHECK(launch(level, x.arguments, 2) == BSC_INVALID_ARGUMENT);
    x = make();
    x.arguments.a.bytes -= 1;
    CHECK(launch(level, x.arguments, 2) == BSC_INVALID_ARGUMENT);
    x = make();
    x.arguments.ldb = ~uint64_t{0} / 2;
    CHECK(launch(level, x.arguments, 0) == BSC_INVALID_ARGUMENT);
    x = make();
    x.arguments.transpose_a = 2;
    CHECK(launch(level, x.arguments, 0) == BSC_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace bascule::kernels
