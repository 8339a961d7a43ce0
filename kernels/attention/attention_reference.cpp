// Float64 reference of attention: see attention_reference.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "attention_reference.hpp"

#include <algorithm>
#include <cmath>

namespace bascule::kernels {

std::uint64_t attention_keys_seen(bool causal, std::uint64_t query, std::uint64_t queries, std::uint64_t keys) {
  if (!causal) return keys;
  return query + 1 + keys <= queries ? 0 : std::min(keys, query + 1 + keys - queries);
}

std::vector<reference_value> attention_reference_row(std::span<const double> q, std::span<const double> k, std::span<const double> v, std::uint64_t seen,
                                                     double scale, double output) {
  const std::uint64_t head_dim = q.size();
  std::vector<double> score(seen), error(seen);
  double highest = -INFINITY;
  for (std::uint64_t j = 0; j < seen; ++j) {
    double sum = 0, magnitude = 0;
    for (std::uint64_t d = 0; d < head_dim; ++d) {
      const double product = q[d] * k[j * head_dim + d];
      sum += product;
      magnitude += std::fabs(product);
    }
    score[j] = scale * sum;
    // The product, its scaling, the base-2 exponent and the difference from the maximum.
    error[j] = std::fabs(scale) * r1_bound(head_dim, magnitude, sum) + 4 * kUnitRoundoffF32 * std::fabs(score[j]);
    highest = std::isnan(score[j]) ? score[j] : std::fmax(highest, score[j]);
    if (std::isnan(highest)) break;
  }
  if (std::isnan(highest)) return std::vector<reference_value>(head_dim, {highest, 0});
  double total = 0, worst = 0;
  for (std::uint64_t j = 0; j < seen; ++j) {
    worst = std::max(worst, error[j]);
    score[j] = std::exp(score[j] - highest);
    total += score[j];
  }
  std::vector<reference_value> result(head_dim, {0, 0});
  for (std::uint64_t d = 0; d < head_dim && seen > 0; ++d) {
    double sum = 0, magnitude = 0;
    for (std::uint64_t j = 0; j < seen; ++j) {
      sum += score[j] * v[j * head_dim + d];
      magnitude += score[j] * std::fabs(v[j * head_dim + d]);
    }
    const double value = sum / total;
    // Numerator and denominator are both wrong by their weights; each weight's error is relative.
    const double relative = 2 * worst + kFunctionError + output + 4 * std::sqrt(static_cast<double>(seen)) * kUnitRoundoffF32;
    result[d] = {value, r2_bound(relative * magnitude / total + output * std::fabs(value), kSmallestF32)};
  }
  return result;
}

}  // namespace bascule::kernels
