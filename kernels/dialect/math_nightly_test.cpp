// The dialect's maths over every float there is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "kernels/dialect/math_bounds.hpp"

using namespace bascule::kernels;

TEST_CASE("each f32 function stays within its ulps for all 2^32 arguments") {
  for (const MathFunction& function : kMathFunctions) {
    const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<double> worst(workers, 0);
    std::vector<std::thread> threads;
    for (unsigned worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&, worker] {
        for (std::uint64_t bits = worker; bits < (std::uint64_t{1} << 32); bits += workers) {
          const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
          worst[worker] = std::max(worst[worker], error_in_ulps(function.function(x), function.exact(x)));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const double largest = *std::max_element(worst.begin(), worst.end());
    MESSAGE(function.name << ": " << largest << " ulp");
    CHECK(largest <= function.ulps);
  }
}
