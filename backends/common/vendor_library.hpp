// Opening a vendor's driver library at run time, with everything a user needs to know when that fails: each name tried,
// the loader's words about it, and which file was opened in the end.
//
// A vendor's functions are one list in its api header, included twice (members, then loading):
//   #define EXAMPLE_SYMBOLS(REQUIRED, OPTIONAL) REQUIRED(exInit) OPTIONAL(exGetUuid)
//   struct ExampleApi {
//     #define BSC_MEMBER(name) decltype(&::name) name = nullptr;
//     EXAMPLE_SYMBOLS(BSC_MEMBER, BSC_MEMBER)
//   };
//   SymbolReader reader(library);
//   #define BSC_REQUIRED(name) reader.required(#name, api.name);
//   #define BSC_OPTIONAL(name) reader.optional(#name, api.name);
//   EXAMPLE_SYMBOLS(BSC_REQUIRED, BSC_OPTIONAL)
//   if (!reader.missing().empty()) ... TOO_OLD, naming them
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::backend {

struct LibraryAttempt {
  std::string name;   // as given to dlopen
  std::string error;  // dlerror's words
};

// Never closed: a driver may have threads and exit handlers of its own.
class VendorLibrary {
 public:
  // Tries `names` in order, or only `configured_path` where it is not empty (an absolute path of a file). Fails with
  // DRIVER_MISSING when there is no such library, NO_PERMISSION when it may not be read, BROKEN when one is there but does
  // not load. `driver` is the vendor's name in messages, `remedy` what to install: the second line of DRIVER_MISSING's.
  bsc_status open(std::string_view driver, std::span<const char* const> names, std::string_view configured_path,
                  std::string_view remedy, bsc_plugin_error* error);
  bsc_status open(std::string_view driver, std::initializer_list<const char*> names, std::string_view configured_path,
                  std::string_view remedy, bsc_plugin_error* error) {
    return open(driver, std::span(names.begin(), names.size()), configured_path, remedy, error);
  }

  bool is_open() const { return handle_ != nullptr; }
  void* symbol(const char* name) const;
  const std::string& path() const { return path_; }  // real path, links resolved
  const std::vector<LibraryAttempt>& attempts() const { return attempts_; }  // the failed ones

 private:
  bool try_open(const char* name);

  void* handle_ = nullptr;
  std::string path_;
  std::vector<LibraryAttempt> attempts_;
};

class SymbolReader {
 public:
  explicit SymbolReader(const VendorLibrary& library) : library_(library) {}

  template <class Function>
  void required(const char* name, Function*& function) {
    optional(name, function);
    if (function == nullptr) missing_.emplace_back(name);
  }
  template <class Function>
  void optional(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(library_.symbol(name));
  }

  const std::vector<std::string>& missing() const { return missing_; }

 private:
  const VendorLibrary& library_;
  std::vector<std::string> missing_;
};

}  // namespace bascule::backend
