// Selection: see selection.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/selection.hpp"

#include <algorithm>
#include <optional>

#include "core/base/status.hpp"
#include "core/base/text.hpp"
#include "core/config/selector.hpp"
#include "core/loader/known_backends.hpp"
#include "core/loader/probe.hpp"
#include "core/loader/verdict_cache.hpp"

namespace bascule::core {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string searched_text(const Discovery& discovery) {
  std::vector<std::string> searched;
  for (const DirectoryReport& directory : discovery.directories) {
    searched.push_back(directory.path + (directory.note.empty() ? "" : " (" + directory.note + ")"));
  }
  return join(searched, ", ");
}

Verdict no_automatic_device(const std::string& name, const std::vector<std::string>& types) {
  return verdict_of(name, Error{BSC_NO_DEVICE,
                                "no device of type " + join(types, ", ") + "; others are used only when \"" + name +
                                    "\" is named in `backends`",
                                "Name " + name + " in `backends` to use its other devices."});
}

class Selecting {
 public:
  Selecting(const Config& config, const Environment& environment, const Log& log, const SelectionOptions& options)
      : config_(config), environment_(environment), log_(log), options_(options) {}

  Result<Selection> run() {
    const std::vector<SearchDirectory> directories =
        options_.directories.empty() ? search_directories(config_) : options_.directories;
    selection_.discovery = discover(directories);
    log_discovery();
    BSC_RETURN_IF_ERROR(check_backend_names(config_, selection_.discovery));
    const std::vector<std::string> names = config_.automatic() ? automatic_backends() : config_.backends();
    for (const std::string& name : names) BSC_RETURN_IF_ERROR(consider(name));
    if (selection_.backends.empty()) return none_usable(names);
    add_others(names);
    note_unused();
    return std::move(selection_);
  }

 private:
  Status consider(const std::string& name) {
    BackendRecord record;
    record.name = name;
    record.considered = true;
    Verdict verdict = open(name);
    if (verdict.state == BSC_INVALID_CONFIG) return config_error(name, verdict);
    record.state = verdict.state;
    record.reason = verdict.reason;
    record.remedy = verdict.remedy;
    record.plugin_path = verdict.plugin_path;
    record.version = verdict.version;
    record.driver_path = verdict.driver_path();
    record.device_count = verdict.devices.size();
    record.selected = verdict.state == BSC_OK;
    selection_.records.push_back(record);
    return judge(record, verdict);
  }

  // What follows from a backend's state.
  Status judge(const BackendRecord& record, const Verdict& verdict) {
    const std::string line = "backend " + record.name + ": " + status_name(record.state) +
                             (record.reason.empty() ? "" : ": " + record.reason);
    if (record.state == BSC_OK) {
      log_.info("backend " + record.name + ": chosen, " + std::to_string(record.device_count) + " device(s), " +
                record.plugin_path);
      return {};
    }
    const bool required = config_.backends().size() == 1;
    if (!config_.automatic() && (required || !is_absent(record.state))) {
      Error error{record.state,       line, record.remedy, record.name, verdict.call, verdict.vendor_name,
                  verdict.vendor_code};
      error.message += "\n  (" + std::string(required ? "the only backend in" : "listed in") + " `backends`, set by " +
                       config_.origin("backends") + ")";
      return error;
    }
    if (is_absent(record.state))
      log_.info(line + " (skipped)");
    else
      log_.warning_once(line, line + (line.ends_with('.') ? " " : ". ") + record.remedy);
    return {};
  }

  // Opens the backend if that can be done, and keeps it. The verdict says what came of it.
  Verdict open(const std::string& name) {
    const Manifest* manifest = selection_.discovery.find(name);
    if (manifest == nullptr) return missing_plugin(name, selection_.discovery);
    const ProbeRequest request{*manifest, driver_of(config_, *manifest), config_.backend_options(name)};
    const KnownBackend* known = find_known_backend(name);
    const std::vector<std::string> types =
        config_.automatic() && known != nullptr ? known->auto_device_types : std::vector<std::string>{};

    if (manifest->may_abort) {
      Verdict verdict = probe(request);
      if (verdict.state != BSC_OK) return verdict;
      // Seen from the child that nothing here is for us: then the driver is not loaded into this process at all.
      const bool any =
          types.empty() || std::any_of(verdict.devices.begin(), verdict.devices.end(),
                                       [&](const DeviceSummary& device) { return contains(types, device.type); });
      if (!any) return with_plugin(no_automatic_device(name, types), verdict.plugin_path, verdict.version);
    }
    auto plugin = Plugin::load(*manifest);
    if (!plugin.ok()) return with_plugin(verdict_of(name, plugin.error()), manifest->plugin_path, "");
    const std::string path = plugin->path(), version = plugin->version();
    auto backend = OpenedBackend::open(std::move(*plugin), request.driver, request.options, log_, options_.cache);
    if (!backend.ok()) return with_plugin(verdict_of(name, backend.error()), path, version);
    (*backend)->keep_device_types(types);
    if ((*backend)->devices().empty()) return with_plugin(no_automatic_device(name, types), path, version);
    Verdict verdict = verdict_of(**backend);
    selection_.backends.push_back(std::move(*backend));
    return verdict;
  }

  static Verdict with_plugin(Verdict verdict, const std::string& path, const std::string& version) {
    verdict.plugin_path = path;
    verdict.version = version;
    return verdict;
  }

  Verdict probe(const ProbeRequest& request) {
    if (!verdicts_) verdicts_.emplace(config_.cache_enabled() ? config_.cache_directory() : "", log_);
    const std::string program = options_.probe_program.empty() ? find_probe_program() : options_.probe_program;
    return probe_cached(request, program, config_.probe_timeout(), *verdicts_, environment_);
  }

  // A probe and a plugin know an option only by its name; the message must say where it was set.
  Error config_error(const std::string& name, const Verdict& verdict) const {
    Error error{BSC_INVALID_CONFIG, verdict.reason, verdict.remedy, name, verdict.call};
    if (verdict.remedy == default_remedy(name, BSC_INVALID_CONFIG))
      error.remedy = "Correct the option; `bascule doctor` lists all.";
    for (const BackendOption& option : config_.backend_options(name)) {
      if (error.message.starts_with(kProbeOrigin)) error.message.erase(0, kProbeOrigin.size());
      if (error.message.find(option.origin) == std::string::npos &&
          error.message.find(option.name) != std::string::npos) {
        error.message = option.origin + ": " + error.message;
        break;
      }
    }
    return error;
  }

  Error none_usable(const std::vector<std::string>& names) const {
    Error error{BSC_NO_BACKEND, "no usable backend among " + join(names, ", ") + " (`backends`: " +
                                    (config_.automatic() ? "auto" : "set by " + config_.origin("backends")) + ")"};
    for (const BackendRecord& record : selection_.records) {
      // The searched directories are the same for all; they come once, at the end.
      error.message += "\n  " + record.name + ": " + status_name(record.state) +
                       (record.state == BSC_PLUGIN_MISSING ? "" : ": " + record.reason);
    }
    error.message += "\n  plugins were searched in " + searched_text(selection_.discovery);
    error.remedy =
        "Install one of them, or name another in `backends` or BASCULE_BACKENDS; `bascule doctor` shows all.";
    return error;
  }

  void add_others(const std::vector<std::string>& considered) {
    for (const std::string& name : valid_backend_names(selection_.discovery)) {
      if (contains(considered, name)) continue;
      BackendRecord record;
      record.name = name;
      if (const Manifest* manifest = selection_.discovery.find(name)) {
        record.state = BSC_INVALID_STATE;  // nobody has looked: "usable" would be a guess
        record.plugin_path = manifest->plugin_path;
        record.reason = "installed, but not named in `backends`";
        record.remedy = "Name it in `backends` or BASCULE_BACKENDS to use it.";
      } else {
        const Verdict verdict = missing_plugin(name, selection_.discovery);
        record.state = verdict.state;
        record.reason = verdict.reason;
        record.remedy = verdict.remedy;
      }
      selection_.records.push_back(std::move(record));
    }
  }

  void note_unused() {
    for (const auto& [name, origin] : config_.configured_backends()) {
      // A plugin that was loaded has checked its options, whether or not it could be opened.
      const auto record = std::find_if(selection_.records.begin(), selection_.records.end(),
                                       [&, &wanted = name](const BackendRecord& r) { return r.name == wanted; });
      if (record != selection_.records.end() && record->selected) continue;
      for (const BackendOption& option : config_.backend_options(name)) {
        selection_.unused.push_back("backend." + name + "." + option.name + " (" + option.origin + ")");
      }
      if (!config_.backend_driver(name).empty())
        selection_.unused.push_back("backend." + name + ".driver (" + origin + ")");
    }
    for (const std::string& setting : selection_.unused)
      log_.info("set but not used: " + setting + ": the backend is not open");
  }

  void log_discovery() const {
    for (const DirectoryReport& directory : selection_.discovery.directories) {
      // A directory that somebody named and that is not there is a slip; one of the usual places is not.
      if (!contains(config_.plugin_path(), directory.path) || directory.usable) continue;
      const std::string line =
          "plugin directory " + directory.path + " (set by " + directory.origin + ") " + directory.note;
      log_.warning_once(line, line);
    }
    if (!log_.enabled(LogLevel::kDebug)) return;
    for (const DirectoryReport& directory : selection_.discovery.directories) {
      log_.debug("plugins in " + directory.path + " (" + directory.origin +
                 "): " + std::to_string(directory.manifests) + " manifest(s)" +
                 (directory.note.empty() ? "" : ", " + directory.note));
    }
    for (const Candidate& candidate : selection_.discovery.candidates) {
      log_.debug("found " + candidate.manifest.path +
                 (candidate.shadowed_by.empty() ? "" : ", shadowed by " + candidate.shadowed_by));
    }
    for (const FileProblem& problem : selection_.discovery.problems) log_.debug("rejected " + problem.message);
  }

  const Config& config_;
  const Environment& environment_;
  const Log& log_;
  const SelectionOptions& options_;
  Selection selection_;
  std::optional<VerdictCache> verdicts_;
};

}  // namespace

std::string driver_of(const Config& config, const Manifest& manifest) {
  const std::string& configured = config.backend_driver(manifest.name);
  if (!configured.empty()) return configured;
  const auto selector = parse_selector(config.device_text());  // a wrong one is an error later, where devices are known
  if (!selector.ok() || selector->kind != Selector::Kind::kEmulated) return "";
  return manifest.emulated_driver(selector->value);
}

bool is_absent(bsc_status state) {
  return state == BSC_PLUGIN_MISSING || state == BSC_DRIVER_MISSING || state == BSC_NO_DEVICE;
}

std::vector<std::string> automatic_backends() {
  std::vector<std::string> names;
  for (const KnownBackend& backend : known_backends()) {
    if (backend.automatic) names.push_back(backend.name);
  }
  return names;
}

std::vector<std::string> valid_backend_names(const Discovery& discovery) {
  std::vector<std::string> names;
  for (const KnownBackend& backend : known_backends()) names.push_back(backend.name);
  for (const std::string& name : discovery.names()) {
    if (!contains(names, name)) names.push_back(name);
  }
  return names;
}

Verdict missing_plugin(const std::string& name, const Discovery& discovery) {
  if (const FileProblem* problem = discovery.find_problem(name)) {
    return verdict_of(
        name, Error{BSC_BROKEN, "its manifest cannot be used: " + problem->message, "Install the plugin again."});
  }
  return verdict_of(name, Error{BSC_PLUGIN_MISSING, "no plugin for it; searched " + searched_text(discovery)});
}

Status check_backend_names(const Config& config, const Discovery& discovery) {
  const std::vector<std::string> valid = valid_backend_names(discovery);
  const auto check = [&](const std::string& name, const std::string& origin) -> Status {
    if (contains(valid, name) || discovery.find_problem(name) != nullptr) return {};
    Error error{BSC_INVALID_CONFIG, origin + ": there is no backend " + quoted(name) + suggestion(name, valid),
                "Valid names: " + join(valid, ", ") + ". Installed: " + join(discovery.names(), ", ") + "."};
    return error;
  };
  for (const std::string& name : config.backends()) BSC_RETURN_IF_ERROR(check(name, config.origin("backends")));
  for (const auto& [name, origin] : config.configured_backends()) BSC_RETURN_IF_ERROR(check(name, origin));
  return {};
}

std::string Selection::skipped_text() const {
  std::string text;
  for (const BackendRecord& record : records) {
    if (!record.considered || record.selected) continue;
    if (!text.empty()) text += "; ";
    text += record.name + ": " + status_name(record.state);
    // The list of searched directories is for the doctor.
    if (record.state != BSC_PLUGIN_MISSING) text += " (" + record.reason.substr(0, record.reason.find('\n')) + ")";
  }
  return text;
}

Result<Selection> select_backends(const Config& config, const Environment& environment, const Log& log,
                                  const SelectionOptions& options) {
  return Selecting(config, environment, log, options).run();
}

}  // namespace bascule::core
