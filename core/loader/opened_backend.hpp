// OpenedBackend: a plugin's open instance with its devices. What the runtime is built on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/loader/host_services.hpp"
#include "core/loader/plugin.hpp"

namespace bascule::core {

// What is told about a device without the plugin's structs; also what a probe reports.
struct DeviceSummary {
  std::string name, type, architecture, driver, driver_version, driver_path, uuid, pci;
  bool emulated = false;
};

class OpenedBackend {
 public:
  // Checks the options, opens an instance and asks for its devices. INVALID_CONFIG for a wrong option; otherwise the
  // error's status is the backend's state (NO_DEVICE where there is none, BROKEN for what a plugin may not answer).
  // `driver`: path of the vendor's library, "" for the plugin's own list. log and cache must outlive the result.
  static Result<std::unique_ptr<OpenedBackend>> open(Plugin plugin, const std::string& driver,
                                                     const std::vector<BackendOption>& options, const Log& log,
                                                     CacheStore* cache);
  ~OpenedBackend();  // closes the instance, unless it was taken
  OpenedBackend(const OpenedBackend&) = delete;
  OpenedBackend& operator=(const OpenedBackend&) = delete;

  const std::string& name() const { return plugin_.name(); }
  const Plugin& plugin() const { return plugin_; }
  const bsc_plugin_api& api() const { return plugin_.api(); }
  bsc_plugin_instance instance() const { return instance_; }
  // For a caller that closes the instance itself; this object must still outlive it (it holds the host's services).
  bsc_plugin_instance take_instance() { return std::exchange(instance_, nullptr); }

  // In the plugin's order; never empty. The handles belong to the instance.
  const std::vector<bsc_plugin_device>& devices() const { return devices_; }
  const std::vector<DeviceSummary>& summaries() const { return summaries_; }  // parallel to devices()
  // Leaves only devices of the given types, for the rule that auto takes no CPU through OpenCL.
  void keep_device_types(const std::vector<std::string>& types);

 private:
  explicit OpenedBackend(Plugin plugin) : plugin_(std::move(plugin)) {}
  Status find_devices();

  Plugin plugin_;
  std::unique_ptr<HostServices> services_;
  bsc_plugin_instance instance_ = nullptr;
  std::vector<bsc_plugin_device> devices_;
  std::vector<DeviceSummary> summaries_;
};

// Whether a status is one of the states that a backend can be in.
bool is_backend_state(bsc_status status);

}  // namespace bascule::core
