// The reference of attention, which everything else is judged by, against values that are known without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>

#include "attention_reference.hpp"

using namespace bascule::kernels;

TEST_CASE("the last query of a causal prompt sees all keys, one before it one less, and none less than none") {
  CHECK(attention_keys_seen(false, 0, 5, 7) == 7);
  CHECK(attention_keys_seen(true, 4, 5, 7) == 7);
  CHECK(attention_keys_seen(true, 0, 5, 7) == 3);
  CHECK(attention_keys_seen(true, 0, 7, 5) == 0);
  CHECK(attention_keys_seen(true, 2, 7, 5) == 1);
  CHECK(attention_keys_seen(true, 0, 1, 0) == 0);
}

TEST_CASE("equal scores give the mean of the values, one key gives its own, none gives 0") {
  const std::vector<double> q = {1, 2}, k = {0.5, 0, 0.5, 0, 0.5, 0}, v = {1, -2, 2, 4, 6, 1};
  const auto three = attention_reference_row(q, k, v, 3, 0.7, 0x1p-11);
  CHECK(three[0].value == doctest::Approx(3));
  CHECK(three[1].value == doctest::Approx(1));
  CHECK(attention_reference_row(q, k, v, 1, 0.7, 0x1p-11)[1].value == -2);
  CHECK(attention_reference_row(q, k, v, 0, 0.7, 0x1p-11)[0].value == 0);
}

TEST_CASE("weights are the exponentials of the scaled products, and a NaN reaches its row") {
  const std::vector<double> q = {2}, k = {1, 3}, v = {10, 20};
  const double far = std::exp(0.5 * 4);  // of the second key over the first
  CHECK(attention_reference_row(q, k, v, 2, 0.5, 0x1p-11)[0].value == doctest::Approx((10 + 20 * far) / (1 + far)));
  const std::vector<double> nan = {NAN};
  CHECK(std::isnan(attention_reference_row(nan, k, v, 2, 0.5, 0x1p-11)[0].value));
}
