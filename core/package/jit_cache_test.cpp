// The JIT cache: faults are misses, processes may be killed, one compiles for all.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/package/jit_cache.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "core/package/jit_cache_entry.hpp"
#include "core/package/test_packages.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace bascule::core;
using namespace bascule::core::testing;
using bascule::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

Hash128 key(std::uint64_t number) { return hash128("key" + std::to_string(number)); }

std::vector<std::byte> data(std::uint64_t number, std::size_t bytes = 100) {
  std::vector<std::byte> result(bytes);
  std::mt19937_64 random(number);
  for (std::byte& byte : result) byte = std::byte{static_cast<unsigned char>(random())};
  return result;
}

struct Warnings {
  std::mutex mutex;
  std::vector<std::string> texts;
};

JitCacheOptions options(const std::string& directory, Warnings& warnings) {
  JitCacheOptions result;
  result.directory = directory;
  result.warn = [&warnings](std::string_view message) {
    const std::lock_guard guard(warnings.mutex);
    warnings.texts.emplace_back(message);
  };
  return result;
}

std::string entry_file(const std::string& directory, const Hash128& key) {
  return directory + "/jit/" + key.hex().substr(0, 2) + "/" + key.hex();
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void overwrite(const std::string& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

// Runs `body` in a child process, which ends with the number it returns.
template <class Body>
pid_t in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

int exit_code(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("what was put is found by this cache and by a later one") {
  const TemporaryDirectory home;
  Warnings warnings;
  const std::string directory = home / "missing/parents/cache";
  {
    JitCache cache(options(directory, warnings));
    CHECK_FALSE(cache.get(key(1)).has_value());
    cache.put(key(1), data(1));
    cache.put(key(2), {});
    CHECK(cache.get(key(1)) == data(1));
  }
  JitCache later(options(directory, warnings));
  CHECK(later.get(key(1)) == data(1));
  CHECK(later.get(key(2)) == std::vector<std::byte>());
  CHECK_FALSE(later.get(key(3)).has_value());
  CHECK(warnings.texts.empty());
  const JitCacheInfo info = later.info();
  CHECK(info.entries == 2);
  CHECK(info.bytes == 100 + 2 * 64);
  CHECK(info.directory == directory);
  struct stat status {};
  REQUIRE(stat((directory + "/jit").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("a damaged entry is a miss, is removed, and can be put again") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  cache.put(key(1), data(1));
  const std::string path = entry_file(home.path(), key(1));
  const std::string good = content(path);
  REQUIRE(good.size() == 164);
  for (std::size_t size = 0; size < good.size(); size += 7) {
    overwrite(path, good.substr(0, size));
    CAPTURE(size);
    CHECK_FALSE(cache.get(key(1)).has_value());
    CHECK_FALSE(fs::exists(path));
  }
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string flipped = good;
    flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << (byte % 8)));
    overwrite(path, flipped);
    CAPTURE(byte);
    CHECK_FALSE(cache.get(key(1)).has_value());
  }
  overwrite(path, good + "x");
  CHECK_FALSE(cache.get(key(1)).has_value());
  CHECK(contains(warnings.texts.at(0), path));
  cache.put(key(1), data(1));
  CHECK(cache.get(key(1)) == data(1));
}

TEST_CASE("another key's entry under this key's name is a miss") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  cache.put(key(1), data(1));
  cache.put(key(2), data(2));
  overwrite(entry_file(home.path(), key(2)), content(entry_file(home.path(), key(1))));
  CHECK_FALSE(cache.get(key(2)).has_value());
}

TEST_CASE("a directory in the place of an entry is replaced") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  fs::create_directories(entry_file(home.path(), key(1)) + "/inside");
  CHECK_FALSE(cache.get(key(1)).has_value());
  cache.put(key(1), data(1));
  CHECK(cache.get(key(1)) == data(1));
}

TEST_CASE("a cache directory that cannot be used costs one warning naming the variable; work goes on in memory") {
  const TemporaryDirectory home;
  std::string directory;
  SUBCASE("it is a file") { directory = home.write("file", "x"); }
  SUBCASE("its parent is a file") { directory = home.write("file", "x") + "/cache"; }
  SUBCASE("others may write to it") {
    directory = home / "open";
    fs::create_directory(directory);
    fs::permissions(directory, fs::perms::all);
  }
  SUBCASE("the group may write to its entries' directory") {
    directory = home / "cache";
    fs::create_directories(directory + "/jit");
    fs::permissions(directory, fs::perms::owner_all);
    fs::permissions(directory + "/jit", fs::perms::owner_all | fs::perms::group_all);
  }
  SUBCASE("it cannot be created") { directory = "/proc/bascule-test/cache"; }
  Warnings warnings;
  JitCache cache(options(directory, warnings));
  for (std::uint64_t i = 0; i < 5; ++i) {
    CHECK_FALSE(cache.get(key(i)).has_value());
    cache.put(key(i), data(i));
    CHECK(cache.get(key(i)) == data(i));
  }
  REQUIRE(warnings.texts.size() == 1);
  CHECK(contains(warnings.texts[0], "BASCULE_CACHE_DIR"));
  CHECK(contains(warnings.texts[0], directory.substr(0, 5)));
  CHECK(cache.info().entries == 5);
  CHECK_FALSE(cache.info().problem.empty());
}

TEST_CASE("a full file system costs one warning; work goes on in memory") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  cache.put(key(0), data(0));
  // The limit on file sizes fails writes as a full disk does, for root too.
  const pid_t child = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{32, 32};
    setrlimit(RLIMIT_FSIZE, &limit);
    cache.put(key(1), data(1));
    cache.put(key(2), data(2));
    if (cache.get(key(1)) != data(1) || cache.get(key(0)) != data(0)) return 1;
    return warnings.texts.size() == 1 && contains(warnings.texts[0], "BASCULE_CACHE_DIR") ? 0 : 2;
  });
  CHECK(exit_code(child) == 0);
  CHECK(cache.info().entries == 1);
}

TEST_CASE("without a directory the cache is in memory, silently and within its limit") {
  Warnings warnings;
  JitCacheOptions small = options("", warnings);
  small.memory_limit = 250;
  JitCache cache(std::move(small));
  for (std::uint64_t i = 0; i < 3; ++i) cache.put(key(i), data(i));
  CHECK(cache.get(key(1)) == data(1));
  CHECK_FALSE(cache.get(key(2)).has_value());
  CHECK(warnings.texts.empty());
  CHECK(cache.info().bytes == 200);
}

TEST_CASE("a cache that is switched off remembers nothing and touches no file") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCacheOptions off = options(home / "cache", warnings);
  off.enabled = false;
  JitCache cache(std::move(off));
  cache.put(key(1), data(1));
  CHECK_FALSE(cache.get(key(1)).has_value());
  CHECK_FALSE(fs::exists(home / "cache"));
}

TEST_CASE("clear removes entries, leftovers and lock files, and nothing else") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  for (std::uint64_t i = 0; i < 10; ++i) cache.put(key(i), data(i));
  const std::string foreign = home.write("jit/00/notes.txt", "mine");
  overwrite(entry_file(home.path(), key(1)) + ".tmp.1.1", "half");
  auto removed = cache.clear();
  REQUIRE(removed.ok());
  CHECK(*removed == 10);
  CHECK(fs::exists(foreign));
  CHECK_FALSE(fs::exists(entry_file(home.path(), key(1)) + ".tmp.1.1"));
  CHECK(cache.info().entries == 0);
  CHECK_FALSE(cache.get(key(1)).has_value());
}

TEST_CASE("info and clear create nothing") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home / "cache", warnings));
  CHECK(cache.info().entries == 0);
  CHECK(*cache.clear() == 0);
  CHECK_FALSE(fs::exists(home / "cache"));
}

TEST_CASE("old temporary files of dead writers are swept when an entry is put beside them") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache cache(options(home.path(), warnings));
  cache.put(key(1), data(1));
  const std::string old = entry_file(home.path(), key(1)) + ".tmp.77.0";
  const std::string young = entry_file(home.path(), key(1)) + ".tmp.78.0";
  overwrite(old, "half");
  overwrite(young, "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.put(key(1), data(1));
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(young));
}

TEST_CASE("writers killed at any moment leave a usable cache") {
  const TemporaryDirectory home;
  std::mt19937_64 random(bascule::test::seed());
  Warnings warnings;
  for (int round = 0; round < 30; ++round) {
    const pid_t child = in_child([&] {
      JitCache cache(options(home.path(), warnings));
      for (std::uint64_t i = 0;; ++i) {
        (void)cache.get(key(i % 8));
        cache.put(key(i % 8), data(i % 8, 20000));
      }
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    JitCache cache(options(home.path(), warnings));
    for (std::uint64_t i = 0; i < 8; ++i) {
      if (auto found = cache.get(key(i))) CHECK(*found == data(i, 20000));
      else cache.put(key(i), data(i, 20000));
      CHECK(cache.get(key(i)) == data(i, 20000));
    }
  }
  CHECK(warnings.texts.empty());  // nothing was ever damaged
}

TEST_CASE("one process compiles, the others get its result") {
  const TemporaryDirectory home;
  const std::string log = home.write("compiled", "");
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(in_child([&] {
      Warnings warnings;
      JitCache cache(options(home / "cache", warnings));
      if (auto found = cache.get(key(1))) return *found == data(1) ? 0 : 1;
      std::ofstream(log, std::ios::app) << "compiled\n" << std::flush;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      cache.put(key(1), data(1));
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK(content(log) == "compiled\n");
}

TEST_CASE("one thread compiles, the others get its result, with a directory and without") {
  const TemporaryDirectory home;
  std::string directory;
  SUBCASE("with") { directory = home / "cache"; }
  SUBCASE("without") { directory = ""; }
  Warnings warnings;
  JitCache cache(options(directory, warnings));
  std::atomic<int> compiled = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      if (cache.get(key(1))) return;
      ++compiled;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cache.put(key(1), data(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(compiled == 1);
}

TEST_CASE("a compiler that was killed holds nobody up") {
  const TemporaryDirectory home;
  Warnings warnings;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = in_child([&] {
    JitCache cache(options(home / "cache", warnings));
    (void)cache.get(key(1));
    (void)!write(ready[1], "x", 1);
    pause();
    return 0;
  });
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  JitCacheOptions patient = options(home / "cache", warnings);
  patient.wait_limit = std::chrono::hours(1);  // were the lock stale, this would hang
  std::thread killer([child] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill(child, SIGKILL);
  });
  JitCache cache(std::move(patient));
  CHECK_FALSE(cache.get(key(1)).has_value());
  cache.put(key(1), data(1));
  CHECK(cache.get(key(1)) == data(1));
  killer.join();
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("who waits too long for another process compiles itself") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCache slow(options(home / "cache", warnings));
  CHECK_FALSE(slow.get(key(1)).has_value());
  JitCacheOptions impatient = options(home / "cache", warnings);
  impatient.wait_limit = std::chrono::milliseconds(20);
  JitCache other(std::move(impatient));
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(other.get(key(1)).has_value());
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(20));
  other.put(key(1), data(1));
  CHECK(slow.get(key(1)) == data(1));
}

TEST_CASE("a compilation that failed is given up at the end of its scope") {
  const TemporaryDirectory home;
  Warnings warnings;
  JitCacheOptions patient = options(home / "cache", warnings);
  patient.wait_limit = std::chrono::hours(1);
  JitCache cache(std::move(patient));
  {
    const JitCache::CompileScope scope(cache);
    CHECK_FALSE(cache.get(key(1)).has_value());
    CHECK_FALSE(cache.get(key(1)).has_value());  // the compiler itself never waits
  }
  std::thread other([&] { CHECK_FALSE(cache.get(key(1)).has_value()); });
  other.join();
}
