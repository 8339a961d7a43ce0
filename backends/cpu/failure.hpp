// The executor's failures in the plugin ABI's words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <string_view>

#include "backends/common/error.hpp"
#include "backends/cpu/executor/command.hpp"

namespace bascule::cpu {

inline bsc_status report(const Failure& failure, std::string_view call, bsc_plugin_error* error) {
  if (failure.status == BSC_OK || error == nullptr) return failure.status;
  backend::set_error(error, failure.status, call, {.code = failure.vendor_code}, failure.message);
  if (failure.first_incomplete != 0) {
    backend::set_error_interval(error, failure.last_completed, failure.first_incomplete);
  }
  return failure.status;
}

}  // namespace bascule::cpu
