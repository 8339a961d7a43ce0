// sgemm.cl
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/sgemm/sgemm.cl.hpp"

#include "tests/opencl_kernels/kernel_runner.hpp"

using namespace bascule::opencl::test;

namespace {

constexpr std::uint64_t kMr = 6, kNr = 16, kKc = 256, kMc = 96, kNc = 128, kStrip = 128;  // as sgemm.cl has them
constexpr const char* kForms[] = {"packed", "skinny", "group"};

struct Problem {
  std::uint32_t transpose_a = 0, transpose_b = 0;
  std::uint64_t m = 1, n = 1, k = 1;
  float alpha = 1, beta = 0;
  std::vector<float> a, b, c;
  std::uint64_t lda = 0, ldb = 0, ldc = 0;

  Problem(std::uint32_t ta, std::uint32_t tb, std::uint64_t rows, std::uint64_t columns, std::uint64_t depth, std::uint64_t extra)
      : transpose_a(ta), transpose_b(tb), m(rows), n(columns), k(depth) {
    lda = (ta != 0 ? m : k) + extra;
    ldb = (tb != 0 ? k : n) + extra;
    ldc = n + extra;
    a = random_floats((ta != 0 ? k : m) * lda, 1);
    b = random_floats((tb != 0 ? n : k) * ldb, 2);
    c = random_floats(m * ldc, 3);
  }
  float& a_at(std::uint64_t i, std::uint64_t l) { return transpose_a != 0 ? a[l * lda + i] : a[i * lda + l]; }
  float& b_at(std::uint64_t l, std::uint64_t j) { return transpose_b != 0 ? b[j * ldb + l] : b[l * ldb + j]; }
};

std::vector<float> multiply(KernelRunner& runner, const std::string& form, const Problem& p) {
  const auto a = runner.buffer(p.a), b = runner.buffer(p.b), c = runner.buffer(p.c);
  if (form == "packed") {
    const std::uint64_t slabs = ceil_divide(p.k, kKc);
    const auto packed_a = runner.poisoned<float>(ceil_divide(p.m, kMr) * kMr * p.k);
    const auto packed_b = runner.poisoned<float>(ceil_divide(p.n, kNr) * kNr * p.k);
    Launch pack_a = runner.launch("sgemm_pack_a", ceil_divide(p.m, kMr), 1);
    pack_a.launch.grid[1] = slabs;
    split(split(pack_a.value(p.transpose_a).value(p.m).value(p.k), a).value(p.lda), packed_a);
    Launch pack_b = runner.launch("sgemm_pack_b", ceil_divide(p.n, kNr), 1);
    pack_b.launch.grid[1] = slabs;
    split(split(pack_b.value(p.transpose_b).value(p.n).value(p.k), b).value(p.ldb), packed_b);
    Launch main = runner.launch("sgemm_packed", ceil_divide(p.m, kMc), 1);
    main.launch.grid[1] = ceil_divide(p.n, kNc);
    split(split(main.value(p.m).value(p.n).value(p.k).value(p.alpha), packed_a), packed_b);
    split(main.value(p.beta), c).value(p.ldc);
    runner.run({pack_a.command(), pack_b.command(), main.command()});
    runner.read(packed_a);
    runner.read(packed_b);
  } else {
    Launch launch = form == "skinny" ? runner.launch("sgemm_skinny", ceil_divide(p.n, kStrip), 1)
                                     : runner.launch("sgemm_group", ceil_divide(p.n, 64), 16);
    if (form == "group") {
      launch.launch.grid[1] = ceil_divide(p.m, 64);
      launch.launch.block[1] = 16;
    }
    split(launch.value(p.transpose_a).value(p.transpose_b).value(p.m).value(p.n).value(p.k).value(p.alpha), a).value(p.lda);
    split(launch, b).value(p.ldb).value(p.beta);
    split(launch, c).value(p.ldc);
    runner.run({launch.command()});
  }
  return runner.read(c);
}

void check(KernelRunner& runner, const std::string& form, Problem& p) {
  CAPTURE(form);
  CAPTURE(p.m);
  CAPTURE(p.n);
  CAPTURE(p.k);
  CAPTURE(p.transpose_a);
  CAPTURE(p.transpose_b);
  const auto result = multiply(runner, form, p);
  for (std::uint64_t i = 0; i < p.m; ++i) {
    for (std::uint64_t j = 0; j < p.n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::uint64_t l = 0; l < p.k; ++l) {
        const double product = double{p.alpha} * p.a_at(i, l) * p.b_at(l, j);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (p.beta != 0) {
        sum += double{p.beta} * p.c[i * p.ldc + j];
        magnitude += std::fabs(double{p.beta} * p.c[i * p.ldc + j]);
      }
      REQUIRE(std::fabs(result[i * p.ldc + j] - sum) <= sum_bound(p.k + 2, magnitude, sum));
    }
    for (std::uint64_t j = p.n; j < p.ldc; ++j) REQUIRE(result[i * p.ldc + j] == p.c[i * p.ldc + j]);
  }
}

}  // namespace

TEST_CASE("SGEMM is within its bound for all transposes, awkward sizes and padded rows, in all forms") {
  KernelRunner runner(bascule::embedded::sgemm_sgemm_cl);
  const std::uint64_t sizes[][3] = {{1, 1, 1},   {3, 17, 5},    {17, 3, 127},  {6, 16, 256}, {97, 129, 257},
                                    {64, 64, 16}, {100, 33, 600}, {1, 200, 300}, {5, 31, 40},  {128, 130, 64}};
  for (const auto& size : sizes) {
    for (std::uint32_t transposes = 0; transposes < 4; ++transposes) {
      for (const std::uint64_t extra : {0, 5}) {
        Problem problem(transposes & 1, transposes >> 1, size[0], size[1], size[2], extra);
        problem.alpha = extra == 0 ? 1.0f : 1.5f;
        problem.beta = extra == 0 ? 0.0f : -0.5f;
        for (const char* form : kForms) check(runner, form, problem);
      }
    }
  }
}

TEST_CASE("SGEMM of nothing leaves nothing behind") {
  KernelRunner runner(bascule::embedded::sgemm_sgemm_cl);
  for (const char* form : kForms) {
    Problem no_rows(0, 0, 0, 5, 3, 0), no_columns(0, 0, 5, 0, 3, 2);
    CHECK(multiply(runner, form, no_rows).empty());
    CHECK(multiply(runner, form, no_columns) == no_columns.c);
  }
}

TEST_CASE("SGEMM follows the BLAS rules for alpha, beta and NaN in all forms") {
  KernelRunner runner(bascule::embedded::sgemm_sgemm_cl);
  struct Rule {
    float alpha, beta, a, c;
    std::uint64_t k;
    float expected;
  };
  const Rule rules[] = {
      {1, 0, 1, kNan, 2, 2},    {0, 0, kNan, kNan, 2, 0}, {0, 1, kNan, 3, 2, 3},       {0, 2, kInfinity, 3, 2, 6},
      {1, 0, 1, kNan, 0, 0},    {1, 2, 1, 3, 0, 6},       {kNan, 0, 1, 3, 2, kNan},    {1, kNan, 1, 3, 2, kNan},
      {1, 1, 1, 3, 2, 5},       {0, kNan, 1, 3, 2, kNan},
  };
  for (const Rule& rule : rules) {
    for (const char* form : kForms) {
      CAPTURE(form);
      CAPTURE(rule.alpha);
      CAPTURE(rule.beta);
      Problem problem(0, 0, 7, 18, rule.k, 0);
      problem.alpha = rule.alpha;
      problem.beta = rule.beta;
      std::fill(problem.a.begin(), problem.a.end(), rule.a);
      std::fill(problem.b.begin(), problem.b.end(), 1.0f);
      std::fill(problem.c.begin(), problem.c.end(), rule.c);
      for (const float value : multiply(runner, form, problem)) {
        if (std::isnan(rule.expected)) REQUIRE(std::isnan(value));
        else REQUIRE(value == rule.expected);
      }
    }
  }
}

TEST_CASE("a NaN in A makes its row of C NaN and no other, in all forms") {
  KernelRunner runner(bascule::embedded::sgemm_sgemm_cl);
  for (const char* form : kForms) {
    CAPTURE(form);
    Problem problem(0, 1, 13, 20, 30, 0);
    problem.beta = 1;
    problem.a_at(8, 29) = kNan;
    const auto result = multiply(runner, form, problem);
    for (std::uint64_t i = 0; i < problem.m; ++i) {
      for (std::uint64_t j = 0; j < problem.n; ++j) REQUIRE(std::isnan(result[i * problem.ldc + j]) == (i == 8));
    }
  }
}
