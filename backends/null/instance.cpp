// Opening, closing and enumerating.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <utility>

#include "backends/common/struct_access.hpp"
#include "backends/null/entries.hpp"
#include "backends/null/failure.hpp"
#include "backends/null/objects.hpp"
#include "backends/null/teardown.hpp"

namespace bascule::null_backend {
namespace {

// Faults of `open` that are not about options.
void break_open_rule(const bsc_plugin_open_info& info) {
  switch (active_fault.load()) {
    case Fault::open_blocks_signals: {
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGUSR1);
      pthread_sigmask(SIG_BLOCK, &set, nullptr);
      break;
    }
    case Fault::open_changes_rounding: std::fesetround(FE_UPWARD); break;
    case Fault::open_log_context_missing:
      if (info.services != nullptr && info.services->log != nullptr) {
        info.services->log(nullptr, BSC_LOG_INFO, "null: opened");
      }
      break;
    case Fault::open_prints:
      std::puts("null: opened");
      std::fflush(stdout);
      break;
    default: break;
  }
}

}  // namespace

bsc_status open_instance(const bsc_plugin_open_info* open_info, bsc_plugin_instance* out_instance,
                         bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "instance.open", [&]() -> bsc_status {
    bsc_plugin_open_info info = backend::read_struct(open_info);
    if (has_fault(Fault::open_ignores_option_stride)) info.option_stride = sizeof(bsc_plugin_option_value);
    if (has_fault(Fault::open_reads_unknown_fields) && open_info->header.size > sizeof *open_info) {
      return refuse(error, BSC_INVALID_ARGUMENT, Entry::instance_open, "the open info has {} bytes, {} are known",
                    open_info->header.size, sizeof *open_info);
    }
    auto instance = std::make_unique<Instance>();
    instance->services = backend::HostServices(info.services);
    BSC_PLUGIN_RETURN_IF_ERROR(read_options(info, instance->options, error));
    const Options& options = instance->options;
    active_fault.store(options.fault);
    instance->instrumented = options.fault != Fault::none || !options.failures.empty() ||
                             options.submit_delay.count() != 0 || options.execute_delay.count() != 0;
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(*instance, nullptr, Entry::instance_open, error));
    for (std::int64_t i = 0; i < options.devices; ++i) {
      instance->devices.push_back(std::make_unique<Device>(*instance, static_cast<std::uint64_t>(i)));
    }
    instance->services.log(BSC_LOG_DEBUG, "null: opened {} device(s)", options.devices);
    break_open_rule(info);
    *out_instance = instance.release();
    return succeed(error);
  });
}

bsc_status close_instance(bsc_plugin_instance handle, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "instance.close", [&]() -> bsc_status {
    auto* const instance = object<Instance>(handle);
    if (instance == nullptr) {
      const bool released = handle != nullptr && handle->magic == 0;
      return refuse_handle(error, "instance.close", handle, BSC_OBJECT_INSTANCE,
                           released ? Fault::close_released_accepted : Fault::close_handle_unchecked);
    }
    if (has_fault(Fault::close_hangs)) sleep_until(kNever);
    if (!has_fault(Fault::close_returns_before_work)) wait_for_all_queues(*instance);
    if (!has_fault(Fault::close_leaks)) free_all_children(*instance);
    delete instance;
    return succeed(error);
  });
}

bsc_status enumerate_devices(bsc_plugin_instance handle, std::uint64_t capacity, bsc_plugin_device* out_devices,
                             std::uint64_t* out_count, bsc_plugin_error* error) noexcept {
  return backend::guarded(error, "instance.enumerate", [&]() -> bsc_status {
    auto* const instance = object<Instance>(handle);
    if (instance == nullptr) {
      return refuse_handle(error, "instance.enumerate", handle, BSC_OBJECT_INSTANCE, Fault::enumerate_handle_unchecked);
    }
    BSC_PLUGIN_RETURN_IF_ERROR(ordered_failure(*instance, nullptr, Entry::instance_enumerate, error));
    if (has_fault(Fault::enumerate_handles_change)) {
      for (auto& device : instance->devices) {
        auto replacement = std::make_unique<Device>(*instance, device->index);
        instance->retired_devices.push_back(std::exchange(device, std::move(replacement)));
      }
    }
    const std::uint64_t count = instance->devices.size();
    const std::uint64_t filled = has_fault(Fault::enumerate_ignores_capacity) ? count : std::min(capacity, count);
    if (out_devices != nullptr) {
      for (std::uint64_t i = 0; i < filled; ++i) out_devices[i] = instance->devices[i].get();
    }
    *out_count = has_fault(Fault::enumerate_short_count) && out_devices != nullptr ? filled : count;
    return succeed(error);
  });
}

}  // namespace bascule::null_backend
