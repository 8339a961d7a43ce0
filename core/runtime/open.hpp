// What the calls that take bsc_instance_options share: reading the options into a configuration.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bascule/bascule.h"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/config/config.hpp"
#include "core/package/jit_cache.hpp"
#include "core/platform/environment.hpp"

namespace bascule::core {

struct OpenedConfig {
  Environment environment;
  Config config;
  LogSink sink = nullptr;
  void* sink_user = nullptr;
  std::string application;
};

// Of the cache that the configuration describes; warnings go to `log`, which must outlive the cache.
JitCacheOptions cache_options(const Config& config, const Log& log);

// `options` may be NULL. INVALID_CONFIG with position, INVALID_ARGUMENT for options that are malformed.
Result<OpenedConfig> open_config(const bsc_instance_options* options);

}  // namespace bascule::core
