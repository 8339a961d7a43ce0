// Storage for the commands of one call: grows when it must, never shrinks, so that a queue's launches allocate nothing
// after the first few.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
    if (sizes.commands > capacity_.commands) {
      commands_ = std::make_unique<bsc_plugin_command[]>(sizes.commands);
      capacity_.commands = sizes.commands;
    }
    if (sizes.arguments > capacity_.arguments) {
      arguments_ = std::make_unique<bsc_plugin_argument[]>(sizes.arguments);
      capacity_.arguments = sizes.arguments;
    }
    if (sizes.blob_bytes > capacity_.blob_bytes) {
      const std::uint64_t lines = sizes.blob_bytes / sizeof(Line) + 1;
      blob_ = std::make_unique<Line[]>(lines);
      capacity_.blob_bytes = lines * sizeof(Line);
    }
    return {commands_.get(), arguments_.get(), reinterpret_cast<std::byte*>(blob_.get())};
  }

 private:
  struct alignas(64) Line {  // argument blobs are aligned for the largest argument there is
    std::byte bytes[64];
  };

  LaunchPlan::StorageSizes capacity_;
  std::unique_ptr<bsc_plugin_command[]> commands_;
  std::unique_ptr<bsc_plugin_argument[]> arguments_;
  std::unique_ptr<Line[]> blob_;
};

}  // namespace bascule::core
