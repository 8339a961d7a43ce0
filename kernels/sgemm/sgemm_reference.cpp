// Float64 reference of SGEMM, with the sum of absolute products that rule R1 needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sgemm_reference.hpp"

#include <cmath>
#include <vector>

namespace bascule::kernels {
namespace {

const float* floats(const bsc_host_span& span) { return static_cast<const float*>(span.data); }

double element_a(const sgemm_arguments& x, std::uint64_t i, std::uint64_t k) {
  return x.transpose_a != 0 ? floats(x.a)[k * x.lda + i] : floats(x.a)[i * x.lda + k];
}

double element_b(const sgemm_arguments& x, std::uint64_t k, std::uint64_t j) {
  return x.transpose_b != 0 ? floats(x.b)[j * x.ldb + k] : floats(x.b)[k * x.ldb + j];
}

bool product_is_used(const sgemm_arguments& x) { return x.alpha != 0.0f && x.k != 0; }

// Applies alpha and beta. The two roundings they cost count as two more terms of the sum.
reference_value finish(const sgemm_arguments& x, std::uint64_t i, std::uint64_t j, double sum, double magnitude) {
  double value = product_is_used(x) ? x.alpha * sum : 0.0;
  double total = product_is_used(x) ? std::fabs(double{x.alpha}) * magnitude : 0.0;
  if (x.beta != 0.0f) {
    const double scaled = double{x.beta} * floats(x.c)[i * x.ldc + j];
    value += scaled;
    total += std::fabs(scaled);
  }
  return {value, r1_bound((product_is_used(x) ? x.k : 0) + 2, total, value)};
}

}  // namespace

reference_value sgemm_reference_element(const sgemm_arguments& x, std::uint64_t row, std::uint64_t column) {
  double sum = 0, magnitude = 0;
  if (product_is_used(x)) {
    for (std::uint64_t k = 0; k < x.k; ++k) {
      const double product = element_a(x, row, k) * element_b(x, k, column);
      sum += product;
      magnitude += std::fabs(product);
    }
  }
  return finish(x, row, column, sum, magnitude);
}

void sgemm_reference(const sgemm_arguments& x, double* value, double* allowed) {
  std::vector<double> sum(x.n), magnitude(x.n);
  for (std::uint64_t i = 0; i < x.m; ++i) {
    sum.assign(x.n, 0.0);
    magnitude.assign(x.n, 0.0);
    for (std::uint64_t k = 0; product_is_used(x) && k < x.k; ++k) {
      const double a = element_a(x, i, k);
      for (std::uint64_t j = 0; j < x.n; ++j) {
        const double product = a * element_b(x, k, j);
        sum[j] += product;
        magnitude[j] += std::fabs(product);
      }
    }
    for (std::uint64_t j = 0; j < x.n; ++j) {
      const reference_value result = finish(x, i, j, sum[j], magnitude[j]);
      value[i * x.n + j] = result.value;
      allowed[i * x.n + j] = result.allowed;
    }
  }
}

}  // namespace bascule::kernels
