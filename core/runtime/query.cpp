// bsc_query and bsc_cache_clear: what tools ask without opening an instance.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include "core/base/json_writer.hpp"
#include "core/base/text.hpp"
#include "core/loader/doctor.hpp"
#include "core/loader/verdict_cache.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/open.hpp"
#include "core/runtime/owned_text.hpp"

namespace bascule::core {
namespace {

std::string cache_json(const OpenedConfig& opened, const Log& log) {
  const JitCacheInfo info = JitCache(cache_options(opened.config, log)).info();
  JsonWriter json;
  json.begin_object();
  json.member("directory", opened.config.cache_directory());
  json.member("enabled", opened.config.cache_enabled());
  json.member("entries", info.entries);
  json.member("bytes", info.bytes);
  json.member("problem", info.problem);
  json.member("origin", opened.config.origin("cache.directory"));
  json.end_object();
  return json.take();
}

Result<std::string> answer(const OpenedConfig& opened, std::string_view what) {
  const Log log(opened.config.log_level(), opened.sink, opened.sink_user);
  if (what == "cache") return cache_json(opened, log);
  if (what == "doctor") {
    auto report = examine(opened.config, opened.environment, log);
    if (!report.ok()) return report.take_error();
    return doctor_to_json(*report);
  }
  return invalid_argument("there is nothing to query called " + quoted(what), "\"doctor\" and \"cache\" are known");
}

}  // namespace
}  // namespace bascule::core

using namespace bascule::core;

extern "C" {

bsc_status bsc_query(const bsc_instance_options* options, const char* what, char** out_json, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    if (!what) return invalid_argument("what is NULL", "\"doctor\" and \"cache\" are known");
    if (!out_json) return invalid_argument("out_json is NULL");
    auto opened = open_config(options);
    if (!opened.ok()) return opened.take_error();
    auto text = answer(*opened, what);
    if (!text.ok()) return text.take_error();
    *out_json = copy_text(*text);
    return {};
  });
}

bsc_status bsc_cache_clear(const bsc_instance_options* options, uint64_t* out_removed, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    auto opened = open_config(options);
    if (!opened.ok()) return opened.take_error();
    const Log log(opened->config.log_level(), opened->sink, opened->sink_user);
    auto removed = JitCache(cache_options(opened->config, log)).clear();
    if (!removed.ok()) return removed.take_error();
    const std::string& directory = opened->config.cache_directory();
    const std::uint64_t verdicts = directory.empty() ? 0 : clear_verdicts(directory);
    if (out_removed) *out_removed = *removed + verdicts;
    return {};
  });
}

}  // extern "C"
