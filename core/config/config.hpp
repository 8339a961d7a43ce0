// Config: every configured value with its origin, read once from all sources.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/config/selector.hpp"
#include "core/config/toml_source.hpp"
#include "core/platform/environment.hpp"

namespace bascule::core {

struct Setting {
  std::string key;
  std::string value;  // as it would stand in a BASCULE_* variable
};

// Where to read, in the order in which later sources win: system file, user's file, ./bascule.toml (if asked), `file`
// or the file that BASCULE_CONFIG names, `text`, BASCULE_* variables, settings.
struct ConfigSources {
  std::string text;
  std::string file;  // read instead of BASCULE_CONFIG's
  std::vector<Setting> settings;
  bool ignore_files = false;            // neither system, user's nor BASCULE_CONFIG's file
  bool ignore_environment = false;      // no BASCULE_* variable
  bool read_working_directory = false;  // also ./bascule.toml, where keys that name code or caches are refused
  std::string system_file = "/etc/bascule.toml";
  std::string working_file = "./bascule.toml";
};

struct ConfigEntry {
  std::string key;
  std::string value;   // as it would be written in a variable
  std::string origin;  // "default", "/etc/bascule.toml:3:1", "BASCULE_BACKENDS", "setting"
};

struct ConfigFile {
  std::string path;
  bool found = false;
};

// An option for one backend, as configured.
struct BackendOption {
  std::string name;
  std::string value;
  std::string origin;
};

class Config {
 public:
  // INVALID_CONFIG with file, line and column (or the variable's or setting's name) and the nearest valid key or value.
  static Result<Config> load(const ConfigSources& sources, const Environment& environment);

  // Names in order; empty: auto.
  const std::vector<std::string>& backends() const { return backends_; }
  bool automatic() const { return backends_.empty(); }
  const std::string& device_text() const { return text_of("device"); }
  const Selector& device() const { return device_; }
  const std::vector<std::string>& plugin_path() const { return plugin_path_; }
  LogLevel log_level() const { return log_level_; }
  const std::string& cache_directory() const { return cache_directory_; }  // "": keep nothing on disk
  bool cache_enabled() const { return cache_enabled_; }
  std::chrono::nanoseconds probe_timeout() const { return probe_timeout_; }

  const std::string& backend_driver(std::string_view backend) const;           // "": the plugin's own list
  std::vector<BackendOption> backend_options(std::string_view backend) const;  // without "driver"
  // Every backend for which something is configured, with the origin of one such value.
  std::vector<std::pair<std::string, std::string>> configured_backends() const;
  const std::string& kernel_variant(std::string_view kernel) const;  // "": choose

  // Where a key's value comes from; "default" where nothing sets it.
  const std::string& origin(std::string_view key) const;

  // All keys for `config --show`: those of the table first, then backends' options and kernels' variants.
  std::vector<ConfigEntry> entries() const;
  // The files looked for, in order.
  const std::vector<ConfigFile>& files() const { return files_; }
  // "$XDG_DATA_HOME/bascule/plugins"; "" for a privileged process or where there is no home.
  const std::string& user_plugin_directory() const { return user_plugin_directory_; }
  bool privileged() const { return privileged_; }

 private:
  friend class ConfigReader;
  struct Value {
    std::string text;
    std::string origin;
  };
  const std::string& text_of(std::string_view key) const;

  std::map<std::string, Value, std::less<>> values_;
  std::vector<std::string> backends_;
  Selector device_;
  std::vector<std::string> plugin_path_;
  LogLevel log_level_ = LogLevel::kWarning;
  std::string cache_directory_;
  bool cache_enabled_ = true;
  std::chrono::nanoseconds probe_timeout_ = std::chrono::seconds(5);
  std::vector<ConfigFile> files_;
  std::string user_plugin_directory_;
  bool privileged_ = false;
};

}  // namespace bascule::core
