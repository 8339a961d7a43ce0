// What every test of the engine does with the functions behind simt.h: an error to be filled, a kernel by name, a job run by
// several host threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "backends/simt/simt.h"

namespace bascule::test {

inline bsc_plugin_error empty_error() {
  bsc_plugin_error error = {};
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  return error;
}

/// Fills index and info of the kernel of that name; false where there is none.
inline bool find_kernel(const bsc_simt_api& api, bsc_simt_module* module, std::string_view name, std::uint64_t& index,
                        bsc_simt_function_info& info) {
  for (index = 0; api.function(module, index, &info) != 0; ++index) {
    if (name == info.name) return true;
  }
  return false;
}

/// Runs the job on so many host threads, this one included, and finishes it. The error is that of the lowest worker with one.
inline bsc_status run_job(const bsc_simt_api& api, bsc_simt_job* job, unsigned workers, bsc_plugin_error& error) {
  std::vector<bsc_plugin_error> errors(workers, empty_error());
  std::vector<bsc_status> statuses(workers, BSC_OK);
  const auto work = [&](unsigned worker) { statuses[worker] = api.run(job, worker, &errors[worker]); };
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 1; worker < workers; ++worker) threads.emplace_back(work, worker);
    work(0);
  }
  api.finish(job);
  for (unsigned worker = 0; worker < workers; ++worker) {
    if (statuses[worker] == BSC_OK) continue;
    error = errors[worker];
    return statuses[worker];
  }
  return BSC_OK;
}

}  // namespace bascule::test
