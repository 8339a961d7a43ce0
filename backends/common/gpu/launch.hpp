// A kernel launch checked and ready to enqueue: its arguments lie in a block of bytes as the kernel reads them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "backends/common/gpu/device.hpp"
#include "backends/common/gpu/module.hpp"

namespace bascule::gpu {

class PreparedLaunch {
 public:
  // Checks everything that can be checked before the driver sees the launch. An empty grid gives one that enqueues nothing.
  // The device's context must be current, here and in enqueue.
  bsc_status prepare(Device& device, const bsc_plugin_launch& launch, bsc_plugin_error* error);

  bool empty() const { return function_ == nullptr; }
  const Function* function() const { return function_; }
  bsc_status enqueue(Handle stream, bsc_plugin_error* error) const;

 private:
  bsc_status check_shape(const bsc_plugin_launch& launch, bsc_plugin_error* error);
  bsc_status check_cluster(const bsc_plugin_launch& launch, bsc_plugin_error* error);
  bsc_status check_shared(bsc_plugin_error* error);
  bsc_status check_resident(bsc_plugin_error* error);

  Device* device_ = nullptr;
  Function* function_ = nullptr;  // nullptr: nothing to do
  unsigned grid_[3] = {1, 1, 1};
  unsigned block_[3] = {1, 1, 1};
  unsigned cluster_[3] = {1, 1, 1};
  std::uint64_t shared_bytes_ = 0;
  bool cooperative_ = false;
  std::vector<std::byte> arguments_;
  std::vector<std::uint32_t> offsets_;
};

// The memory behind a handle in a command: of this device, with offset and bytes inside it.
bsc_status find_memory(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                       std::string_view what, struct Memory*& memory, bsc_plugin_error* error);

}  // namespace bascule::gpu
