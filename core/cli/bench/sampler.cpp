// Sampling: see sampler.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sampler.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../failure.hpp"
#include "statistics.hpp"

namespace bascule::cli {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double, std::nano>(Clock::now() - start).count(); }

constexpr double kResolutionTicks = 100;       // a sample spans that many clock ticks: 1 %
constexpr double kShortestSample = 20e3;       // ns; shorter ones measure the host's jitter
constexpr std::uint64_t kMostCalls = 1u << 20;
constexpr std::size_t kSettleWindow = 3;
constexpr double kSettled = 0.05;

// One positive time per call, with as many calls as that takes.
double positive_sample(Contender& contender) {
  for (;;) {
    const double time = contender.sample(contender.calls_per_sample);
    if (time > 0 && std::isfinite(time)) return time;
    if (contender.calls_per_sample >= kMostCalls) {
      throw Failure(ExitCode::kFailed, "the device's clock did not advance over " + std::to_string(kMostCalls) + " calls");
    }
    contender.calls_per_sample *= 2;
  }
}

// Until the medians of two neighbouring windows agree, and for the least time; then sizes the sample.
void warm_up(Contender& contender, const SamplingRule& rule) {
  const auto start = Clock::now();
  std::vector<double> times;
  const auto settled = [&] {
    if (times.size() < 2 * kSettleWindow) return false;
    const std::span<const double> all(times);
    const double recent = quantile(all.last(kSettleWindow), 0.5);
    const double before = quantile(all.subspan(all.size() - 2 * kSettleWindow, kSettleWindow), 0.5);
    return std::fabs(recent - before) <= kSettled * before;
  };
  while (since(start) < rule.max_time && (since(start) < rule.warm_up_time || !settled())) {
    times.push_back(positive_sample(contender));
    contender.warm_up_calls += contender.calls_per_sample;
  }
  contender.warm_up_ns = since(start);
  const double call = quantile(std::span<const double>(times).last(std::min(times.size(), kSettleWindow)), 0.5);
  const double wanted = std::max(kShortestSample, kResolutionTicks * contender.clock_resolution);
  const double calls = std::ceil(wanted / call);
  contender.calls_per_sample =
      std::max(contender.calls_per_sample, static_cast<std::uint64_t>(std::min(calls, static_cast<double>(kMostCalls))));
}

// Why the contender needs no further samples; "" while it does.
std::string stop_reason(const Contender& contender, const SamplingRule& rule) {
  if (contender.samples.size() < rule.min_samples && contender.timed_ns < 4 * rule.max_time) return "";
  if (contender.samples.size() >= rule.max_samples) return "sample count";
  if (contender.timed_ns >= rule.max_time) return "time limit";
  if (contender.timed_ns < rule.min_time) return "";
  const Summary summary = summarise(contender.samples);
  return summary.median_95.high - summary.median_95.low <= 2 * rule.noise * summary.median ? "noise" : "";
}

}  // namespace

void sample_interleaved(std::vector<Contender*>& contenders, const SamplingRule& rule) {
  for (Contender* contender : contenders) warm_up(*contender, rule);
  std::vector<std::size_t> next_look(contenders.size(), rule.min_samples);
  for (bool running = true; running;) {
    running = false;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = *contenders[i];
      if (!contender.stopped_by.empty()) continue;
      running = true;
      const auto start = Clock::now();
      contender.samples.push_back(positive_sample(contender));
      contender.timed_ns += since(start);
      // The interval costs more than a short sample: look again only when a quarter more is known.
      if (contender.samples.size() >= next_look[i] || contender.timed_ns >= rule.max_time) {
        contender.stopped_by = stop_reason(contender, rule);
        next_look[i] = contender.samples.size() * 5 / 4 + 1;
      }
    }
  }
}

}  // namespace bascule::cli
