// Opening and closing the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/instance.hpp"

#include <string>

#include "backends/common/options.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {

using backend::fill_error;

Instance::Instance(const backend::HostServices& host_services, const ExecutorOptions& options)
    : Object(plugin_api()), services(host_services), executor(options), device(*this) {}

bsc_status instance_open(const bsc_plugin_open_info* info, bsc_plugin_instance* out_instance, bsc_plugin_error* error) {
  return backend::guarded(error, "instance.open", [&]() -> bsc_status {
    if (info == nullptr || out_instance == nullptr) {
      return fill_error(error, BSC_INVALID_ARGUMENT, "instance.open", "open_info and out_instance must not be null");
    }
    const bsc_plugin_open_info given = backend::read_struct(info);
    if (given.driver_path != nullptr && *given.driver_path != '\0') {
      return fill_error(error, BSC_INVALID_CONFIG, "instance.open",
                        "the cpu backend uses no driver library; remove `driver = \"{}\"` from [backend.cpu]",
                        given.driver_path);
    }
    const backend::OptionReader reader("cpu", given);
    std::int64_t threads = 0, spin_us = 25;
    BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("threads", 0, 1024, threads, error));
    BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("spin_us", 0, 10000, spin_us, error));
    auto instance = std::make_unique<Instance>(
        backend::HostServices(given.services),
        ExecutorOptions{.compute_units = static_cast<std::uint32_t>(threads), .spin = std::chrono::microseconds{spin_us}});
    instance->services.log(BSC_LOG_DEBUG, "cpu: {} ({}), {} compute units", instance->device.processor.name,
                           instance->device.processor.architecture, instance->executor.compute_units());
    *out_instance = instance.release();
    return BSC_OK;
  });
}

bsc_status instance_close(bsc_plugin_instance handle, bsc_plugin_error* error) {
  return backend::guarded(error, "instance.close", [&]() -> bsc_status {
    auto* const instance = backend::object_cast<Instance>(handle, plugin_api());
    if (instance == nullptr) return backend::fill_handle_error(error, "instance.close", handle, BSC_OBJECT_INSTANCE);
    // In a forked child the threads to join are gone, and their locks may be held for ever: it is the parent's to close.
    if (instance->executor.forked()) return BSC_OK;
    BSC_PLUGIN_RETURN_IF_ERROR(instance->device.close_queues(error));
    delete instance;
    return BSC_OK;
  });
}

bsc_status instance_enumerate(bsc_plugin_instance handle, uint64_t capacity, bsc_plugin_device* out_devices,
                              uint64_t* out_count, bsc_plugin_error* error) {
  auto* const instance = backend::object_cast<Instance>(handle, plugin_api());
  if (instance == nullptr) return backend::fill_handle_error(error, "instance.enumerate", handle, BSC_OBJECT_INSTANCE);
  if (out_count == nullptr) {
    return fill_error(error, BSC_INVALID_ARGUMENT, "instance.enumerate", "out_count must not be null");
  }
  *out_count = 1;
  if (out_devices != nullptr && capacity != 0) *out_devices = &instance->device;
  return BSC_OK;
}

}  // namespace bascule::cpu
