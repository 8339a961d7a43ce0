// Probing: see probe.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/probe.hpp"

#include "core/base/duration.hpp"
#include "core/base/text.hpp"
#include "core/platform/file.hpp"
#include "core/platform/paths.hpp"
#include "core/platform/process.hpp"

namespace bascule::core {
namespace {

constexpr std::string_view kDriverArgument = "driver=";

// The last lines of what a program wrote before it died, in one line.
std::string last_words(const std::string& errors) {
  constexpr std::size_t kLines = 4;
  std::vector<std::string> lines;
  for (const std::string& line : split(errors, '\n')) {
    if (!trim(line).empty()) lines.push_back(std::string(trim(line)));
  }
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  const std::string text = join(lines, " | ");
  return text.empty() ? "" : "; its last words: " + quoted(text, 1000);
}

Verdict failed(const ProbeRequest& request, bsc_status state, const std::string& reason,
               const std::string& remedy = "") {
  Verdict verdict = verdict_of(request.manifest.name, Error{state, reason, remedy});
  verdict.plugin_path = real_path(request.manifest.plugin_path);
  return verdict;
}

}  // namespace

std::string find_probe_program() {
  const std::string own = own_library_directory();
  for (const std::string& directory :
       {own + "/" BASCULE_LIBEXEC_FROM_LIBRARY, own + "/../libexec/bascule", own + "/../../libexec/bascule",
        std::string(BASCULE_INSTALLED_LIBEXEC_DIRECTORY)}) {
    const std::string path = directory + "/bascule-probe";
    if (file_stamp(path) != FileStamp{}) return real_path(path);
  }
  return "";
}

std::vector<std::string> probe_arguments(const ProbeRequest& request) {
  std::vector<std::string> arguments{request.manifest.path};
  if (!request.driver.empty()) arguments.push_back(std::string(kDriverArgument) + request.driver);
  for (const BackendOption& option : request.options) arguments.push_back(option.name + "=" + option.value);
  return arguments;
}

Result<ProbeRequest> probe_request(const std::vector<std::string>& arguments) {
  const Error usage{BSC_INVALID_ARGUMENT, "usage: bascule-probe MANIFEST [driver=PATH] [OPTION=VALUE ...]"};
  if (arguments.empty() || !arguments[0].starts_with('/')) return usage;
  ProbeRequest request;
  auto manifest = read_manifest(arguments[0]);
  if (!manifest.ok()) return manifest.take_error();
  request.manifest = std::move(*manifest);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    if (equals == std::string::npos) return usage;
    std::string name = arguments[i].substr(0, equals), value = arguments[i].substr(equals + 1);
    if (arguments[i].starts_with(kDriverArgument))
      request.driver = std::move(value);
    else
      request.options.push_back(
          {std::move(name), std::move(value), std::string(kProbeOrigin.substr(0, kProbeOrigin.size() - 2))});
  }
  return request;
}

Verdict probe_here(const ProbeRequest& request, const Log& log) {
  auto plugin = Plugin::load(request.manifest);
  if (!plugin.ok()) return failed(request, plugin.error().status, plugin.error().message, plugin.error().remedy);
  Verdict verdict;
  const Plugin copy = *plugin;
  auto backend = OpenedBackend::open(std::move(*plugin), request.driver, request.options, log, nullptr);
  if (backend.ok()) return verdict_of(**backend);
  verdict = verdict_of(request.manifest.name, backend.error());
  verdict.plugin_path = copy.path();
  verdict.version = copy.version();
  verdict.build = copy.build();
  verdict.options = copy.options();
  return verdict;
}

Verdict probe_in_child(const ProbeRequest& request, const std::string& program, std::chrono::nanoseconds time_limit) {
  if (program.empty()) {
    return failed(request, BSC_BROKEN,
                  "the program bascule-probe, which this backend must be tried with, is not installed",
                  "Install Bascule completely.");
  }
  auto result = run_process({program, probe_arguments(request), time_limit, 1 << 20});
  if (!result.ok()) return failed(request, BSC_BROKEN, "the probe cannot be started: " + result.error().message);
  switch (result->end) {
    case ProcessResult::End::kSignal:
      return failed(
          request, BSC_CRASHED,
          "probing it in a child process ended with " + signal_name(result->code) + last_words(result->errors));
    case ProcessResult::End::kTimeLimit:
      return failed(
          request, BSC_PROBE_TIMED_OUT,
          "probing it in a child process took more than " + duration_text(time_limit) + last_words(result->errors));
    case ProcessResult::End::kExit:
      break;
  }
  if (auto verdict = verdict_from_json(result->output); verdict.ok()) return std::move(*verdict);
  // A driver that calls exit() is as fatal to its host as one that aborts.
  return failed(request, BSC_CRASHED,
                "probing it in a child process ended with exit code " + std::to_string(result->code) +
                    " and no report" + last_words(result->errors));
}

Verdict probe_cached(const ProbeRequest& request, const std::string& program, std::chrono::nanoseconds time_limit,
                     VerdictCache& cache, const Environment& environment) {
  const Hash128 key = verdict_key(request, environment);
  if (auto known = cache.get(key)) return std::move(*known);
  Verdict verdict = probe_in_child(request, program, time_limit);
  // Without the program nothing was tried: that is not the backend's verdict, and it may be installed by the next time.
  if (!program.empty()) cache.put(key, verdict);
  return verdict;
}

}  // namespace bascule::core
