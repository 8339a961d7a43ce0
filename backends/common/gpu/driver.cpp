// Opening the vendor's library and reading its result codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/driver.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

namespace bascule::gpu {
namespace {

using backend::fill_error;

const ResultCode* find_code(std::span<const ResultCode> codes, int code) {
  const auto found = std::find_if(codes.begin(), codes.end(), [&](const ResultCode& known) { return known.code == code; });
  return found != codes.end() ? &*found : nullptr;
}

}  // namespace

const ResultCode& result_of(int code) {
  static const ResultCode unknown = {0, vendor().unknown_result, BSC_INTERNAL};
  const ResultCode* const known = find_code(vendor().results, code);
  return known != nullptr ? *known : unknown;
}

std::string result_name(int code) {
  const ResultCode* const known = find_code(vendor().results, code);
  if (known != nullptr) return known->name;
  const ResultCode* const at_open = find_code(vendor().open_results, code);
  return at_open != nullptr ? at_open->name : fmt::format("{}_{}", vendor().unknown_result, code);
}

bsc_status fill_call_error(bsc_plugin_error* error, std::string_view doing, CallResult failed) {
  const ResultCode& result = result_of(failed.code);
  const std::string name = result_name(failed.code);
  const std::string_view remedy = result.remedy;
  return backend::fill_vendor_error(error, result.status, failed.call, {failed.code, name}, "{}{}{} failed with {} ({}){}{}",
                                    doing, doing.empty() ? "" : ": ", failed.call, name, failed.code,
                                    remedy.empty() ? "" : ": ", remedy);
}

bsc_status fill_open_error(const Driver& driver, bsc_plugin_error* error, CallResult failed) {
  const ResultCode* const known = find_code(vendor().open_results, failed.code);
  const std::string name = result_name(failed.code);
  bsc_status status = known != nullptr ? known->status : BSC_BROKEN;
  std::string remedy = known != nullptr ? known->remedy : vendor().update_remedy;
  // A driver that may not open its devices says anything between "no device" and "unknown error".
  if (const std::string file = status == BSC_NO_DEVICE || status == BSC_BROKEN ? forbidden_file(vendor().device_files) : ""; !file.empty()) {
    status = BSC_NO_PERMISSION;
    remedy = fmt::format("{} may not be opened by this user. {}", file, vendor().permission_remedy);
  }
  return backend::fill_vendor_error(error, status, failed.call, {failed.code, name}, "{}: {} failed with {} ({}). {}{}",
                                    driver.library.path(), failed.call, name, failed.code, remedy, describe_visibility());
}

bsc_status Driver::load(std::string_view configured_path, bsc_plugin_error* error) {
  const Vendor& v = vendor();
  BSC_PLUGIN_RETURN_IF_ERROR(library.open(v.driver_name, v.libraries, configured_path,
                                          fmt::format("{} If it is elsewhere, set backend.{}.driver to the library's path.",
                                                      v.install_remedy, v.backend),
                                          error));
  std::vector<std::string> missing;
  v.load(library, api, missing);
  if (missing.empty()) return BSC_OK;
  return fill_error(error, BSC_TOO_OLD, "dlsym", "{} lacks functions that every supported {} has: {}. {}", library.path(),
                    v.driver_name, fmt::join(missing, ", "), v.update_remedy);
}

bsc_status Driver::check_version(bsc_plugin_error* error) {
  const int code = api.driver_version(&version);
  if (code != 0) return fill_open_error(*this, error, {code, api.driver_version.name});
  if (version >= vendor().oldest_version) return BSC_OK;
  return fill_error(error, BSC_TOO_OLD, api.driver_version.name, "{} is version {}; {} is the oldest that is supported. {}",
                    library.path(), version_text(), vendor().version_text(vendor().oldest_version), vendor().update_remedy);
}

bsc_status Driver::initialise(bsc_plugin_error* error) {
  const int code = api.initialise(0);
  return code == 0 ? BSC_OK : fill_open_error(*this, error, {code, api.initialise.name});
}

bsc_status Driver::open(std::string_view configured_path, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(load(configured_path, error));
  if (*vendor().emulated_symbol != '\0') {
    const auto* const text = static_cast<const char* const*>(library.symbol(vendor().emulated_symbol));
    if (text != nullptr && *text != nullptr) emulated_gpu = *text;
  }
  // A stub and a driver without a kernel module say so when they are initialised, and their version is of no interest.
  BSC_PLUGIN_RETURN_IF_ERROR(initialise(error));
  return check_version(error);
}

}  // namespace bascule::gpu
