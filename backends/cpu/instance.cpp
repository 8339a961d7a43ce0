// Opening and closing the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/instance.hpp"

#include <string>

#include "backends/common/options.hpp"
#include "backends/common/struct_access.hpp"
#include "backends/cpu/plugin.hpp"

namespace bascule::cpu {

using backend::fill_error;

namespace {

bsc_status read_ptx_options(const backend::OptionReader& reader, bsc_simt_options& options, bsc_plugin_error* error) {
  constexpr std::chrono::nanoseconds kLongest = std::chrono::hours{24 * 365};
  bool sanitize = false, trace = false, statistics = false, keep_signals = false;
  std::int64_t seed = 0, resident_blocks = 0, stack_bytes = 0, heap_bytes = 0;
  std::chrono::nanoseconds watchdog{0};
  BSC_PLUGIN_RETURN_IF_ERROR(reader.boolean("sanitize", sanitize, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("seed", 0, INT64_MAX, seed, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.boolean("trace", trace, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.boolean("statistics", statistics, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.duration("watchdog", std::chrono::nanoseconds{0}, kLongest, watchdog, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("resident_blocks", 0, 1 << 20, resident_blocks, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("stack_bytes", 0, 1 << 23, stack_bytes, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.integer("heap_bytes", 0, std::int64_t{1} << 40, heap_bytes, error));
  BSC_PLUGIN_RETURN_IF_ERROR(reader.boolean("keep_signals", keep_signals, error));
  options = {};
  options.sanitize = sanitize ? 1 : 0;
  options.seed = static_cast<std::uint64_t>(seed);
  options.trace = trace ? 1 : 0;
  options.statistics = statistics ? 1 : 0;
  options.watchdog_ns = static_cast<std::uint64_t>(watchdog.count());
  options.resident_blocks = static_cast<std::uint32_t>(resident_blocks);
  options.stack_bytes = static_cast<std::uint64_t>(stack_bytes);
  options.heap_bytes = static_cast<std::uint64_t>(heap_bytes);
  options.keep_signals = keep_signals ? 1 : 0;
  return BSC_OK;
}

}  // namespace

Instance::Instance(const backend::HostServices& host_services, const ExecutorOptions& options, const bsc_simt_options& ptx)
    : Object(plugin_api()), services(host_services), executor(options), ptx_options(ptx), device(*this) {
  ptx_options.workers = executor.compute_units();
}

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
    bsc_simt_options ptx = {};
    BSC_PLUGIN_RETURN_IF_ERROR(read_ptx_options(reader, ptx, error));
    auto instance = std::make_unique<Instance>(
        backend::HostServices(given.services),
        ExecutorOptions{.compute_units = static_cast<std::uint32_t>(threads), .spin = std::chrono::microseconds{spin_us}}, ptx);
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
