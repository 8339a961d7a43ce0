// Files of the JIT cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/jit_cache_files.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <system_error>

#include "core/package/concat.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

namespace fs = std::filesystem;

bool is_hexadecimal(const std::string& name, std::size_t digits) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return name.size() == digits && std::all_of(name.begin(), name.end(), is_digit);
}

bool is_leftover(const std::string& name) { return name.size() > 32 && is_hexadecimal(name.substr(0, 32), 32) && name.compare(32, 5, ".tmp.") == 0; }

bool is_there(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(directory, ignored));
}

Status check_cache_directory(const std::string& directory, const std::string& root) {
  BSC_RETURN_IF_ERROR(check_private_directory(directory));
  return check_private_directory(root);
}

// Calls `visit` with the path and name of each file in a bucket.
void for_each_file(const std::string& root, const std::function<void(const std::string& path, const std::string& name)>& visit) {
  auto buckets = list_directory(root);
  if (!buckets.ok()) return;
  for (const std::string& bucket : *buckets) {
    if (!is_hexadecimal(bucket, 2)) continue;
    auto names = list_directory(concat(root, "/", bucket));
    if (!names.ok()) continue;
    for (const std::string& name : *names) visit(concat(root, "/", bucket, "/", name), name);
  }
}

}  // namespace

Status prepare_cache_directory(const std::string& directory, const std::string& root) {
  BSC_RETURN_IF_ERROR(make_directory(directory));
  BSC_RETURN_IF_ERROR(check_private_directory(directory));
  BSC_RETURN_IF_ERROR(make_directory(root));
  BSC_RETURN_IF_ERROR(make_directory(root + "/locks"));
  return check_private_directory(root);
}

void remove_entry(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);  // a directory in the entry's place would be in the way for ever
}

void remove_old_leftovers(const std::string& folder) {
  auto names = list_directory(folder);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!is_leftover(name)) continue;
    std::error_code failed;
    const std::string path = concat(folder, "/", name);
    const auto written = fs::last_write_time(path, failed);
    if (!failed && fs::file_time_type::clock::now() - written > std::chrono::hours(1)) fs::remove(path, failed);
  }
}

JitCacheInfo cache_info(const std::string& directory, const std::string& root) {
  JitCacheInfo info;
  info.directory = directory;
  if (!is_there(directory)) return info;
  if (Status status = is_there(root) ? check_cache_directory(directory, root) : check_private_directory(directory); !status.ok()) {
    info.problem = status.error().message;
    return info;
  }
  for_each_file(root, [&info](const std::string& path, const std::string& name) {
    if (!is_hexadecimal(name, 32)) return;
    ++info.entries;
    info.bytes += file_stamp(path).bytes;
  });
  return info;
}

Result<std::uint64_t> clear_cache(const std::string& directory, const std::string& root) {
  if (!is_there(root)) return std::uint64_t{0};
  // Somebody else's directory is none of ours to empty.
  BSC_RETURN_IF_ERROR(check_cache_directory(directory, root));
  std::uint64_t removed = 0;
  std::string problem;
  const auto remove = [&problem](const std::string& path) {
    std::error_code failed;
    const bool gone = fs::remove(path, failed);
    if (failed && problem.empty()) problem = concat("removing ", path, " failed: ", failed.message());
    return gone;
  };
  for_each_file(root, [&](const std::string& path, const std::string& name) {
    if (is_hexadecimal(name, 32)) removed += remove(path) ? 1 : 0;
    else if (is_leftover(name)) remove(path);
  });
  if (auto locks = list_directory(root + "/locks"); locks.ok()) {
    for (const std::string& name : *locks) {
      if (is_hexadecimal(name, 32)) remove(concat(root, "/locks/", name));
    }
  }
  if (!problem.empty()) return Error{BSC_IO_ERROR, problem, "check the permissions of the cache directory"};
  return removed;
}

}  // namespace bascule::core
