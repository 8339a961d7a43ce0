// Creating an instance: configuration, backends, services.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/open.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/loader/selection.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/instance.hpp"
#include "core/runtime/sized.hpp"

namespace bascule::core {
namespace {

std::string text(const char* value) { return value ? value : ""; }

// What the plugins' instances use as long as they are open.
class OpenServices final : public InstanceServices {
 public:
  explicit OpenServices(const OpenedConfig& opened)
      : log(opened.config.log_level(), opened.sink, opened.sink_user), cache(cache_options(opened.config, log)) {}
  JitCache* jit_cache() override { return &cache; }

  Log log;
  JitCache cache;
  std::vector<std::unique_ptr<OpenedBackend>> backends;
};

BackendReport report_of(const BackendRecord& record) {
  return {.name = record.name,
          .state = record.state,
          .reason = record.reason,
          .remedy = record.remedy,
          .path = record.plugin_path,
          .version = record.version,
          .driver_path = record.driver_path,
          .device_count = record.device_count,
          .selected = record.selected};
}

// "kernel.NAME.variant" -> NAME; "" for other keys.
std::string forced_kernel(std::string_view key) {
  constexpr std::string_view kPrefix = "kernel.", kSuffix = ".variant";
  if (!key.starts_with(kPrefix) || !key.ends_with(kSuffix) || key.size() <= kPrefix.size() + kSuffix.size()) return {};
  return std::string(key.substr(kPrefix.size(), key.size() - kPrefix.size() - kSuffix.size()));
}

// The emulated drivers that the plugins found offer, whether or not `backends` lists them.
std::string emulated_text(const Discovery& discovery) {
  std::vector<std::string> offers;
  for (const std::string& name : discovery.names()) {
    const Manifest* manifest = discovery.find(name);
    if (manifest == nullptr) continue;
    for (const EmulatedDriver& driver : manifest->emulated) offers.push_back("emulated:" + driver.architecture + " of " + name);
  }
  return join(offers, ", ");
}

Result<Ref<bsc_instance>> open_instance(const OpenedConfig& opened) {
  const Config& config = opened.config;
  auto services = std::make_shared<OpenServices>(opened);
  if (!opened.application.empty()) services->log.debug("instance of application " + opened.application);
  SelectionOptions options;
  options.cache = &services->cache;
  auto selection = select_backends(config, opened.environment, services->log, options);
  if (!selection.ok()) return selection.take_error();
  for (const std::string& unused : selection->unused) {
    services->log.warning(unused + " has no effect: that backend is not open");
  }
  InstanceParts parts;
  for (auto& backend : selection->backends) {
    parts.backends.push_back(
        std::make_unique<Backend>(backend->name(), backend->api(), backend->instance(), backend->devices()));
    (void)backend->take_instance();
    services->backends.push_back(std::move(backend));
  }
  parts.services = std::move(services);
  for (const BackendRecord& record : selection->records) parts.reports.push_back(report_of(record));
  parts.config = config.entries();
  parts.device_selector = config.device_text();
  parts.device_selector_origin = config.origin("device");
  parts.selection_origin = config.automatic() ? "auto" : config.origin("backends");
  parts.skipped = selection->skipped_text();
  parts.emulated = emulated_text(selection->discovery);
  for (const ConfigEntry& entry : parts.config) {
    const std::string kernel = forced_kernel(entry.key);
    if (!kernel.empty()) parts.forced_variants.emplace(kernel, entry.value);
  }
  return bsc_instance::create(std::move(parts));
}

}  // namespace

JitCacheOptions cache_options(const Config& config, const Log& log) {
  JitCacheOptions options;
  options.directory = config.cache_directory();
  options.enabled = config.cache_enabled();
  options.warn = [&log](std::string_view message) { log.warning(message); };
  return options;
}

Result<OpenedConfig> open_config(const bsc_instance_options* given) {
  auto options = read_sized(given, "bsc_instance_options");
  if (!options.ok()) return options.take_error();
  ConfigSources sources;
  sources.text = text(options->config_text);
  sources.file = text(options->config_file);
  sources.ignore_files = options->ignore_files != 0;
  sources.ignore_environment = options->ignore_environment != 0;
  sources.read_working_directory = options->read_working_directory != 0;
  if (options->setting_count != 0 && !options->settings) {
    return invalid_argument("settings is NULL with setting_count = " + std::to_string(options->setting_count));
  }
  for (std::uint64_t i = 0; i < options->setting_count; ++i) {
    const bsc_setting& setting = options->settings[i];
    if (!setting.key || !setting.value) {
      return invalid_argument("setting " + std::to_string(i) + " lacks its key or value");
    }
    sources.settings.push_back({setting.key, setting.value});
  }
  OpenedConfig result;
  result.environment = Environment::process();
  auto config = Config::load(sources, result.environment);
  if (!config.ok()) return config.take_error();
  result.config = std::move(config).value();
  result.sink = options->log_sink;
  result.sink_user = options->log_user;
  result.application = text(options->application);
  return result;
}

}  // namespace bascule::core

using namespace bascule::core;

extern "C" bsc_status bsc_instance_create(const bsc_instance_options* options, bsc_instance** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    if (!out) return invalid_argument("out is NULL");
    auto opened = open_config(options);
    if (!opened.ok()) return opened.take_error();
    auto instance = open_instance(*opened);
    if (!instance.ok()) return instance.take_error();
    *out = instance->detach();
    return {};
  });
}
