// Files: bounded reads, atomic writes, listings, and the check that a directory is ours alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

// An open file descriptor, closed at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  void reset(int number = -1);
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_;
};

// "open /x/y: Permission denied (EACCES)" as an IO_ERROR, NOT_FOUND for a missing file.
Error system_error(std::string_view call, std::string_view path, int error_number);

// The whole regular file. Errors: NOT_FOUND; IO_ERROR with a message of its own for a directory, a FIFO or device,
// missing permission, and a file beyond max_bytes. Never blocks on a FIFO.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

// Readers see the old content or the new one, never a part: temporary file in the same directory, fsync, rename.
Status write_file_atomically(const std::string& path, std::string_view content, unsigned mode = 0600);

// Names without "." and "..", sorted. IO_ERROR where it is a file, NOT_FOUND where there is nothing.
Result<std::vector<std::string>> list_directory(const std::string& path);

// Creates the directory and its missing parents, readable for the owner alone.
Status make_directory(const std::string& path);

// Refuses a directory that another user owns or may write to: whoever can write there can have us run their code.
Status check_private_directory(const std::string& path);

// What changes when a file is replaced or modified. All zero for a path that does not exist.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  auto operator<=>(const FileStamp&) const = default;
};
FileStamp file_stamp(const std::string& path);

bool is_directory(const std::string& path);
// Resolves links; the path itself where it cannot be resolved.
std::string real_path(const std::string& path);
// `path` if it is absolute, else `directory`/`path`. Lexical, without looking at the file system.
std::string anchored(const std::string& path, const std::string& directory);
std::string parent_directory(const std::string& path);

}  // namespace bascule::core
