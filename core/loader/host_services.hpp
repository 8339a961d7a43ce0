// HostServices: what an opened plugin may ask of its host: log, host memory, and the JIT cache.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "bascule/plugin.h"
#include "core/base/cache_store.hpp"
#include "core/base/log.hpp"

namespace bascule::core {

// Lives at one address until the plugin's instance is closed; log and cache must live as long. Thread-safe.
class HostServices {
 public:
  // cache == nullptr: every get is a miss.
  HostServices(std::string backend, const Log& log, CacheStore* cache);
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;

  const bsc_host_services* table() const { return &table_; }

 private:
  std::string backend_;
  const Log& log_;
  CacheStore* cache_;
  bsc_host_services table_;
};

// The key under which the cache keeps what a plugin describes: its fields, plus plugin ABI, this library's version and
// the processor.
Hash128 cache_key_hash(const bsc_plugin_cache_key& key);

}  // namespace bascule::core
