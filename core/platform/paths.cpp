// Paths: see paths.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/paths.hpp"

#include <dlfcn.h>
#include <sys/utsname.h>

#include "core/base/text.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

std::optional<std::string> user_directory(const Environment& environment, const char* xdg, const char* below_home) {
  // The XDG specification: a relative path in these variables is to be ignored.
  if (const auto base = environment.get(xdg); base && base->starts_with('/')) return *base + "/bascule";
  if (const auto home = environment.get("HOME"); home && home->starts_with('/')) return *home + below_home + "/bascule";
  return std::nullopt;
}

}  // namespace

std::string own_library_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_library_directory), &info) == 0 || info.dli_fname == nullptr) return "";
  std::string file = info.dli_fname;
  // For the main program the linker knows only how it was called, which may be a bare name found through PATH.
  if (file.find('/') == std::string::npos || !file.starts_with('/')) {
    if (const std::string program = real_path("/proc/self/exe");
        file_stamp(file) == FileStamp{} || file_stamp(program) == file_stamp(file)) {
      file = program;
    }
  }
  return parent_directory(real_path(file));
}

std::optional<std::string> config_directory(const Environment& environment) {
  return user_directory(environment, "XDG_CONFIG_HOME", "/.config");
}

std::optional<std::string> cache_directory(const Environment& environment) {
  return user_directory(environment, "XDG_CACHE_HOME", "/.cache");
}

std::optional<std::string> data_directory(const Environment& environment) {
  return user_directory(environment, "XDG_DATA_HOME", "/.local/share");
}

std::string boot_id() {
  const auto text = read_file("/proc/sys/kernel/random/boot_id", 256);
  return text.ok() ? std::string(trim(*text)) : "";
}

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

}  // namespace bascule::core
