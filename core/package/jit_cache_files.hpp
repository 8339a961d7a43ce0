// The JIT cache's directory: <directory>/jit/<2 hex digits>/<32 hex digits>, lock files in <directory>/jit/locks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.hpp"
#include "core/package/jit_cache.hpp"

namespace bascule::core {

// Creates what is missing; refuses what others could write to.
Status prepare_cache_directory(const std::string& directory, const std::string& root);

void remove_entry(const std::string& path);

// Temporary files of processes that died while writing: those in `folder` older than an hour.
void remove_old_leftovers(const std::string& folder);

JitCacheInfo cache_info(const std::string& directory, const std::string& root);
Result<std::uint64_t> clear_cache(const std::string& directory, const std::string& root);

}  // namespace bascule::core
