// The names of the status codes, as messages, reports and the C API print them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/base/status.hpp"

#include <array>
#include <utility>

#include "bascule/bascule.h"

namespace bascule::core {
namespace {

#define BSC_STATUS_ENTRY(name) \
  { BSC_##name, #name }
constexpr std::pair<bsc_status, const char*> kNames[] = {
    BSC_STATUS_ENTRY(OK),
    BSC_STATUS_ENTRY(INVALID_ARGUMENT),
    BSC_STATUS_ENTRY(INVALID_HANDLE),
    BSC_STATUS_ENTRY(NOT_FOUND),
    BSC_STATUS_ENTRY(UNSUPPORTED),
    BSC_STATUS_ENTRY(LIMIT_EXCEEDED),
    BSC_STATUS_ENTRY(INVALID_STATE),
    BSC_STATUS_ENTRY(INVALID_CONFIG),
    BSC_STATUS_ENTRY(INVALID_PACKAGE),
    BSC_STATUS_ENTRY(INVALID_IMAGE),
    BSC_STATUS_ENTRY(BUILD_FAILED),
    BSC_STATUS_ENTRY(NO_VARIANT),
    BSC_STATUS_ENTRY(IO_ERROR),
    BSC_STATUS_ENTRY(OUT_OF_MEMORY),
    BSC_STATUS_ENTRY(TIMED_OUT),
    BSC_STATUS_ENTRY(LAUNCH_FAILED),
    BSC_STATUS_ENTRY(DEVICE_LOST),
    BSC_STATUS_ENTRY(INTERNAL),
    BSC_STATUS_ENTRY(PLUGIN_MISSING),
    BSC_STATUS_ENTRY(DRIVER_MISSING),
    BSC_STATUS_ENTRY(STUB),
    BSC_STATUS_ENTRY(TOO_OLD),
    BSC_STATUS_ENTRY(BROKEN),
    BSC_STATUS_ENTRY(NO_DEVICE),
    BSC_STATUS_ENTRY(NO_PERMISSION),
    BSC_STATUS_ENTRY(ABI_MISMATCH),
    BSC_STATUS_ENTRY(CRASHED),
    BSC_STATUS_ENTRY(PROBE_TIMED_OUT),
    BSC_STATUS_ENTRY(FORKED),
    BSC_STATUS_ENTRY(NO_BACKEND),
};
#undef BSC_STATUS_ENTRY

}  // namespace

const char* status_name(bsc_status status) {
  for (const auto& [value, name] : kNames) {
    if (value == status) return name;
  }
  return "UNKNOWN_STATUS";
}

bool status_from_name(std::string_view name, bsc_status* out_status) {
  for (const auto& [value, text] : kNames) {
    if (name == text) {
      *out_status = value;
      return true;
    }
  }
  return false;
}

}  // namespace bascule::core

const char* bsc_status_name(bsc_status status) { return bascule::core::status_name(status); }
