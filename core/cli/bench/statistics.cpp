// Statistics of samples: see statistics.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bascule::cli {
namespace {

constexpr int kResamples = 1000;
constexpr double kTail = 0.025;  // of a 95 % interval

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

// Draws medians of resamples.
class Bootstrap {
 public:
  Bootstrap(std::span<const double> samples, std::uint64_t seed)
      : samples_(samples), drawn_(samples.size()), engine_(seed), pick_(0, samples.size() - 1) {}

  double median() {
    for (double& value : drawn_) value = samples_[pick_(engine_)];
    const std::size_t middle = drawn_.size() / 2;
    const auto upper = drawn_.begin() + static_cast<std::ptrdiff_t>(middle);
    std::nth_element(drawn_.begin(), upper, drawn_.end());
    if (drawn_.size() % 2 == 1) return *upper;
    return (*upper + *std::max_element(drawn_.begin(), upper)) / 2;
  }

 private:
  std::span<const double> samples_;
  std::vector<double> drawn_;
  std::mt19937_64 engine_;
  std::uniform_int_distribution<std::size_t> pick_;
};

Interval percentile_interval(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return {quantile_of_sorted(values, kTail), quantile_of_sorted(values, 1 - kTail)};
}

}  // namespace

double quantile(std::span<const double> samples, double p) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, p);
}

Summary summarise(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.median = quantile_of_sorted(sorted, 0.5);
  summary.lower_quartile = quantile_of_sorted(sorted, 0.25);
  summary.upper_quartile = quantile_of_sorted(sorted, 0.75);
  summary.minimum = sorted.front();
  Bootstrap bootstrap(samples, samples.size());
  std::vector<double> medians(kResamples);
  for (double& median : medians) median = bootstrap.median();
  summary.median_95 = percentile_interval(medians);
  return summary;
}

Interval ratio_95(std::span<const double> a, std::span<const double> b) {
  Bootstrap of_a(a, a.size());
  Bootstrap of_b(b, b.size() + 0x9e3779b97f4a7c15u);  // another stream than a's, also for equal counts
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) ratio = of_a.median() / of_b.median();
  return percentile_interval(ratios);
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster: return "faster";
    case Verdict::slower: return "slower";
    case Verdict::equivalent: return "equivalent";
    case Verdict::undecided: return "undecided";
  }
  return "";
}

Verdict judge(const Interval& ratio, double margin) {
  if (ratio.high < 1 - margin) return Verdict::faster;
  if (ratio.low > 1 + margin) return Verdict::slower;
  if (ratio.low >= 1 - margin && ratio.high <= 1 + margin) return Verdict::equivalent;
  return Verdict::undecided;
}

}  // namespace bascule::cli
