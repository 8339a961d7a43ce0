// dlopen with a record.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/vendor_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>

#include "backends/common/error.hpp"

namespace bascule::backend {
namespace {

std::string real_path_of(void* handle, const char* fallback) {
  struct link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return fallback;
  char resolved[PATH_MAX];
  return realpath(map->l_name, resolved) != nullptr ? resolved : map->l_name;
}

// The dynamic linker reports an absent library and one whose own dependency is absent with the same words; only in the
// first case do they start with the name that was asked for.
bool says_absent(const LibraryAttempt& attempt) {
  return attempt.error.starts_with(attempt.name + ": ") &&
         attempt.error.find("cannot open shared object file: No such file or directory") != std::string::npos;
}

bool says_forbidden(const LibraryAttempt& attempt) { return attempt.error.find("Permission denied") != std::string::npos; }

std::string describe(const std::vector<LibraryAttempt>& attempts) {
  std::string text;
  for (const LibraryAttempt& attempt : attempts) {
    if (!text.empty()) text += "; ";
    text += attempt.error.find(attempt.name) == std::string::npos ? attempt.name + ": " + attempt.error : attempt.error;
  }
  return text;
}

}  // namespace

bool VendorLibrary::try_open(const char* name) {
  handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) {
    path_ = real_path_of(handle_, name);
    return true;
  }
  const char* const reason = dlerror();
  attempts_.push_back({name, reason != nullptr ? reason : "unknown error"});
  return false;
}

bsc_status VendorLibrary::open(std::string_view driver, std::span<const char* const> names,
                               std::string_view configured_path, std::string_view remedy, bsc_plugin_error* error) {
  if (!configured_path.empty()) {
    const std::string path(configured_path);
    struct stat status = {};
    if (!path.starts_with('/')) {
      return fill_error(error, BSC_INVALID_CONFIG, "dlopen",
                        "the configured {} library '{}' is not an absolute path; give the full path of the file", driver, path);
    }
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      return fill_error(error, BSC_INVALID_CONFIG, "dlopen",
                        "the configured {} library '{}' is a directory; give the path of the library file in it", driver,
                        path);
    }
    if (try_open(path.c_str())) return BSC_OK;
  } else {
    for (const char* const name : names) {
      if (try_open(name)) return BSC_OK;
    }
  }

  for (const LibraryAttempt& attempt : attempts_) {
    if (says_absent(attempt)) continue;
    const bsc_status status = says_forbidden(attempt) ? BSC_NO_PERMISSION : BSC_BROKEN;
    return fill_error(error, status, "dlopen", "the {} library is there but does not load: {}", driver,
                      describe(attempts_));
  }
  // All are absent, so the linker's words are the same for each. The cause is the first line, the remedy the second.
  std::string tried;
  for (const LibraryAttempt& attempt : attempts_) tried += (tried.empty() ? "" : ", ") + attempt.name;
  return fill_error(error, BSC_DRIVER_MISSING, "dlopen", "no {} library was found (tried {}: No such file or directory)\n{}", driver, tried, remedy);
}

void* VendorLibrary::symbol(const char* name) const { return handle_ != nullptr ? dlsym(handle_, name) : nullptr; }

}  // namespace bascule::backend
