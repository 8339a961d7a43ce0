// Tests of statistics.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace bascule::cli;

TEST_CASE("quantiles interpolate between order statistics") {
  const std::vector<double> samples = {4, 1, 3, 2};
  CHECK(quantile(samples, 0) == 1);
  CHECK(quantile(samples, 1) == 4);
  CHECK(quantile(samples, 0.5) == doctest::Approx(2.5));
  CHECK(quantile(samples, 0.25) == doctest::Approx(1.75));
  CHECK(quantile(std::vector<double>{7}, 0.3) == 7);
}

TEST_CASE("one outlier moves neither the median nor its interval far") {
  std::vector<double> samples(21, 100.0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += static_cast<double>(i % 5);
  samples[7] = 1e9;
  const Summary summary = summarise(samples);
  CHECK(summary.median == doctest::Approx(102));
  CHECK(summary.median_95.low >= 100);
  CHECK(summary.median_95.high <= 104);
  CHECK(summary.minimum == 100);
}

TEST_CASE("the 95 % interval of the median covers the true median about 95 times in 100") {
  std::mt19937_64 engine(20240917);
  std::exponential_distribution<double> tail(1.0);
  int covered = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(31);
    for (double& sample : samples) sample = 1 + tail(engine);
    const Interval interval = summarise(samples).median_95;
    const double truth = 1 + 0.6931471805599453;  // ln 2: the median of the exponential distribution
    covered += interval.low <= truth && truth <= interval.high;
  }
  CHECK(covered > kTrials * 88 / 100);
  CHECK(covered < kTrials * 99 / 100);
}

TEST_CASE("a ratio is judged only when its interval lies wholly on one side of the margin") {
  CHECK(judge({0.90, 0.95}, 0.01) == Verdict::faster);
  CHECK(judge({1.02, 1.30}, 0.01) == Verdict::slower);
  CHECK(judge({0.995, 1.005}, 0.01) == Verdict::equivalent);
  CHECK(judge({0.98, 1.005}, 0.01) == Verdict::undecided);
  CHECK(judge({0.5, 2}, 0.01) == Verdict::undecided);
}

TEST_CASE("equal distributions give a ratio interval around 1, a doubled one around 2") {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> noise(100, 3);
  std::vector<double> a(40), b(40), doubled(40);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = noise(engine);
    b[i] = noise(engine);
    doubled[i] = 2 * noise(engine);
  }
  const Interval same = ratio_95(a, b);
  CHECK(same.low < 1.02);
  CHECK(same.high > 0.98);
  CHECK(judge(ratio_95(doubled, a), 0.01) == Verdict::slower);
  CHECK(judge(ratio_95(a, doubled), 0.01) == Verdict::faster);
}
