// The JIT cache: what drivers compiled, kept on disk under a key and shared by processes.
//
// Faults never reach the caller: what cannot be read is a miss (a damaged entry is also removed), what cannot be written is
// kept in memory after one warning that names BASCULE_CACHE_DIR. Entries appear whole or not at all, so a process may be
// killed at any point.
//
// One compile per key: get() that misses makes the calling thread the key's compiler, in this process and, through a lock
// file, in all others. Others who ask for the same key wait until the compiler has put its result, has given up (see
// CompileScope) or has died, but no longer than `wait_limit`; then they compile themselves.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/cache_store.hpp"
#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/platform/file_lock.hpp"

namespace bascule::core {

struct JitCacheOptions {
  std::string directory;  // of all caches; the entries are in its "jit". Empty: in memory only
  bool enabled = true;    // false: remembers nothing at all
  std::chrono::milliseconds wait_limit{60'000};
  std::uint64_t memory_limit = std::uint64_t{64} << 20;  // bytes kept while the directory cannot be written
  std::function<void(std::string_view message)> warn;
};

struct JitCacheInfo {
  std::string directory;  // "" if in memory
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::string problem;    // why the directory cannot be used; "" if it can, or is not there yet
};

class JitCache final : public CacheStore {
 public:
  explicit JitCache(JitCacheOptions options);
  ~JitCache() override;
  JitCache(const JitCache&) = delete;
  JitCache& operator=(const JitCache&) = delete;

  std::optional<std::vector<std::byte>> get(const Hash128& key) override;
  void put(const Hash128& key, std::span<const std::byte> data) override;

  // Of the entries that are there now. Creates nothing.
  JitCacheInfo info() const;
  // Removes all entries, temporary files and lock files; the number of entries removed.
  Result<std::uint64_t> clear();

  // Around a module load: the keys that this thread became the compiler of, but did not put, are given up at the end, so
  // that a failed compilation makes nobody wait.
  class CompileScope {
   public:
    explicit CompileScope(JitCache& cache) : cache_(cache) {}
    ~CompileScope() { cache_.give_up(std::this_thread::get_id()); }
    CompileScope(const CompileScope&) = delete;
    CompileScope& operator=(const CompileScope&) = delete;

   private:
    JitCache& cache_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  using Data = std::vector<std::byte>;
  struct Compiler {
    std::thread::id thread;
    std::optional<FileLock> lock;  // none where the directory cannot be used, or another process was waited for too long
  };
  enum class DirectoryState { unknown, usable, unusable };

  bool directory_usable();
  void warn_once(const std::string& message, const std::string& remedy);
  std::string entry_path(const Hash128& key) const;
  std::optional<Data> find(const Hash128& key);
  std::optional<Data> read_entry(const Hash128& key);
  // Whether this thread may compile now; false: somebody else has, or has been given up on, or is this thread itself.
  bool wait_for_turn(const Hash128& key, Clock::time_point deadline);
  std::optional<Data> lock_or_find(const Hash128& key, Clock::time_point deadline);
  void keep_in_memory(const Hash128& key, std::span<const std::byte> data);
  void give_up(std::thread::id thread);
  void release(const Hash128& key);

  const JitCacheOptions options_;
  const std::string root_;  // <directory>/jit

  mutable std::mutex mutex_;
  std::condition_variable released_;
  DirectoryState state_ = DirectoryState::unknown;
  std::string problem_;  // why it is unusable
  bool warned_ = false;
  std::map<Hash128, Data> memory_;
  std::uint64_t memory_bytes_ = 0;
  std::map<Hash128, Compiler> compilers_;
};

}  // namespace bascule::core
