// Entering and leaving a device's context.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/context.hpp"

#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

bsc_status ContextScope::enter(Device& device, bsc_plugin_error* error) {
  BSC_PLUGIN_RETURN_IF_ERROR(enter_context(device, error));
  return device.make_ready(error);
}

bsc_status ContextScope::enter_context(Device& device, bsc_plugin_error* error) {
  const Api& api = device.api();
  BSC_PLUGIN_RETURN_IF_ERROR(device.retain_context(error));
  if (api.context_push) {
    BSC_PLUGIN_RETURN_IF_ERROR(device.call(error, "the device's context cannot be used", api.context_push, device.context));
  } else {
    BSC_PLUGIN_RETURN_IF_ERROR(
        device.call(error, "the thread's current device is unknown", api.current_device_get, &former_device_));
    if (former_device_ != device.properties.ordinal) {
      BSC_PLUGIN_RETURN_IF_ERROR(
          device.call(error, "the device cannot be used", api.current_device_set, device.properties.ordinal));
    }
  }
  device_ = &device;
  return BSC_OK;
}

void ContextScope::leave() {
  if (device_ == nullptr) return;
  const Api& api = device_->api();
  if (api.context_pop) {
    Handle popped = nullptr;
    api.context_pop(&popped);
  } else if (former_device_ != device_->properties.ordinal) {
    api.current_device_set(former_device_);
  }
  device_ = nullptr;
}

}  // namespace bascule::gpu
