// The C API as commands use it: see api.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace bascule::cli {
namespace {

ExitCode exit_code_of(bsc_status status) {
  switch (status) {
    case BSC_INVALID_ARGUMENT:
    case BSC_NOT_FOUND:
    case BSC_LIMIT_EXCEEDED:
    case BSC_INVALID_CONFIG:
    case BSC_INVALID_PACKAGE:
    case BSC_INVALID_IMAGE:
    case BSC_BUILD_FAILED:
      return ExitCode::kUsage;
    case BSC_NO_VARIANT:
    case BSC_DEVICE_LOST:
      return ExitCode::kUnavailable;
    default:
      return status >= BSC_PLUGIN_MISSING ? ExitCode::kUnavailable : ExitCode::kFailed;
  }
}

// What to do where the error does not say: drivers name causes, seldom remedies.
const char* general_remedy(bsc_status status) {
  switch (status) {
    case BSC_INVALID_ARGUMENT: return "compare the call with what the kernel takes";
    case BSC_NOT_FOUND: return "use one of the names that there are";
    case BSC_UNSUPPORTED: return "`bascule devices --json` lists what the device can do";
    case BSC_LIMIT_EXCEEDED: return "stay within the limit; `bascule devices --json` lists them";
    case BSC_INVALID_IMAGE: return "check that the file is an image of that format, for this device";
    case BSC_BUILD_FAILED: return "correct the source where the log says";
    case BSC_OUT_OF_MEMORY: return "use smaller sizes, or a device with more memory";
    case BSC_DEVICE_LOST: return "start again; if it happens again, check the driver's log";
    default: return status >= BSC_PLUGIN_MISSING ? "run `bascule doctor`" : "run it again with -v for more";
  }
}

}  // namespace

void throw_failure(bsc_status status, bsc_error* error) {
  std::string message = bsc_status_name(status);
  std::string remedy;
  if (error != nullptr) {
    message += std::string(": ") + bsc_error_message(error);
    if (*bsc_error_call(error)) message += std::string(" (in ") + bsc_error_call(error) + ")";
    if (*bsc_error_vendor_name(error)) message += std::string(" [") + bsc_error_vendor_name(error) + "]";
    remedy = bsc_error_remedy(error);
    bsc_error_release(error);
  }
  if (remedy.empty()) remedy = general_remedy(status);
  throw Failure(exit_code_of(status), message, remedy);
}

InstanceOptions::InstanceOptions(const CommonOptions& common) : config_(common.config) {
  if (!common.backends.empty()) texts_.emplace_back("backends", common.backends);
  if (!common.device.empty()) texts_.emplace_back("device", common.device);
  if (common.verbosity > 0) texts_.emplace_back("log.level", common.verbosity == 1 ? "info" : common.verbosity == 2 ? "debug" : "trace");
  for (const std::string& setting : common.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Failure(ExitCode::kUsage, "--set '" + setting + "' is not KEY=VALUE", "see `bascule config --show` for the keys");
    }
    texts_.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  for (const auto& [key, value] : texts_) settings_.push_back({key.c_str(), value.c_str()});
  options_.application = "bascule";
  options_.config_file = config_.empty() ? nullptr : config_.c_str();
  options_.setting_count = settings_.size();
  options_.settings = settings_.data();
  options_.read_working_directory = 1;
}

InstanceHandle open_instance(const CommonOptions& common) {
  const InstanceOptions options(common);
  return make<InstanceHandle>([&](auto** out, auto** error) { return bsc_instance_create(options.get(), out, error); });
}

bsc_device_info info_of(const bsc_device* device) {
  bsc_device_info info = {};
  info.size = sizeof info;
  bsc_device_get_info(device, &info);
  return info;
}

std::string library_directory() {
  Dl_info where = {};
  if (dladdr(reinterpret_cast<const void*>(&bsc_version), &where) == 0 || where.dli_fname == nullptr) return {};
  std::error_code error;
  return std::filesystem::canonical(where.dli_fname, error).parent_path().string();
}

std::string helper_program(const std::string& name) {
  const std::filesystem::path library = library_directory();
  std::error_code error;
  // A multi-architecture layout has one directory more: lib/x86_64-linux-gnu.
  for (const auto& prefix : {library.parent_path(), library.parent_path().parent_path()}) {
    const std::filesystem::path program = prefix / "libexec" / "bascule" / name;
    if (std::filesystem::exists(program, error)) return program.string();
  }
  throw Failure(ExitCode::kUnavailable, "the helper program " + name + " is not installed (looked in libexec/bascule beside " +
                                            library.string() + ")",
                "install Bascule's tools, or build the target " + name);
}

}  // namespace bascule::cli
