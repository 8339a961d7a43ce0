// Verdict: see verdict.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/verdict.hpp"

#include "core/base/json_writer.hpp"
#include "core/base/status.hpp"
#include "core/base/text.hpp"
#include "core/loader/json.hpp"
#include "core/loader/known_backends.hpp"

namespace bascule::core {

std::string Verdict::driver_path() const {
  for (const DeviceSummary& device : devices) {
    if (!device.driver_path.empty()) return device.driver_path;
  }
  return "";
}

std::string default_remedy(const std::string& backend, bsc_status state) {
  const KnownBackend* known = find_known_backend(backend);
  const std::string driver = known == nullptr ? "" : known->driver;
  const std::string package = known == nullptr ? "" : known->package;
  switch (state) {
    case BSC_OK:
      return "";
    case BSC_PLUGIN_MISSING:
      return (package.empty() ? "Install the backend's plugin" : "Install the package " + package) +
             ", or name the plugin's directory in BASCULE_PLUGIN_PATH.";
    case BSC_DRIVER_MISSING:
      return driver.empty() ? "Install the vendor's driver." : driver;
    case BSC_STUB:
      return "Take the stub's directory out of the library search path. " + driver;
    case BSC_TOO_OLD:
      return "Install a newer driver. " + driver;
    case BSC_NO_DEVICE:
      return driver.empty() ? "Check that the device is visible to this process." : driver;
    case BSC_NO_PERMISSION:
      return "Give this user access to the device's files (groups render and video), then log in again.";
    case BSC_ABI_MISMATCH:
      return "Install plugin and library of one version.";
    case BSC_CRASHED:
      return "Repair or remove the driver, or leave this backend out of `backends`.";
    case BSC_PROBE_TIMED_OUT:
      return "Repair or remove the driver, or allow more time with BASCULE_PROBE_TIMEOUT.";
    case BSC_FORKED:
      return "Open the backend in the process that uses it, not before fork.";
    default:
      return "Install the plugin and its driver again.";
  }
}

Verdict verdict_of(const OpenedBackend& backend) {
  Verdict verdict;
  verdict.state = BSC_OK;
  verdict.plugin_path = backend.plugin().path();
  verdict.version = backend.plugin().version();
  verdict.build = backend.plugin().build();
  verdict.devices = backend.summaries();
  verdict.options = backend.plugin().options();
  return verdict;
}

Verdict verdict_of(const std::string& backend, const Error& error) {
  Verdict verdict;
  verdict.state = error.status;
  verdict.reason = error.message;
  verdict.remedy = error.remedy;
  // A plugin's error has no place for a remedy: of a missing driver it is what follows the first line.
  if (const std::size_t end = error.message.find('\n'); error.status == BSC_DRIVER_MISSING && error.remedy.empty() && end != std::string::npos) {
    verdict.reason = error.message.substr(0, end);
    verdict.remedy = error.message.substr(end + 1);
  }
  if (verdict.remedy.empty()) verdict.remedy = default_remedy(backend, error.status);
  verdict.call = error.call;
  verdict.vendor_name = error.vendor_name;
  verdict.vendor_code = error.vendor_code;
  return verdict;
}

void write_devices(JsonWriter& json, const std::vector<DeviceSummary>& devices) {
  json.key("devices").begin_array();
  for (const DeviceSummary& device : devices) {
    json.begin_object()
        .member("name", device.name)
        .member("type", device.type)
        .member("architecture", device.architecture);
    json.member("driver", device.driver).member("driver_version", device.driver_version);
    json.member("driver_path", device.driver_path).member("uuid", device.uuid).member("pci", device.pci);
    json.member("emulated", device.emulated).end_object();
  }
  json.end_array();
}

void write_options(JsonWriter& json, const std::vector<OptionDescription>& options) {
  json.key("options").begin_array();
  for (const OptionDescription& option : options) {
    json.begin_object().member("name", option.name).member("type", option.type);
    json.member("default", option.default_value).member("description", option.description).end_object();
  }
  json.end_array();
}

std::string verdict_to_json(const Verdict& verdict) {
  JsonWriter json(0);
  json.begin_object().member("state", status_name(verdict.state)).member("reason", verdict.reason);
  json.member("remedy", verdict.remedy).member("call", verdict.call).member("vendor_name", verdict.vendor_name);
  json.member("vendor_code", verdict.vendor_code).member("plugin_path", verdict.plugin_path);
  json.member("version", verdict.version).member("build", verdict.build);
  write_devices(json, verdict.devices);
  write_options(json, verdict.options);
  json.end_object();
  return json.take();
}

Result<Verdict> verdict_from_json(std::string_view text) {
  auto json = JsonObject::parse(text, "verdict");
  if (!json.ok()) return json.take_error();
  Verdict verdict;
  const std::string state = json->text("state");
  const bool known = status_from_name(state, &verdict.state);
  if (!known || !(is_backend_state(verdict.state) || verdict.state == BSC_INVALID_CONFIG)) {
    json->fail(quoted(state) + " is no backend's state");
  }
  verdict.reason = json->text("reason");
  verdict.remedy = json->text("remedy");
  verdict.call = json->text("call");
  verdict.vendor_name = json->text("vendor_name");
  verdict.vendor_code = json->integer("vendor_code");
  verdict.plugin_path = json->text("plugin_path");
  verdict.version = json->text("version");
  verdict.build = json->text("build");
  for (JsonObject& item : json->objects_or_none("devices")) {
    DeviceSummary device;
    device.name = item.text("name");
    device.type = item.text("type");
    device.architecture = item.text("architecture");
    device.driver = item.text("driver");
    device.driver_version = item.text("driver_version");
    device.driver_path = item.text("driver_path");
    device.uuid = item.text("uuid");
    device.pci = item.text("pci");
    device.emulated = item.boolean_or("emulated", false);
    BSC_RETURN_IF_ERROR(item.finish());
    verdict.devices.push_back(std::move(device));
  }
  for (JsonObject& item : json->objects_or_none("options")) {
    verdict.options.push_back({item.text("name"), item.text("type"), item.text("default"), item.text("description")});
    BSC_RETURN_IF_ERROR(item.finish());
  }
  BSC_RETURN_IF_ERROR(json->finish());
  return verdict;
}

}  // namespace bascule::core
