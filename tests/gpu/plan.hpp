// Which steps a run takes, in which order, and how long each may take.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "tests/gpu/run.hpp"
#include "tests/gpu/settings.hpp"

namespace bascule::gpu_run {

// A kernel with the suite that measures it, and what one pass over that suite costs.
struct PlannedKernel {
  std::string name;
  std::string suite;  // "": no suite measures it
  double cost = 0;    // bytes and operations of its cases, only for the order
  bool has_peer = false;
};

// All kernels of the library that have a self-test, cheapest first. Opens no device. Settings' kernels are kept as they are,
// in their order.
std::vector<PlannedKernel> plan_kernels(const Settings& settings);

// Identification, conformance, then for each kernel: selftest, bench, peers.
std::vector<Step> plan_steps(const Settings& settings, const std::vector<PlannedKernel>& kernels);

// Seconds that the step may take with so many left for everything; 0: it is not worth starting.
double limit_of(const Step& step, double seconds_left);

}  // namespace bascule::gpu_run
