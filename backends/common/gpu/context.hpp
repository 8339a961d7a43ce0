// Makes a device's context current for the calling thread and puts back what was there, also on failure.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

namespace bascule::gpu {

struct Device;

class ContextScope {
 public:
  ContextScope() = default;
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  ~ContextScope() { leave(); }

  // Also makes the device ready for use where it is not yet.
  bsc_status enter(Device& device, bsc_plugin_error* error);
  // The context alone, to take things down.
  bsc_status enter_context(Device& device, bsc_plugin_error* error);
  void leave();

 private:
  Device* device_ = nullptr;
  int former_device_ = 0;
};

}  // namespace bascule::gpu
