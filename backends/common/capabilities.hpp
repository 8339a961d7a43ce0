// A device's list of capabilities while it is being put together.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace bascule::backend {

class CapabilityList {
 public:
  // `name` and `unit` must be string literals: they are handed out as they are. A second value for a name replaces the
  // first.
  CapabilityList& add(const char* name, std::int64_t value, const char* unit = "") {
    for (bsc_plugin_capability& known : entries_) {
      if (std::string_view(known.name) == name) {
        known = {name, value, unit};
        return *this;
      }
    }
    entries_.push_back({name, value, unit});
    return *this;
  }

  void describe(bsc_plugin_device_info& info) const {
    info.capability_count = entries_.size();
    info.capability_stride = sizeof(bsc_plugin_capability);
    info.capabilities = entries_.data();
  }

  const std::vector<bsc_plugin_capability>& entries() const { return entries_; }

 private:
  std::vector<bsc_plugin_capability> entries_;
};

}  // namespace bascule::backend
