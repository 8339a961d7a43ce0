// An opened plugin as the rest of the runtime calls it: complete tables (what the plugin lacks answers UNSUPPORTED),
// and the conversion of plugin errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bascule/plugin.h"
#include "core/base/error.hpp"

namespace bascule::core {

// The plugin's tables by value. Entries that it left out or does not know are functions that answer BSC_UNSUPPORTED, so
// no caller tests for NULL; the flags say where the host must do the work itself.
struct PluginTables {
  explicit PluginTables(const bsc_plugin_api& api);

  bsc_plugin_instance_table instance;
  bsc_plugin_device_table device;
  bsc_plugin_memory_table memory;
  bsc_plugin_queue_table queue;
  bsc_plugin_event_table event;
  bsc_plugin_module_table module;
  bsc_plugin_graph_table graph;
  bsc_plugin_profile_table profile;
  bool has_memory_state = false;
  bool has_completed = false;
  bool has_graph = false;
  bool has_times = false;
};

// Space for a plugin's error, not cleared beyond what a reader could see.
class PluginError {
 public:
  PluginError() {
    raw_.header = {sizeof raw_, BSC_STRUCT_ERROR, nullptr};
    raw_.code = BSC_OK;
    raw_.retryable = 0;
    raw_.vendor_code = 0;
    raw_.last_completed = 0;
    raw_.first_incomplete = 0;
    raw_.vendor_name[0] = raw_.call[0] = raw_.message[0] = '\0';
  }
  bsc_plugin_error* raw() { return &raw_; }
  // `what` says what was attempted; it stands before the plugin's message.
  Error take(bsc_status status, std::string_view backend, std::string_view what) const;

 private:
  bsc_plugin_error raw_;
};

class Backend {
 public:
  // `instance` is an opened instance of the plugin, closed with this object; `devices` are those of it that count.
  Backend(std::string name, const bsc_plugin_api& api, bsc_plugin_instance instance,
          std::vector<bsc_plugin_device> devices)
      : name_(std::move(name)), tables_(api), instance_(instance), devices_(std::move(devices)) {}
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend();

  const std::string& name() const { return name_; }
  const PluginTables& tables() const { return tables_; }
  const std::vector<bsc_plugin_device>& devices() const { return devices_; }

 private:
  std::string name_;
  PluginTables tables_;
  bsc_plugin_instance instance_;
  std::vector<bsc_plugin_device> devices_;
};

}  // namespace bascule::core
