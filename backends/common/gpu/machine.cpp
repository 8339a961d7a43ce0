// What the machine says about a driver besides the driver itself: variables that hide devices, device files, other versions
// of the library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "backends/common/gpu/driver.hpp"

namespace bascule::gpu {
namespace {

std::string real_path(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? resolved : "";
}

// Folders of a loader path, and of the vendor's list, where one component may be a pattern with a star at its end.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  const char* const paths = secure_getenv("LD_LIBRARY_PATH");
  std::string_view rest = paths != nullptr ? paths : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::string_view pattern : vendor().library_folders) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
      folders.emplace_back(pattern);
      continue;
    }
    const std::filesystem::path parent = std::filesystem::path(pattern.substr(0, star)).parent_path();
    const std::string start(pattern.substr(0, star));
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(parent, failure), end; !failure && entry != end; entry.increment(failure)) {
      const std::string folder = entry->path().string();
      if (folder.starts_with(start)) folders.push_back(folder + std::string(pattern.substr(star + 1)));
    }
  }
  return folders;
}

int note_loaded(struct dl_phdr_info* library, std::size_t, void* context) {
  static_cast<std::vector<std::string>*>(context)->emplace_back(library->dlpi_name != nullptr ? library->dlpi_name : "");
  return 0;
}

// "libamdhip64.so" of "libamdhip64.so.6"
std::string_view stem_of(std::string_view name) {
  const std::size_t at = name.find(".so");
  return at == std::string_view::npos ? name : name.substr(0, at + 3);
}

}  // namespace

std::string describe_visibility() {
  std::string text;
  for (const char* const name : vendor().visibility) {
    if (const char* const value = std::getenv(name)) text += fmt::format(" {} is set to \"{}\", which hides devices.", name, value);
  }
  return text;
}

std::string forbidden_file(std::span<const char* const> files) {
  for (const char* const file : files) {
    if (faccessat(AT_FDCWD, file, F_OK, AT_EACCESS) == 0 && faccessat(AT_FDCWD, file, R_OK | W_OK, AT_EACCESS) != 0) return file;
  }
  return "";
}

std::string other_libraries(const std::string& opened) {
  std::vector<std::string> loaded;
  dl_iterate_phdr(note_loaded, &loaded);
  std::set<std::string> others;
  for (const char* const soname : vendor().libraries) {
    for (const std::string& folder : library_folders()) {
      if (const std::string path = real_path(folder + "/" + soname); !path.empty() && path != opened) others.insert(path);
    }
    for (const std::string& path : loaded) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (stem_of(name) != stem_of(soname)) continue;
      if (const std::string resolved = real_path(path); !resolved.empty() && resolved != opened) others.insert(resolved);
    }
  }
  return fmt::format("{}", fmt::join(others, ", "));
}

}  // namespace bascule::gpu
