// Opening a driver: library, options, devices, and why there are none.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/instance.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "backends/common/options.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/common/gpu/plugin.hpp"

namespace bascule::gpu {
namespace {

using backend::fill_error;

// The process in which the driver was first initialised; a child of it cannot do that again.
std::atomic<pid_t> g_process{0};

constexpr const char* kForkRemedy =
    "a driver does not survive a fork. Fork before the driver is used, or start a new program";

}  // namespace

void PinnedRanges::add(const void* pointer, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ranges_[reinterpret_cast<std::uintptr_t>(pointer)] = bytes;
}

void PinnedRanges::remove(const void* pointer) {
  const std::lock_guard lock(mutex_);
  ranges_.erase(reinterpret_cast<std::uintptr_t>(pointer));
}

bool PinnedRanges::contain(const void* pointer, std::uint64_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const std::lock_guard lock(mutex_);
  auto range = ranges_.upper_bound(at);
  if (range == ranges_.begin()) return false;
  --range;
  const std::uint64_t offset = at - range->first;
  return offset <= range->second && bytes <= range->second - offset;
}

bool Instance::is_forked() const { return process_ != getpid(); }

bsc_status Instance::check_process(std::string_view call, bsc_plugin_error* error) const {
  if (!is_forked()) return BSC_OK;
  return fill_error(error, BSC_FORKED, call, "the {} was opened in process {} and this is its child {}: {}",
                    vendor().driver_name, process_, getpid(), kForkRemedy);
}

bsc_status Instance::read_options(const bsc_plugin_open_info& open_info, bsc_plugin_error* error) {
  const backend::OptionReader reader(vendor().backend, open_info);
  BSC_PLUGIN_RETURN_IF_ERROR(reader.boolean("pool", options.pool, error));
  auto kept = static_cast<std::int64_t>(options.pool_bytes);
  BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("pool_keep", 0, std::int64_t{1} << 62, kept, error));
  options.pool_bytes = static_cast<std::uint64_t>(kept);
  return BSC_OK;
}

bsc_status Instance::no_device(CallResult result, bsc_plugin_error* error) const {
  if (result.code != 0) return fill_open_error(driver, error, result);
  if (const std::string file = forbidden_file(vendor().device_files); !file.empty()) {
    return fill_error(error, BSC_NO_PERMISSION, result.call, "{} finds no device, and {} may not be opened by this user. {}{}",
                      driver.library.path(), file, vendor().permission_remedy, describe_visibility());
  }
  return fill_error(error, BSC_NO_DEVICE, result.call, "{} works and finds no device.{}", driver.library.path(),
                    describe_visibility());
}

bsc_status Instance::find_devices(bsc_plugin_error* error) {
  const Api& api = driver.api;
  int count = 0;
  const CallResult counted = {api.device_count(&count), api.device_count.name};
  if (counted.code != 0 || count <= 0) return no_device(counted, error);
  std::string rejected;
  CallResult first_failure;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceProperties properties;
    const CallResult read =
        vendor().read_properties(api, ordinal, driver.version, !driver.emulated_gpu.empty(), properties);
    if (read.code == 0) {
      devices.push_back(std::make_unique<Device>(*this, std::move(properties)));
      continue;
    }
    // One unusable device must not hide the others.
    const std::string reason = fmt::format("device {}: {} failed with {}", ordinal, read.call, result_name(read.code));
    services.log(BSC_LOG_WARNING, "{}: {}; it is not used", vendor().backend, reason);
    rejected += (rejected.empty() ? "" : "; ") + reason;
    if (first_failure.code == 0) first_failure = read;
  }
  if (!devices.empty()) return BSC_OK;
  return backend::fill_vendor_error(error, BSC_BROKEN, first_failure.call,
                                    {first_failure.code, result_name(first_failure.code)}, "{} has no usable device: {}. {}",
                                    driver.library.path(), rejected, vendor().update_remedy);
}

bsc_status Instance::open(const bsc_plugin_open_info& open_info, bsc_plugin_error* error) {
  services = backend::HostServices(open_info.services);
  BSC_PLUGIN_RETURN_IF_ERROR(read_options(open_info, error));
  process_ = getpid();
  pid_t first = 0;
  if (!g_process.compare_exchange_strong(first, process_) && first != process_) {
    return fill_error(error, BSC_FORKED, "instance.open", "process {}, of which this is a child, has used the {}: {}", first,
                      vendor().driver_name, kForkRemedy);
  }
  BSC_PLUGIN_RETURN_IF_ERROR(driver.open(open_info.driver_path != nullptr ? open_info.driver_path : "", error));
  driver_version = driver.version_text();
  driver_text = driver.emulated_gpu.empty() ? fmt::format("{} {}", vendor().driver_name, driver_version)
                                            : fmt::format("emulated {} {}", vendor().driver_name, driver_version);
  services.log(BSC_LOG_DEBUG, "{}: opened {}, {}.{}", vendor().backend, driver.library.path(), driver_text,
               describe_visibility());
  if (const std::string others = driver.emulated_gpu.empty() ? other_libraries(driver.library.path()) : ""; !others.empty()) {
    services.log(BSC_LOG_WARNING,
                 "{}: {} is used, and another version is installed: {}. Programs that mix them fail in strange ways; set "
                 "backend.{}.driver to the one that is wanted",
                 vendor().backend, driver.library.path(), others, vendor().backend);
  }
  return find_devices(error);
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
    BSC_PLUGIN_RETURN_IF_ERROR(instance->check_process("instance.close", error));
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

}  // namespace bascule::gpu
