// Storage for the commands of one call: grows when it must, never shrinks, so that a queue's launches allocate nothing
// after the first few.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "bascule/plugin.h"
#include "core/package/launch_plan.hpp"

namespace bascule::core {

class CommandStorage {
 public:
  // Room for that much; what was there before is lost.
  LaunchPlan::Storage reserve(const LaunchPlan::StorageSizes& sizes) {
    if (sizes.commands > capacity_.commands || sizes.arguments > capacity_.arguments ||
        sizes.blob_bytes > capacity_.blob_bytes) [[unlikely]] {
      grow(sizes);
    }
    return {commands_.get(), arguments_.get(), reinterpret_cast<std::byte*>(blob_.get())};
  }
  std::uint64_t blob_capacity() const { return capacity_.blob_bytes; }

 private:
  struct alignas(64) Line {  // argument blobs are aligned for the largest argument there is
    std::byte bytes[64];
  };

  void grow(const LaunchPlan::StorageSizes& sizes) {
    // At least what nearly every launch gets by with.
    capacity_.commands = std::max({sizes.commands, capacity_.commands, std::uint64_t{4}});
    capacity_.arguments = std::max({sizes.arguments, capacity_.arguments, std::uint64_t{16}});
    const std::uint64_t lines = std::max(sizes.blob_bytes, capacity_.blob_bytes) / sizeof(Line) + 8;
    capacity_.blob_bytes = lines * sizeof(Line);
    commands_ = std::make_unique<bsc_plugin_command[]>(capacity_.commands);
    arguments_ = std::make_unique<bsc_plugin_argument[]>(capacity_.arguments);
    blob_ = std::make_unique<Line[]>(lines);
  }

  LaunchPlan::StorageSizes capacity_;
  std::unique_ptr<bsc_plugin_command[]> commands_;
  std::unique_ptr<bsc_plugin_argument[]> arguments_;
  std::unique_ptr<Line[]> blob_;
};

}  // namespace bascule::core
