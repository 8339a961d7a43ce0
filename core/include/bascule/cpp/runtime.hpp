/* Opening a runtime. Include <bascule/bascule.hpp>.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASCULE_CPP_RUNTIME_HPP
#define BASCULE_CPP_RUNTIME_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device.hpp"

namespace bascule {
inline namespace BASCULE_ERROR_FORM {

/// How to open a runtime. All of it may be left out. (The empty braces spare C++20 callers who name some members a
/// warning about the others.)
struct Options {
  std::string app{};  ///< the application's name, for logs
  std::vector<PackageData> packages{};
  std::string config_text{};                                    ///< TOML, read after the files and before the environment
  std::string config_file{};                                    ///< read instead of BASCULE_CONFIG's
  std::vector<std::pair<std::string, std::string>> settings{};  ///< key and value; override everything else
  bsc_log_sink log_sink = nullptr;                            ///< null: stderr
  void* log_user = nullptr;
  bool ignore_files = false;            ///< read neither system, user nor BASCULE_CONFIG file
  bool ignore_environment = false;      ///< read no BASCULE_* variable
  bool read_working_directory = false;  ///< also ./bascule.toml
};

struct BackendInfo {
  std::string name;
  bsc_status state = BSC_OK;  ///< BSC_OK: usable
  std::string reason, remedy, path, version, driver_path;
  std::uint64_t device_count = 0;
  bool selected = false;
};

struct ConfigValue {
  std::string key, value, origin;
};

namespace internal {

/// The C form of Options, and what it points to.
class RawOptions {
 public:
  explicit RawOptions(const Options& options) {
    for (const auto& [key, value] : options.settings) settings_.push_back({key.c_str(), value.c_str()});
    raw_.application = text(options.app);
    raw_.config_text = text(options.config_text);
    raw_.config_file = text(options.config_file);
    raw_.setting_count = settings_.size();
    raw_.settings = settings_.data();
    raw_.log_sink = options.log_sink;
    raw_.log_user = options.log_user;
    raw_.ignore_files = options.ignore_files;
    raw_.ignore_environment = options.ignore_environment;
    raw_.read_working_directory = options.read_working_directory;
  }
  const bsc_instance_options* get() const noexcept { return &raw_; }

 private:
  static const char* text(const std::string& value) { return value.empty() ? nullptr : value.c_str(); }
  std::vector<bsc_setting> settings_;
  bsc_instance_options raw_ = BSC_INSTANCE_OPTIONS_INIT;
};

}  // namespace internal

/// The opened backends and their devices. Several may exist at a time.
class Runtime {
 public:
  Runtime() = default;

  /// Reads the configuration, opens the configured backends, loads the packages. Blocks: opens drivers.
  /// Errors: INVALID_CONFIG, the state of a backend that is required, NO_BACKEND with a line per backend tried,
  /// INVALID_PACKAGE.
  static Outcome<Runtime> open(const Options& options = {}) {
    const internal::RawOptions raw(options);
    bsc_instance* instance = nullptr;
    bsc_error* error = nullptr;
    bsc_status status = bsc_instance_create(raw.get(), &instance, &error);
    if (status != BSC_OK) return internal::fail<Runtime>(Error(status, error));
    auto state = std::make_shared<internal::RuntimeState>();
    state->instance = internal::InstanceHandle(instance);
    for (const PackageData& data : options.packages) {
      bsc_package* package = nullptr;
      status = bsc_package_load(instance, data.data, data.bytes, data.host_table, &package, &error);
      if (status != BSC_OK) return internal::fail<Runtime>(Error(status, error));
      state->packages.emplace_back(package);
    }
    return Runtime(std::move(state));
  }
  /// Takes over a C handle.
  static Runtime adopt(bsc_instance* instance) {
    auto state = std::make_shared<internal::RuntimeState>();
    state->instance = internal::InstanceHandle(instance);
    return Runtime(std::move(state));
  }

  /// What was chosen and why, one line.
  std::string selection() const { return bsc_instance_selection(get()); }
  /// The device that the configuration chose.
  Device device() const { return Device(state_, bsc_instance_default_device(get())); }
  /// By selector: "hip:0", "cpu", "uuid:...", "pci:...", "emulated:sm_90a". Errors list what there is.
  Outcome<Device> device(const std::string& selector) const {
    bsc_device* device = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_instance_find_device(get(), selector.c_str(), &device, &error);
    if (status != BSC_OK) return internal::fail<Device>(Error(status, error));
    return Device(state_, device);
  }
  /// Of all opened backends.
  std::vector<Device> devices() const {
    std::vector<Device> devices;
    while (bsc_device* device = bsc_instance_device(get(), devices.size())) devices.emplace_back(state_, device);
    return devices;
  }
  /// Every known backend, those of the configuration first.
  std::vector<BackendInfo> backends() const {
    std::vector<BackendInfo> result;
    bsc_backend_info info{};
    info.size = sizeof info;
    while (bsc_instance_backend(get(), result.size(), &info) == BSC_OK) {
      BackendInfo backend;
      backend.name = info.name;
      backend.state = info.state;
      backend.reason = info.reason;
      backend.remedy = info.remedy;
      backend.path = info.path;
      backend.version = info.version;
      backend.driver_path = info.driver_path;
      backend.device_count = info.device_count;
      backend.selected = info.selected != 0;
      result.push_back(std::move(backend));
    }
    return result;
  }
  /// Each configured value and where it comes from.
  std::vector<ConfigValue> config() const {
    std::vector<ConfigValue> values;
    const char *key = nullptr, *value = nullptr, *origin = nullptr;
    while (bsc_instance_config(get(), values.size(), &key, &value, &origin) == BSC_OK)
      values.push_back({key, value, origin});
    return values;
  }

  Outcome<Package> load_package(const PackageData& data) const {
    bsc_package* package = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_package_load(get(), data.data, data.bytes, data.host_table, &package, &error);
    if (status != BSC_OK) return internal::fail<Package>(Error(status, error));
    return Package(package);
  }
  Outcome<Package> load_package_file(const std::string& path) const {
    bsc_package* package = nullptr;
    bsc_error* error = nullptr;
    const bsc_status status = bsc_package_load_file(get(), path.c_str(), &package, &error);
    if (status != BSC_OK) return internal::fail<Package>(Error(status, error));
    return Package(package);
  }
  bsc_instance* get() const noexcept { return state_ ? state_->instance.get() : nullptr; }

 private:
  explicit Runtime(std::shared_ptr<const internal::RuntimeState> state) : state_(std::move(state)) {}
  std::shared_ptr<const internal::RuntimeState> state_;
};

/// JSON for tools, without opening a runtime: "doctor" (state of every known backend) or "cache".
inline Outcome<std::string> query(const std::string& what, const Options& options = {}) {
  const internal::RawOptions raw(options);
  char* json = nullptr;
  bsc_error* error = nullptr;
  const bsc_status status = bsc_query(raw.get(), what.c_str(), &json, &error);
  if (status != BSC_OK) return internal::fail<std::string>(Error(status, error));
  return internal::take_text(json);
}

/// Empties the JIT and verdict caches of the configuration; the number of entries removed.
inline Outcome<std::uint64_t> clear_caches(const Options& options = {}) {
  const internal::RawOptions raw(options);
  std::uint64_t removed = 0;
  bsc_error* error = nullptr;
  const bsc_status status = bsc_cache_clear(raw.get(), &removed, &error);
  if (status != BSC_OK) return internal::fail<std::uint64_t>(Error(status, error));
  return removed;
}

}  // namespace BASCULE_ERROR_FORM
}  // namespace bascule
#endif
