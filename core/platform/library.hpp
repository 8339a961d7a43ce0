// Library: a shared object opened at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "core/base/error.hpp"

namespace bascule::core {

// Stays open until the process ends: vendor libraries and what they pull in keep threads and static objects, and do not
// survive being unloaded. Copies refer to the same library.
class Library {
 public:
  // Absolute paths only: a bare name would be looked up where the process's environment or directory says. All symbols
  // are resolved at once (a missing one is an error here, not a crash later) and stay private to the library. BROKEN
  // with the dynamic linker's text on failure.
  static Result<Library> open(const std::string& path);

  // nullptr if the library has no such symbol.
  void* symbol(const char* name) const;

  // Where the file really is, links resolved.
  const std::string& path() const { return path_; }

 private:
  Library(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  std::string path_;
};

}  // namespace bascule::core
