// Files: see file.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bascule::core {
namespace {

Result<FileDescriptor> open_file(const std::string& path, int flags, unsigned mode = 0) {
  FileDescriptor file;
  do {
    file.reset(open(path.c_str(), flags | O_CLOEXEC, mode));
  } while (!file.valid() && errno == EINTR);
  if (!file.valid()) return system_error("open", path, errno);
  return file;
}

Status write_all(int file, const std::string& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Error wrong_kind(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) return {BSC_IO_ERROR, path + " is a directory, a file is wanted", "Name the file itself."};
  const char* kind = S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
  return {BSC_IO_ERROR, path + " is " + kind + ", a regular file is wanted"};
}

Error too_large(const std::string& path, std::size_t max_bytes) {
  return {BSC_IO_ERROR, path + " is larger than the " + std::to_string(max_bytes) + " bytes that such a file may have"};
}

}  // namespace

void FileDescriptor::reset(int number) {
  if (number_ >= 0) close(number_);
  number_ = number;
}

Error system_error(std::string_view call, std::string_view path, int error_number) {
  const char* name = strerrorname_np(error_number);
  Error error;
  error.status = error_number == ENOENT || error_number == ENOTDIR ? BSC_NOT_FOUND : BSC_IO_ERROR;
  error.message.append(call).append(" ").append(path).append(": ").append(strerrordesc_np(error_number));
  if (name != nullptr) error.message.append(" (").append(name).append(")");
  error.call = call;
  error.vendor_name = name == nullptr ? "" : name;
  error.vendor_code = error_number;
  return error;
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO without a writer would wait for one.
  auto file = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.ok()) return file.take_error();
  struct stat status {};
  if (fstat(file->get(), &status) != 0) return system_error("fstat", path, errno);
  if (!S_ISREG(status.st_mode)) return wrong_kind(path, status.st_mode);
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) return too_large(path, max_bytes);

  std::string content;
  // Not trusted to the byte: a file may grow while it is read, and /proc and /sys files say 0.
  content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char buffer[16384];
  while (true) {
    const ssize_t count = read(file->get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("read", path, errno);
    if (count == 0) return content;
    if (content.size() + static_cast<std::size_t>(count) > max_bytes) return too_large(path, max_bytes);
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

Status write_file_atomically(const std::string& path, std::string_view content, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary =
      path + ".tmp." + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
  auto file = open_file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  if (!file.ok()) return file.take_error();

  Status status = write_all(file->get(), temporary, content);
  if (status.ok() && fsync(file->get()) != 0) status = system_error("fsync", temporary, errno);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) status = system_error("rename", path, errno);
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

Result<std::vector<std::string>> list_directory(const std::string& path) {
  const auto close_directory = [](DIR* directory) { closedir(directory); };
  const std::unique_ptr<DIR, decltype(close_directory)> directory(opendir(path.c_str()), close_directory);
  if (directory == nullptr && errno == ENOTDIR) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
      return Error{BSC_IO_ERROR, path + " is a file, a directory is wanted", "Name the directory that holds it."};
    }
    return system_error("opendir", path, ENOTDIR);
  }
  if (directory == nullptr) return system_error("opendir", path, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
    errno = 0;
  }
  if (errno != 0) return system_error("readdir", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Status make_directory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) {
    if (is_directory(path)) return {};
    return Error{BSC_IO_ERROR, path + " is a file, a directory is wanted",
                 "Remove the file or name another directory."};
  }
  if (errno != ENOENT) return system_error("mkdir", path, errno);
  const std::string parent = parent_directory(path);
  if (parent == path || parent.empty()) return system_error("mkdir", path, ENOENT);
  BSC_RETURN_IF_ERROR(make_directory(parent));
  if (mkdir(path.c_str(), 0700) == 0 || (errno == EEXIST && is_directory(path))) return {};
  return system_error("mkdir", path, errno);
}

Status check_private_directory(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return system_error("stat", path, errno);
  if (!S_ISDIR(status.st_mode)) {
    return Error{BSC_IO_ERROR, path + " is a file, a directory is wanted",
                 "Remove the file or name another directory."};
  }
  if (status.st_uid != geteuid()) {
    return Error{BSC_NO_PERMISSION,
                 path + " belongs to user " + std::to_string(status.st_uid) + ", not to user " +
                     std::to_string(geteuid()) + " who runs this program",
                 "Name a directory of your own."};
  }
  if ((status.st_mode & 022) != 0) {
    return Error{BSC_NO_PERMISSION, path + " is writable by other users", "Run: chmod go-w " + path};
  }
  return {};
}

FileStamp file_stamp(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string real_path(const std::string& path) {
  const auto release = [](char* text) { std::free(text); };
  const std::unique_ptr<char, decltype(release)> resolved(realpath(path.c_str(), nullptr), release);
  return resolved == nullptr ? path : resolved.get();
}

std::string anchored(const std::string& path, const std::string& directory) {
  if (path.starts_with('/') || directory.empty()) return path;
  return directory.ends_with('/') ? directory + path : directory + "/" + path;
}

std::string parent_directory(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return "";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace bascule::core
