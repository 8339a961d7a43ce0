// The JIT cache: finding, keeping, and one compiler per key.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/jit_cache.hpp"

#include <algorithm>

#include "core/package/concat.hpp"
#include "core/package/jit_cache_entry.hpp"
#include "core/package/jit_cache_files.hpp"
#include "core/platform/file.hpp"

namespace bascule::core {
namespace {

constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 30;

}  // namespace

JitCache::JitCache(JitCacheOptions options)
    : options_(std::move(options)), root_(options_.directory.empty() ? "" : options_.directory + "/jit") {
  if (root_.empty()) state_ = DirectoryState::unusable;  // as configured: nothing to warn of
}

JitCache::~JitCache() = default;

std::optional<std::vector<std::byte>> JitCache::get(const Hash128& key) {
  if (!options_.enabled) return std::nullopt;
  if (auto found = find(key)) return found;
  const Clock::time_point deadline = Clock::now() + options_.wait_limit;
  if (!wait_for_turn(key, deadline)) return find(key);
  if (auto found = lock_or_find(key, deadline)) {
    release(key);
    return found;
  }
  return std::nullopt;
}

void JitCache::put(const Hash128& key, std::span<const std::byte> data) {
  if (!options_.enabled) return;
  bool kept = false;
  if (directory_usable()) {
    const std::string path = entry_path(key);
    Status status = make_directory(parent_directory(path));
    if (status.ok()) status = write_file_atomically(path, encode_cache_entry(key, data));
    if (status.ok()) remove_old_leftovers(parent_directory(path));
    else warn_once(status.error().message, "free some space or set BASCULE_CACHE_DIR to another directory");
    kept = status.ok();
  }
  if (!kept) keep_in_memory(key, data);
  release(key);
}

// Warnings are given without the lock: the sink may call anything.
void JitCache::warn_once(const std::string& message, const std::string& remedy) {
  {
    const std::lock_guard guard(mutex_);
    if (warned_) return;
    warned_ = true;
  }
  if (options_.warn) options_.warn(concat("JIT cache: ", message, "; compiled kernels are kept in memory only. ", remedy));
}

bool JitCache::directory_usable() {
  {
    const std::lock_guard guard(mutex_);
    if (state_ != DirectoryState::unknown) return state_ == DirectoryState::usable;
  }
  Status status = prepare_cache_directory(options_.directory, root_);
  {
    const std::lock_guard guard(mutex_);
    state_ = status.ok() ? DirectoryState::usable : DirectoryState::unusable;
    if (!status.ok()) problem_ = status.error().message;
  }
  if (!status.ok()) warn_once(status.error().message, "set BASCULE_CACHE_DIR to a directory of your own that only you can write to");
  return status.ok();
}

std::string JitCache::entry_path(const Hash128& key) const {
  const std::string name = key.hex();
  return concat(root_, "/", name.substr(0, 2), "/", name);
}

std::optional<JitCache::Data> JitCache::find(const Hash128& key) {
  {
    const std::lock_guard guard(mutex_);
    if (const auto found = memory_.find(key); found != memory_.end()) return found->second;
  }
  return directory_usable() ? read_entry(key) : std::nullopt;
}

std::optional<JitCache::Data> JitCache::read_entry(const Hash128& key) {
  const std::string path = entry_path(key);
  auto file = read_file(path, kMaxEntryBytes);
  if (!file.ok() && file.error().status == BSC_NOT_FOUND) return std::nullopt;
  if (file.ok()) {
    if (auto payload = decode_cache_entry(key, *file)) return payload;
  }
  remove_entry(path);
  if (options_.warn) options_.warn(concat("JIT cache: the damaged entry ", path, " was removed; the kernel is compiled again"));
  return std::nullopt;
}

bool JitCache::wait_for_turn(const Hash128& key, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto is_free = [&] { return !compilers_.contains(key); };
  const auto compiler = compilers_.find(key);
  if (compiler != compilers_.end()) {
    if (compiler->second.thread == std::this_thread::get_id()) return false;
    if (!released_.wait_until(lock, deadline, is_free)) return false;
  }
  compilers_.emplace(key, Compiler{std::this_thread::get_id(), std::nullopt});
  return true;
}

// Holds the key's lock file afterwards, or returns what another process (or thread) has compiled meanwhile.
std::optional<JitCache::Data> JitCache::lock_or_find(const Hash128& key, Clock::time_point deadline) {
  if (!directory_usable()) return find(key);
  const std::string path = concat(root_, "/locks/", key.hex());
  std::chrono::milliseconds pause{1};
  while (true) {
    auto lock = FileLock::try_acquire(path);
    if (lock.ok() && lock->has_value()) {
      if (auto found = find(key)) return found;
      const std::lock_guard guard(mutex_);
      if (const auto mine = compilers_.find(key); mine != compilers_.end()) mine->second.lock.emplace(std::move(**lock));
      return std::nullopt;
    }
    if (auto found = find(key)) return found;
    // Without lock files (a directory that became read-only) each process compiles for itself.
    if (!lock.ok() || Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds{50});
  }
}

void JitCache::keep_in_memory(const Hash128& key, std::span<const std::byte> data) {
  const std::lock_guard guard(mutex_);
  if (data.size() > options_.memory_limit || memory_bytes_ > options_.memory_limit - data.size()) return;
  Data& kept = memory_[key];
  memory_bytes_ = memory_bytes_ - kept.size() + data.size();
  kept.assign(data.begin(), data.end());
}

void JitCache::release(const Hash128& key) {
  {
    const std::lock_guard guard(mutex_);
    compilers_.erase(key);
  }
  released_.notify_all();
}

void JitCache::give_up(std::thread::id thread) {
  {
    const std::lock_guard guard(mutex_);
    std::erase_if(compilers_, [thread](const auto& entry) { return entry.second.thread == thread; });
  }
  released_.notify_all();
}

JitCacheInfo JitCache::info() const {
  JitCacheInfo info;
  if (!root_.empty()) info = cache_info(options_.directory, root_);
  const std::lock_guard guard(mutex_);
  if (info.problem.empty()) info.problem = problem_;
  if (!root_.empty() && info.problem.empty()) return info;
  info.entries = memory_.size();
  info.bytes = memory_bytes_;
  return info;
}

Result<std::uint64_t> JitCache::clear() {
  std::uint64_t removed = 0;
  {
    const std::lock_guard guard(mutex_);
    removed = memory_.size();
    memory_.clear();
    memory_bytes_ = 0;
  }
  if (root_.empty()) return removed;
  auto files = clear_cache(options_.directory, root_);
  if (!files.ok()) return files.take_error();
  return removed + *files;
}

}  // namespace bascule::core
