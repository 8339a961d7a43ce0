// Probing: opens a backend in a child process, so that a driver that crashes, aborts or hangs does so there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/loader/verdict.hpp"
#include "core/loader/verdict_cache.hpp"

namespace bascule::core {

// Where bascule-probe is: relative to our own library, else as installed; "" if it is in neither place.
std::string find_probe_program();

// What stands for an option's origin in messages of the probe, which does not know it.
inline constexpr std::string_view kProbeOrigin = "probe argument: ";

// Arguments of bascule-probe, and back. MANIFEST [driver=PATH] [NAME=VALUE ...]
std::vector<std::string> probe_arguments(const ProbeRequest& request);
Result<ProbeRequest> probe_request(const std::vector<std::string>& arguments);

// Runs the probe. A child that dies of a signal is CRASHED, one that takes too long PROBE_TIMED_OUT; both with the last
// lines of its stderr. Never fails otherwise: what goes wrong is the verdict.
Verdict probe_in_child(const ProbeRequest& request, const std::string& program, std::chrono::nanoseconds time_limit);

// The same, with the cache asked first and told afterwards.
Verdict probe_cached(const ProbeRequest& request, const std::string& program, std::chrono::nanoseconds time_limit,
                     VerdictCache& cache, const Environment& environment);

// What the child does: loads and opens in this process, and reports.
Verdict probe_here(const ProbeRequest& request, const Log& log);

}  // namespace bascule::core
