// OpenedBackend: see opened_backend.hpp.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/loader/opened_backend.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/status.hpp"

namespace bascule::core {
namespace {

constexpr std::uint64_t kMostDevices = 4096;

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

template <std::size_t Bytes>
std::string bounded(const char (&text)[Bytes]) {
  return std::string(text, strnlen(text, Bytes));
}

// Calls an entry of the plugin and turns a failure into an Error whose status is a backend's state.
template <class Call>
Status call_plugin(const std::string& backend, const char* entry, Call&& call) {
  bsc_plugin_error raw{};
  raw.header = {sizeof raw, BSC_STRUCT_ERROR, nullptr};
  bsc_status status = BSC_INTERNAL;
  try {
    status = call(&raw);
  } catch (...) {
    return Error{BSC_BROKEN, "the plugin threw a C++ exception from " + std::string(entry),
                 "Report it to the plugin's author.", backend, entry};
  }
  if (status == BSC_OK) return {};
  Error error;
  error.status = is_backend_state(status) || status == BSC_INVALID_CONFIG ? status : BSC_BROKEN;
  error.message = bounded(raw.message);
  if (error.message.empty()) error.message = std::string(entry) + " failed without a message";
  if (error.status != status) error.message += " (" + std::string(status_name(status)) + ")";
  error.backend = backend;
  error.call = bounded(raw.call);
  if (error.call.empty()) error.call = entry;
  error.vendor_name = bounded(raw.vendor_name);
  error.vendor_code = raw.vendor_code;
  error.retryable = raw.retryable != 0;
  return error;
}

Error broken(const std::string& backend, const std::string& what) {
  return {BSC_BROKEN, "the plugin " + what, "Report it to the plugin's author.", backend, "instance.enumerate"};
}

}  // namespace

bool is_backend_state(bsc_status status) {
  return status == BSC_OK || (status >= BSC_PLUGIN_MISSING && status <= BSC_FORKED);
}

Result<std::unique_ptr<OpenedBackend>> OpenedBackend::open(Plugin plugin, const std::string& driver,
                                                           const std::vector<BackendOption>& options, const Log& log,
                                                           CacheStore* cache) {
  BSC_RETURN_IF_ERROR(check_options(plugin.name(), options, plugin.options()));
  std::unique_ptr<OpenedBackend> backend(new OpenedBackend(std::move(plugin)));
  backend->services_ = std::make_unique<HostServices>(backend->name(), log, cache);

  std::vector<bsc_plugin_option_value> values;
  for (const BackendOption& option : options) {
    // An empty value is an unset one.
    if (!option.value.empty()) values.push_back({option.name.c_str(), option.value.c_str()});
  }
  bsc_plugin_open_info info{};
  info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
  info.services = backend->services_->table();
  info.driver_path = driver.empty() ? nullptr : driver.c_str();
  info.option_count = values.size();
  info.option_stride = sizeof(bsc_plugin_option_value);
  info.options = values.data();

  bsc_plugin_instance instance = nullptr;
  BSC_RETURN_IF_ERROR(call_plugin(backend->name(), "instance.open", [&](bsc_plugin_error* error) {
    return backend->api().instance->open(&info, &instance, error);
  }));
  if (instance == nullptr) return broken(backend->name(), "opened no instance and reported no error");
  backend->instance_ = instance;
  BSC_RETURN_IF_ERROR(backend->find_devices());
  return backend;
}

OpenedBackend::~OpenedBackend() {
  if (instance_ == nullptr) return;
  // Nobody is left to tell about a failure; what the plugin could not free ends with the process.
  (void)call_plugin(name(), "instance.close",
                    [&](bsc_plugin_error* error) { return api().instance->close(instance_, error); });
}

Status OpenedBackend::find_devices() {
  const auto enumerate = [&](std::uint64_t capacity, bsc_plugin_device* out, std::uint64_t* count) {
    return call_plugin(name(), "instance.enumerate", [&](bsc_plugin_error* error) {
      return api().instance->enumerate(instance_, capacity, out, count, error);
    });
  };
  std::uint64_t count = 0;
  BSC_RETURN_IF_ERROR(enumerate(0, nullptr, &count));
  if (count > kMostDevices) return broken(name(), "reports " + std::to_string(count) + " devices");
  devices_.assign(count, nullptr);
  if (count != 0) BSC_RETURN_IF_ERROR(enumerate(devices_.size(), devices_.data(), &count));
  devices_.resize(std::min<std::uint64_t>(count, devices_.size()));  // one may have gone in between
  if (devices_.empty()) {
    return Error{BSC_NO_DEVICE, "the driver works, but no device is visible",
                 "Check the device's connection and the "
                 "variables that hide devices from a process.",
                 name(), "instance.enumerate"};
  }
  for (const bsc_plugin_device device : devices_) {
    if (device == nullptr || device->magic != BSC_OBJECT_MAGIC || device->kind != BSC_OBJECT_DEVICE) {
      return broken(name(), "gave a handle that is no device");
    }
    bsc_plugin_device_info info{};
    info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
    BSC_RETURN_IF_ERROR(call_plugin(name(), "device.info",
                                    [&](bsc_plugin_error* error) { return api().device->info(device, &info, error); }));
    summaries_.push_back({text_or_empty(info.name), text_or_empty(info.type), text_or_empty(info.architecture),
                          text_or_empty(info.driver), text_or_empty(info.driver_version),
                          text_or_empty(info.driver_path), text_or_empty(info.uuid), text_or_empty(info.pci),
                          info.emulated != 0});
  }
  return {};
}

void OpenedBackend::keep_device_types(const std::vector<std::string>& types) {
  if (types.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (std::find(types.begin(), types.end(), summaries_[i].type) == types.end()) continue;
    if (kept != i) {
      devices_[kept] = devices_[i];
      summaries_[kept] = std::move(summaries_[i]);
    }
    ++kept;
  }
  devices_.resize(kept);
  summaries_.resize(kept);
}

}  // namespace bascule::core
