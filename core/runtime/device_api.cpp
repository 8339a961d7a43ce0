// The device part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/device.hpp"
#include "core/runtime/error_handle.hpp"
#include "core/runtime/instance.hpp"
#include "core/runtime/sized.hpp"

using namespace bascule::core;

extern "C" {

void bsc_device_get_info(const bsc_device* device, bsc_device_info* out_info) {
  if (is_handle(device) && out_info) write_sized(out_info, device->info());
}

const char* bsc_device_format(const bsc_device* device, uint64_t index) {
  if (!is_handle(device) || index >= device->formats().size()) return nullptr;
  return device->formats()[index].c_str();
}

bsc_status bsc_device_capability(const bsc_device* device, const char* name, int64_t* out_value,
                                 const char** out_unit) {
  if (!is_handle(device)) return device ? BSC_INVALID_HANDLE : BSC_INVALID_ARGUMENT;
  if (!name) return BSC_INVALID_ARGUMENT;
  for (const auto& capability : device->capabilities()) {
    if (capability.name != name) continue;
    if (out_value) *out_value = capability.value;
    if (out_unit) *out_unit = capability.unit.c_str();
    return BSC_OK;
  }
  return BSC_NOT_FOUND;
}

const char* bsc_device_capability_name(const bsc_device* device, uint64_t index) {
  if (!is_handle(device) || index >= device->capabilities().size()) return nullptr;
  return device->capabilities()[index].name.c_str();
}

bsc_status bsc_device_memory(bsc_device* device, uint64_t* out_total, uint64_t* out_free, int* out_estimate,
                             bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    BSC_CHECK_USABLE(device->instance());
    bsc_plugin_memory_state state{};
    state.header = {sizeof state, BSC_STRUCT_MEMORY_STATE, nullptr};
    const Backend& backend = device->backend();
    if (backend.tables().has_memory_state) {
      PluginError plugin_error;
      const bsc_status status = backend.tables().device.memory_state(device->handle(), &state, plugin_error.raw());
      if (status != BSC_OK) return plugin_error.take(status, backend.name(), "reading the memory state");
    } else {
      // The plugin cannot tell: all of it, marked as an estimate.
      state.total_bytes = state.free_bytes = device->info().memory_bytes;
      state.free_is_estimate = 1;
    }
    if (out_total) *out_total = state.total_bytes;
    if (out_free) *out_free = state.free_bytes;
    if (out_estimate) *out_estimate = state.free_is_estimate ? 1 : 0;
    return {};
  });
}

bsc_instance* bsc_device_instance(const bsc_device* device) {
  return is_handle(device) ? &device->instance() : nullptr;
}

bsc_status bsc_device_trim_pools(bsc_device* device, uint64_t* out_released_bytes, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    BSC_CHECK_USABLE(device->instance());
    device->graveyard().collect();
    const std::uint64_t released = device->pool().trim();
    if (out_released_bytes) *out_released_bytes = released;
    return {};
  });
}

}  // extern "C"
