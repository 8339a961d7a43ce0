// A lock between processes, held on a file. The operating system drops it when its holder dies, so none can go stale.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "core/base/error.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {

class FileLock {
 public:
  // Creates the file if it is missing and takes the lock without waiting; nothing if somebody else holds it, another
  // thread of this process included.
  static Result<std::optional<FileLock>> try_acquire(const std::string& path);

  FileLock(FileLock&&) noexcept = default;
  FileLock& operator=(FileLock&&) noexcept = delete;
  // Removes the file and drops the lock.
  ~FileLock();

 private:
  FileLock(FileDescriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  FileDescriptor file_;
  std::string path_;
};

}  // namespace bascule::core
