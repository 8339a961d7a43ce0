// Tests of what plugins get from their host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/host_services.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <new>

#include "core/loader/test_plugins.hpp"

using namespace bascule::core;
using bascule::test::LogLines;

namespace {

class MapStore final : public CacheStore {
 public:
  std::optional<std::vector<std::byte>> get(const Hash128& key) override {
    if (fails) throw std::bad_alloc();
    const auto found = entries.find(key);
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  }
  void put(const Hash128& key, std::span<const std::byte> data) override {
    if (fails) throw std::bad_alloc();
    entries[key].assign(data.begin(), data.end());
  }
  std::map<Hash128, std::vector<std::byte>> entries;
  bool fails = false;
};

bsc_plugin_cache_key key_of(const char* image) {
  bsc_plugin_cache_key key{};
  key.header = {sizeof key, BSC_STRUCT_CACHE_KEY, nullptr};
  key.image = image;
  key.image_bytes = std::strlen(image);
  key.options = "-O2";
  key.plugin_build = "b";
  key.driver_version = "1";
  key.architecture = "a";
  return key;
}

}  // namespace

TEST_CASE("a plugin's messages reach the log with its name; an unknown level counts as error") {
  LogLines lines;
  const Log log(LogLevel::kInfo, &LogLines::sink, &lines);
  const HostServices services("cuda", log, nullptr);
  const bsc_host_services* table = services.table();
  table->log(table->context, BSC_LOG_DEBUG, "not shown");
  table->log(table->context, BSC_LOG_WARNING, "careful");
  table->log(table->context, 99, "odd");
  table->log(table->context, BSC_LOG_INFO, nullptr);
  CHECK(lines.lines == std::vector<std::pair<int, std::string>>{{3, "cuda: careful"}, {4, "cuda: odd"}, {2, "cuda: "}});
}

TEST_CASE("memory is aligned as asked, for 0 bytes too, and nonsense gives NULL") {
  const Log log(LogLevel::kOff);
  const HostServices services("cuda", log, nullptr);
  const bsc_host_services* table = services.table();
  for (const std::uint64_t alignment : {0u, 1u, 8u, 64u, 4096u}) {
    for (const std::uint64_t bytes : {0u, 1u, 100u, 100'000u}) {
      void* const pointer = table->allocate(table->context, bytes, alignment);
      REQUIRE(pointer != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(pointer) % (alignment == 0 ? 16 : alignment) == 0);
      std::memset(pointer, 1, bytes);
      table->deallocate(table->context, pointer);
    }
  }
  CHECK(table->allocate(table->context, 100, 3) == nullptr);
  CHECK(table->allocate(table->context, UINT64_MAX, 64) == nullptr);
  CHECK(table->allocate(table->context, UINT64_MAX - 100, 64) == nullptr);
  table->deallocate(table->context, nullptr);
}

TEST_CASE("what a plugin puts into the cache it gets back, under the same key only") {
  MapStore store;
  const Log log(LogLevel::kOff);
  const HostServices services("cuda", log, &store);
  const bsc_host_services* table = services.table();
  const bsc_plugin_cache_key key = key_of("image");
  void* data = nullptr;
  std::uint64_t bytes = 0;
  CHECK(table->cache_get(table->context, &key, &data, &bytes) == BSC_NOT_FOUND);
  table->cache_put(table->context, &key, "compiled", 8);
  REQUIRE(table->cache_get(table->context, &key, &data, &bytes) == BSC_OK);
  CHECK(std::string(static_cast<char*>(data), bytes) == "compiled");
  table->deallocate(table->context, data);
  const bsc_plugin_cache_key other = key_of("imagf");
  CHECK(table->cache_get(table->context, &other, &data, &bytes) == BSC_NOT_FOUND);
  table->cache_put(table->context, &other, nullptr, 0);
  REQUIRE(table->cache_get(table->context, &other, &data, &bytes) == BSC_OK);
  CHECK(bytes == 0);
  table->deallocate(table->context, data);
}

TEST_CASE("each field is a part of the key, and so is where one ends") {
  const Hash128 hash = cache_key_hash(key_of("image"));
  CHECK(cache_key_hash(key_of("image")) == hash);
  for (const char* bsc_plugin_cache_key::*field :
       {&bsc_plugin_cache_key::options, &bsc_plugin_cache_key::plugin_build, &bsc_plugin_cache_key::driver_version,
        &bsc_plugin_cache_key::architecture}) {
    bsc_plugin_cache_key changed = key_of("image");
    changed.*field = "other";
    CHECK(cache_key_hash(changed) != hash);
    changed.*field = nullptr;
    CHECK(cache_key_hash(changed) != hash);
  }
  bsc_plugin_cache_key shifted = key_of("image");
  shifted.options = "-O2b";
  shifted.plugin_build = "";
  CHECK(cache_key_hash(shifted) != hash);
}

TEST_CASE("a malformed key, no cache, and a cache that throws are misses, and no exception reaches the plugin") {
  MapStore store;
  const Log log(LogLevel::kOff);
  const HostServices services("cuda", log, &store);
  const HostServices without("cuda", log, nullptr);
  const bsc_host_services* table = services.table();
  bsc_plugin_cache_key key = key_of("image");
  void* data = nullptr;
  std::uint64_t bytes = 0;
  CHECK(table->cache_get(table->context, nullptr, &data, &bytes) == BSC_INVALID_ARGUMENT);
  CHECK(table->cache_get(table->context, &key, nullptr, &bytes) == BSC_INVALID_ARGUMENT);
  CHECK(without.table()->cache_get(without.table()->context, &key, &data, &bytes) == BSC_NOT_FOUND);
  without.table()->cache_put(without.table()->context, &key, "x", 1);
  store.fails = true;
  CHECK(table->cache_get(table->context, &key, &data, &bytes) == BSC_NOT_FOUND);
  table->cache_put(table->context, &key, "x", 1);
  store.fails = false;
  key.header.type = BSC_STRUCT_ERROR;
  table->cache_put(table->context, &key, "x", 1);
  CHECK(store.entries.empty());
}

TEST_CASE("keys of older and newer plugins are read by their size") {
  MapStore store;
  const Log log(LogLevel::kOff);
  const HostServices services("cuda", log, &store);
  const bsc_host_services* table = services.table();
  struct Longer {
    bsc_plugin_cache_key key;
    std::uint64_t more[4];
  } longer{key_of("image"), {1, 2, 3, 4}};
  longer.key.header.size = sizeof longer;
  table->cache_put(table->context, &longer.key, "x", 1);
  CHECK(store.entries.contains(cache_key_hash(key_of("image"))));
  bsc_plugin_cache_key shorter = key_of("image");
  shorter.header.size = offsetof(bsc_plugin_cache_key, architecture);
  table->cache_put(table->context, &shorter, "x", 1);
  bsc_plugin_cache_key without = key_of("image");
  without.architecture = nullptr;
  CHECK(store.entries.contains(cache_key_hash(without)));
}
