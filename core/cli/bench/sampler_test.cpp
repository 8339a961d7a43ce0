// Tests of sampler.hpp, with contenders whose times are known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "../failure.hpp"
#include "statistics.hpp"

using namespace bascule::cli;

namespace {

SamplingRule quick_rule() {
  SamplingRule rule;
  rule.min_time = 5e6;
  rule.max_time = 30e6;
  rule.warm_up_time = 1e6;
  return rule;
}

}  // namespace

TEST_CASE("contenders are sampled in turn, so that a slow moment hits all") {
  std::vector<int> order;
  const auto contender = [&](int id) {
    Contender made;
    made.sample = [&order, id](std::uint64_t) {
      order.push_back(id);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      return 200e3;
    };
    return made;
  };
  Contender a = contender(1), b = contender(2);
  std::vector<Contender*> both = {&a, &b};
  sample_interleaved(both, quick_rule());
  CHECK(a.samples.size() >= 10);
  CHECK(b.samples.size() >= 10);
  const std::size_t timed = 2 * std::min(a.samples.size(), b.samples.size());
  REQUIRE(order.size() >= timed);
  // After both warm-ups the order alternates for as long as both run.
  const auto warm_a = static_cast<std::size_t>(std::count(order.begin(), order.end(), 1)) - a.samples.size();
  const auto warm_b = static_cast<std::size_t>(std::count(order.begin(), order.end(), 2)) - b.samples.size();
  for (std::size_t i = 0; i < timed; ++i) CHECK(order[warm_a + warm_b + i] == (i % 2 == 0 ? 1 : 2));
}

TEST_CASE("a clock too coarse for one call gets more calls per sample, and no zero is ever kept") {
  Contender coarse;
  coarse.clock_resolution = 1000;
  coarse.sample = [](std::uint64_t calls) {
    const double true_total = 7.0 * static_cast<double>(calls);
    const double ticks = static_cast<double>(static_cast<long long>(true_total / 1000)) * 1000;  // the clock counts in us
    return ticks / static_cast<double>(calls);
  };
  std::vector<Contender*> one = {&coarse};
  sample_interleaved(one, quick_rule());
  CHECK(coarse.calls_per_sample >= 10000);
  for (const double sample : coarse.samples) CHECK(sample > 0);
  CHECK(quantile(coarse.samples, 0.5) == doctest::Approx(7).epsilon(0.01));
}

TEST_CASE("a clock that never advances is an error, not a number") {
  Contender stuck;
  stuck.sample = [](std::uint64_t) { return 0.0; };
  std::vector<Contender*> one = {&stuck};
  CHECK_THROWS_AS(sample_interleaved(one, quick_rule()), Failure);
}

TEST_CASE("sampling says why it stopped") {
  Contender steady;
  steady.sample = [](std::uint64_t calls) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return 100e3 / static_cast<double>(calls);
  };
  Contender noisy;
  int turn = 0;
  noisy.sample = [&](std::uint64_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return ++turn % 2 ? 1e5 : 9e5;
  };
  std::vector<Contender*> both = {&steady, &noisy};
  sample_interleaved(both, quick_rule());
  CHECK(steady.stopped_by == "noise");
  CHECK(noisy.stopped_by == "time limit");
}
