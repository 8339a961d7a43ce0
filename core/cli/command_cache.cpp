// `bascule cache info` and `bascule cache clear`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {

ExitCode run_cache_info(const CommonOptions& common) {
  const InstanceOptions options(common);
  const std::string answer = make_text([&](char** out, bsc_error** error) { return bsc_query(options.get(), "cache", out, error); });
  if (common.json) {
    std::printf("%s\n", answer.c_str());
    return ExitCode::kSuccess;
  }
  const auto json = nlohmann::json::parse(answer);
  const std::string directory = json.value("directory", "");
  const std::string problem = json.value("problem", "");
  std::printf("directory: %s\n", directory.empty() ? "none, kept in memory only" : printable(directory).c_str());
  std::printf("entries: %llu\nsize: %s\n", json.value("entries", 0ull), format_bytes(json.value("bytes", std::uint64_t{0})).c_str());
  if (!problem.empty()) std::printf("problem: %s\n", printable_lines(problem).c_str());
  return ExitCode::kSuccess;
}

ExitCode run_cache_clear(const CommonOptions& common) {
  const InstanceOptions options(common);
  std::uint64_t removed = 0;
  require([&](bsc_error** error) { return bsc_cache_clear(options.get(), &removed, error); });
  const auto count = static_cast<unsigned long long>(removed);
  std::printf(common.json ? "{\"removed\": %llu}\n" : "removed %llu entries\n", count);
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
