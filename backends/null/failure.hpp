// How the null plugin's entries fail: with a message like any plugin's, by order (option `fail`), or wrongly on purpose
// (option `fault`).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "backends/common/error.hpp"
#include "backends/null/fault.hpp"
#include "backends/null/objects.hpp"

namespace bascule::null_backend {

// Applies a planted fault of error reporting to an error that has just been filled.
void distort_error(bsc_plugin_error* error);

template <class... Arguments>
bsc_status refuse(bsc_plugin_error* error, bsc_status status, Entry entry, fmt::format_string<Arguments...> format,
                  Arguments&&... arguments) {
  backend::fill_error(error, status, entry_name(entry), format, std::forward<Arguments>(arguments)...);
  distort_error(error);
  return status;
}

// For a handle that is none. `accepted_by`: the fault under which the plugin accepts it.
bsc_status refuse_handle(bsc_plugin_error* error, std::string_view call, const bsc_plugin_object* handle,
                         std::uint32_t kind, Fault accepted_by = Fault::none);

// BSC_OK; with the fault error_written_on_success, after writing the error all the same.
bsc_status succeed(bsc_plugin_error* error);

// Counts a call; a failure if one was ordered for it. A lost device answers DEVICE_LOST.
bsc_status ordered_failure(Instance& instance, Device* device, Entry entry, bsc_plugin_error* error);

}  // namespace bascule::null_backend
