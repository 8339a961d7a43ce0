// Plugin: a loaded plugin whose ABI, name, tables and options have been checked. No vendor library is open yet.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bascule/plugin.h"
#include "core/base/error.hpp"
#include "core/config/config.hpp"
#include "core/loader/manifest.hpp"

namespace bascule::core {

struct OptionDescription {
  std::string name;
  std::string type;  // "integer", "boolean", "string", "duration"
  std::string default_value;
  std::string description;
};

class Plugin {
 public:
  // Checks, in this order: the manifest's ABI range; the file's ELF header; that it loads with all symbols resolved;
  // the exported symbol; the plugin's own ABI version, before anything else of it is used; its name; that every
  // required entry is there. The error's status is the backend's state: ABI_MISMATCH or BROKEN.
  static Result<Plugin> load(const Manifest& manifest);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& build() const { return build_; }
  const std::string& path() const { return path_; }  // links resolved
  const std::vector<OptionDescription>& options() const { return options_; }

  // Every table is there and every required entry in it is not NULL. Optional entries may be; tables may be shorter
  // than ours. Valid for the process's life.
  const bsc_plugin_api& api() const { return *api_; }

 private:
  Plugin() = default;
  std::string name_, version_, build_, path_;
  std::vector<OptionDescription> options_;
  const bsc_plugin_api* api_ = nullptr;
};

// INVALID_CONFIG naming the origin and the nearest valid name, or the valid form of the option's type. Whether a number
// is in range is for the plugin to say.
Status check_options(const std::string& backend, std::span<const BackendOption> options,
                     std::span<const OptionDescription> declared);

}  // namespace bascule::core
