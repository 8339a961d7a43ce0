// File locks by flock(2): it belongs to the open file, so it also works between threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace bascule::core {
namespace {

// Whether the path still names the file that is locked: the holder before us may have removed it.
bool is_current(int file, const std::string& path) {
  struct stat locked {};
  struct stat named {};
  return fstat(file, &locked) == 0 && stat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_acquire(const std::string& path) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.valid() && errno == EINTR) continue;
    if (!file.valid()) return system_error("open", path, errno);
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return std::optional<FileLock>();
      return system_error("flock", path, errno);
    }
    if (is_current(file.get(), path)) return std::optional<FileLock>(FileLock(std::move(file), path));
  }
  return std::optional<FileLock>();  // others come and go all the time: as good as held
}

FileLock::~FileLock() {
  // Removed while it is locked, so that whoever opens the old file finds out by is_current().
  if (file_.valid()) unlink(path_.c_str());
}

}  // namespace bascule::core
