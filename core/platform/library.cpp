// Library: see library.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include "core/platform/file.hpp"

namespace bascule::core {

Result<Library> Library::open(const std::string& path) {
  if (!path.starts_with('/')) {
    return Error{BSC_INVALID_ARGUMENT, path + " is not an absolute path", "Name the library with its full path."};
  }
  dlerror();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* text = dlerror();
    Error error{BSC_BROKEN, text == nullptr ? path + " cannot be loaded" : text};
    // The linker's text may name only the dependency that is missing.
    if (error.message.find(path) == std::string::npos) error.message = path + ": " + error.message;
    error.call = "dlopen";
    return error;
  }
  const link_map* map = nullptr;
  std::string real = path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr && *map->l_name != '\0') {
    real = map->l_name;
  }
  return Library(handle, real_path(real));
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace bascule::core
