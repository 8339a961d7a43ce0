// Doctor: see doctor.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/doctor.hpp"

#include <algorithm>
#include <thread>

#include "core/base/json_writer.hpp"
#include "core/base/status.hpp"
#include "core/base/version.hpp"
#include "core/loader/known_backends.hpp"
#include "core/loader/probe.hpp"
#include "core/loader/selection.hpp"

namespace bascule::core {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// What can be said without probing.
DoctorEntry describe(const std::string& name, const Config& config, const Discovery& discovery) {
  DoctorEntry entry;
  entry.name = name;
  if (const KnownBackend* known = find_known_backend(name)) {
    entry.package = known->package;
    entry.note = known->note;
    entry.automatic = known->automatic;
  }
  entry.configured = config.automatic() ? entry.automatic : contains(config.backends(), name);
  for (const Candidate& candidate : discovery.candidates) {
    if (candidate.manifest.name != name) continue;
    if (!candidate.shadowed_by.empty()) {
      entry.shadowed.push_back(candidate.manifest.path);
      continue;
    }
    entry.manifest_path = candidate.manifest.path;
    entry.formats = candidate.manifest.formats;
    if (!candidate.manifest.package.empty()) entry.package = candidate.manifest.package;
  }
  return entry;
}

// A driver that takes its time does not hold up the others.
class Probes {
 public:
  ~Probes() { wait(); }
  template <class Work>
  void start(Work work) {
    threads_.emplace_back(std::move(work));
  }
  void wait() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

Result<DoctorReport> examine(const Config& config, const Environment& environment, const Log& log,
                             const DoctorOptions& options) {
  DoctorReport report;
  report.discovery = discover(options.directories.empty() ? search_directories(config) : options.directories);
  BSC_RETURN_IF_ERROR(check_backend_names(config, report.discovery));
  report.cache_directory = config.cache_enabled() ? config.cache_directory() : "";
  const std::string program = options.probe_program.empty() ? find_probe_program() : options.probe_program;
  VerdictCache cache(report.cache_directory, log);

  struct Pending {
    std::size_t index;
    ProbeRequest request;
    Hash128 key;
    Verdict verdict;
  };
  std::vector<Pending> pending;
  for (const std::string& name : valid_backend_names(report.discovery)) {
    DoctorEntry entry = describe(name, config, report.discovery);
    if (const Manifest* manifest = report.discovery.find(name)) {
      ProbeRequest request{*manifest, driver_of(config, *manifest), config.backend_options(name)};
      const Hash128 key = verdict_key(request, environment);
      auto known = options.use_cache ? cache.get(key) : std::nullopt;
      if (known)
        entry.verdict = std::move(*known);
      else
        pending.push_back({report.backends.size(), std::move(request), key, {}});
    } else {
      entry.verdict = missing_plugin(name, report.discovery);
    }
    report.backends.push_back(std::move(entry));
  }

  Probes probes;
  for (Pending& probe : pending) {
    probes.start([&probe, &program, &config] {
      probe.verdict = probe_in_child(probe.request, program, config.probe_timeout());
    });
  }
  probes.wait();
  for (Pending& probe : pending) {
    cache.put(probe.key, probe.verdict);
    report.backends[probe.index].verdict = std::move(probe.verdict);
  }
  for (DoctorEntry& entry : report.backends) {
    const auto fault = check_options(entry.name, config.backend_options(entry.name), entry.verdict.options);
    if (fault.ok() || entry.verdict.options.empty()) continue;
    entry.option_fault = fault.error().message;
    if (entry.verdict.state != BSC_INVALID_CONFIG) continue;
    entry.verdict.reason = fault.error().message;  // the probe did not know where the option was set
    entry.verdict.remedy = fault.error().remedy;
  }
  return report;
}

std::string doctor_to_json(const DoctorReport& report) {
  const auto write_texts = [](JsonWriter& json, const char* name, const std::vector<std::string>& texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) json.value(text);
    json.end_array();
  };
  JsonWriter json;
  json.begin_object().member("version", kVersion).member("cache_directory", report.cache_directory);
  json.key("backends").begin_array();
  for (const DoctorEntry& entry : report.backends) {
    const Verdict& verdict = entry.verdict;
    json.begin_object().member("name", entry.name).member("state", status_name(verdict.state));
    json.member("reason", verdict.reason).member("remedy", verdict.remedy);
    json.member("path", verdict.plugin_path).member("manifest", entry.manifest_path).member("version", verdict.version);
    json.member("build", verdict.build).member("package", entry.package).member("driver_path", verdict.driver_path());
    json.member("call", verdict.call)
        .member("vendor_name", verdict.vendor_name)
        .member("vendor_code", verdict.vendor_code);
    json.member("automatic", entry.automatic).member("configured", entry.configured);
    json.member("option_fault", entry.option_fault).member("note", entry.note);
    write_texts(json, "formats", entry.formats);
    write_texts(json, "shadowed", entry.shadowed);
    write_devices(json, verdict.devices);
    write_options(json, verdict.options);
    json.end_object();
  }
  json.end_array().key("directories").begin_array();
  for (const DirectoryReport& directory : report.discovery.directories) {
    json.begin_object().member("path", directory.path).member("origin", directory.origin);
    json.member("manifests", directory.manifests).member("note", directory.note).end_object();
  }
  json.end_array().key("problems").begin_array();
  for (const FileProblem& problem : report.discovery.problems) {
    json.begin_object().member("path", problem.path).member("message", problem.message).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace bascule::core
