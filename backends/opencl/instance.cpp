// Opening OpenCL: library, platforms, devices, and why there are none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/instance.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>

#include "backends/common/options.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/opencl/plugin.hpp"

namespace bascule::opencl {
namespace {

using backend::fill_error;

std::atomic<bool> g_in_forked_child{false};

void watch_for_fork() {
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { g_in_forked_child.store(true); }); });
}

// What the loader has to choose from. Both common loaders read this directory unless a variable of their own names another.
std::string describe_vendor_directory() {
  const std::filesystem::path directory = "/etc/OpenCL/vendors";
  std::error_code failure;
  std::string files;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (entry->path().extension() != ".icd") continue;
    if (!files.empty()) files += ", ";
    files += entry->path().filename().string();
  }
  if (failure) return fmt::format("{} cannot be read ({})", directory.string(), failure.message());
  return fmt::format("{} holds {}", directory.string(), files.empty() ? "no .icd file" : files);
}

}  // namespace

bool forked_since_open() { return g_in_forked_child.load(std::memory_order_relaxed); }

bsc_status Instance::read_options(const bsc_plugin_open_info& open_info, bsc_plugin_error* error) {
  const backend::OptionReader reader("opencl", open_info);
  BSC_PLUGIN_RETURN_IF_ERROR(reader.string("platform", options.platform, error));
  std::string host_memory = "automatic";
  BSC_PLUGIN_RETURN_IF_ERROR(reader.choice("host_memory", {"automatic", "shared", "staged"}, host_memory, error));
  if (host_memory == "shared") options.host_memory = HostMemory::kShared;
  if (host_memory == "staged") options.host_memory = HostMemory::kStaged;
  return BSC_OK;
}

bsc_status Instance::find_platforms(std::vector<cl::PlatformId>& platforms, bsc_plugin_error* error) {
  cl::Uint count = 0;
  cl::Int code = driver.api.clGetPlatformIDs(0, nullptr, &count);
  if (code == cl::kPlatformNotFound || (code == cl::kSuccess && count == 0)) {
    return backend::fill_vendor_error(
        error, BSC_NO_DEVICE, "clGetPlatformIDs", {code, error_name(code)},
        "{} knows no OpenCL platform; {}. Install your device's OpenCL driver (Debian: pocl-opencl-icd for the CPU).",
        driver.library.path(), describe_vendor_directory());
  }
  BSC_PLUGIN_RETURN_IF_ERROR(Check(error, "cannot list the platforms")(code, "clGetPlatformIDs"));
  platforms.resize(count);
  BSC_VENDOR_RETURN_IF_ERROR(Check(error, "cannot list the platforms"), driver.api, clGetPlatformIDs, count, platforms.data(),
                             &count);
  platforms.resize(std::min<std::size_t>(count, platforms.size()));
  return BSC_OK;
}

void Instance::reject(std::string_view what, std::string_view reason, Rejections& rejections) const {
  services.log(BSC_LOG_INFO, "opencl: {} is not used: {}", what, reason);
  rejections.text += fmt::format("{}{}: {}", rejections.text.empty() ? "" : "; ", what, reason);
}

void Instance::reject(std::string_view what, const bsc_plugin_error& failure, Rejections& rejections) const {
  services.log(BSC_LOG_WARNING, "opencl: {} is not used: {}", what, failure.message);
  rejections.text += fmt::format("{}{}: {}", rejections.text.empty() ? "" : "; ", what, failure.message);
  if (rejections.first_failure.code == BSC_OK) rejections.first_failure = failure;
}

// One platform's or device's failure must not hide another's devices.
void Instance::find_devices(cl::PlatformId platform, const std::string& platform_name, Rejections& rejections) {
  cl::Uint count = 0;
  cl::Int code = driver.api.clGetDeviceIDs(platform, cl::kDeviceTypeAll, 0, nullptr, &count);
  std::vector<cl::DeviceId> ids(count);
  if (code == cl::kSuccess && count > 0) {
    code = driver.api.clGetDeviceIDs(platform, cl::kDeviceTypeAll, count, ids.data(), nullptr);
  }
  if (code == cl::kDeviceNotFound || (code == cl::kSuccess && count == 0)) {
    reject(platform_name, "it has no device", rejections);
    return;
  }
  bsc_plugin_error failure = {};
  failure.header = {sizeof failure, BSC_STRUCT_ERROR, nullptr};
  if (Check(&failure)(code, "clGetDeviceIDs") != BSC_OK) {
    reject(platform_name, failure, rejections);
    return;
  }
  for (const cl::DeviceId id : ids) try_device(platform, platform_name, id, rejections);
}

void Instance::try_device(cl::PlatformId platform, const std::string& platform_name, cl::DeviceId id,
                          Rejections& rejections) {
  bsc_plugin_error failure = {};
  failure.header = {sizeof failure, BSC_STRUCT_ERROR, nullptr};
  DeviceProperties properties;
  std::string unusable;
  const bsc_status read = read_properties(driver.api, platform, id, properties, unusable, &failure);
  const std::string what = fmt::format("{} ({})", properties.name.empty() ? "a device" : properties.name, platform_name);
  if (read != BSC_OK) return reject(what, failure, rejections);
  if (!unusable.empty()) return reject(what, unusable, rejections);
  auto device = std::make_unique<Device>(*this, id, std::move(properties));
  if (device->create_context(&failure) != BSC_OK) return reject(what, failure, rejections);
  devices.push_back(std::move(device));
}

bsc_status Instance::open(const bsc_plugin_open_info& open_info, bsc_plugin_error* error) {
  services = backend::HostServices(open_info.services);
  BSC_PLUGIN_RETURN_IF_ERROR(read_options(open_info, error));
  if (forked_since_open()) {
    return fill_error(error, BSC_FORKED, "instance.open",
                      "this process is a fork of one that has used OpenCL; open Bascule in the child before the parent does, "
                      "or start a new program");
  }
  BSC_PLUGIN_RETURN_IF_ERROR(driver.open(open_info.driver_path != nullptr ? open_info.driver_path : "", error));
  services.log(BSC_LOG_DEBUG, "opencl: opened {}", driver.library.path());
  watch_for_fork();

  std::vector<cl::PlatformId> platforms;
  BSC_PLUGIN_RETURN_IF_ERROR(find_platforms(platforms, error));
  Rejections rejections;
  std::vector<std::string> names;
  for (const cl::PlatformId platform : platforms) {
    const std::string name = read_text(driver.api, platform, cl::kPlatformName);
    names.push_back(name);
    if (name.find(options.platform) == std::string::npos) continue;
    find_devices(platform, name, rejections);
  }
  if (!devices.empty()) return BSC_OK;
  const bsc_plugin_error& failure = rejections.first_failure;
  if (failure.code != BSC_OK) {
    return backend::fill_vendor_error(error, BSC_BROKEN, failure.call, {failure.vendor_code, failure.vendor_name},
                                      "{} has no usable device: {}", driver.library.path(), rejections.text);
  }
  if (rejections.text.empty()) {
    return fill_error(error, BSC_NO_DEVICE, "instance.open", "no platform's name contains backend.opencl.platform = \"{}\"; there are: {}",
                      options.platform, fmt::join(names, ", "));
  }
  return fill_error(error, BSC_NO_DEVICE, "instance.open", "{} has no usable device: {}", driver.library.path(), rejections.text);
}

bsc_status instance_open(const bsc_plugin_open_info* open_info, bsc_plugin_instance* out_instance, bsc_plugin_error* error) {
  return backend::guarded(error, "instance.open", [&]() -> bsc_status {
    if (open_info == nullptr || out_instance == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "instance.open", "open_info and out_instance must not be null");
    }
    auto instance = std::make_unique<Instance>(plugin_api());
    BSC_PLUGIN_RETURN_IF_ERROR(instance->open(backend::read_struct(open_info), error));
    *out_instance = instance.release();
    return BSC_OK;
  });
}

bsc_status instance_close(bsc_plugin_instance handle, bsc_plugin_error* error) {
  return backend::guarded(error, "instance.close", [&]() -> bsc_status {
    auto* const instance = backend::object_cast<Instance>(handle, plugin_api());
    if (instance == nullptr) return backend::fill_handle_error(error, "instance.close", handle, BSC_OBJECT_INSTANCE);
    // A forked child has the driver's memory but not its threads: waiting would hang, releasing may too.
    if (forked_since_open()) return fill_error(error, BSC_FORKED, "instance.close", "opened before a fork; left to the parent");
    const std::unique_ptr<Instance> owner(instance);
    return BSC_OK;
  });
}

bsc_status instance_enumerate(bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out_devices,
                              std::uint64_t* out_count, bsc_plugin_error* error) {
  auto* const instance = backend::object_cast<Instance>(handle, plugin_api());
  if (instance == nullptr) return backend::fill_handle_error(error, "instance.enumerate", handle, BSC_OBJECT_INSTANCE);
  if (out_count == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "instance.enumerate", "out_count must not be null");
  }
  *out_count = instance->devices.size();
  if (out_devices == nullptr) return BSC_OK;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(capacity, instance->devices.size()); ++i) {
    out_devices[i] = instance->devices[i].get();
  }
  return BSC_OK;
}

}  // namespace bascule::opencl
