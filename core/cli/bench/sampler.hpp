// Takes samples from several contenders in turn until each is known well enough.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bascule::cli {

struct SamplingRule {
  std::uint64_t min_samples = 10;
  std::uint64_t max_samples = 100000;
  double min_time = 0.5e9;        // ns of sampling per contender
  double max_time = 3e9;
  double noise = 0.01;            // half-width of the median's 95 % interval over the median
  double warm_up_time = 0.05e9;   // at least so long, and until the median settles
};

// One side of a comparison. `sample(calls)` runs that many calls and gives nanoseconds per call.
struct Contender {
  std::function<double(std::uint64_t calls)> sample;
  double clock_resolution = 1;    // ns

  // Results.
  std::vector<double> samples;    // each > 0
  std::uint64_t calls_per_sample = 1;
  std::string stopped_by;
  double warm_up_ns = 0;
  std::uint64_t warm_up_calls = 0;
  double timed_ns = 0;
};

// Warms each up, chooses how many calls make a sample that the clock resolves to 1 %, then samples round-robin, so that a
// slow mood of the machine hits all alike. A sample at or below zero is never kept: the calls per sample double instead.
void sample_interleaved(std::vector<Contender*>& contenders, const SamplingRule& rule);

}  // namespace bascule::cli
