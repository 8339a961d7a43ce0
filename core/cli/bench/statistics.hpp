// Order statistics of samples and the intervals that a comparison needs.
//
// Times are not normally distributed (a floor and a long tail), so everything here is a rank statistic, and intervals come
// from the percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace bascule::cli {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Summary {
  double median = 0;
  double lower_quartile = 0;
  double upper_quartile = 0;
  double minimum = 0;
  Interval median_95;  // 95 % bootstrap interval of the median
};

// Linear interpolation between order statistics; samples must not be empty, need not be sorted. 0 <= p <= 1.
double quantile(std::span<const double> samples, double p);

// Samples must not be empty. Deterministic: the resampling is seeded by the count alone.
Summary summarise(std::span<const double> samples);

// 95 % bootstrap interval of median(a) / median(b), the sides resampled independently.
Interval ratio_95(std::span<const double> a, std::span<const double> b);

enum class Verdict { faster, slower, equivalent, undecided };
std::string_view name_of(Verdict verdict);

// Of a time ratio a/b: faster or slower where the interval lies wholly beyond 1 -+ margin, equivalent where it lies wholly
// within, undecided otherwise.
Verdict judge(const Interval& ratio, double margin);

}  // namespace bascule::cli
