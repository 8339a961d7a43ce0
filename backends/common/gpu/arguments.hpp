// Putting a launch's arguments where the kernel reads its parameters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/common/gpu/module.hpp"

namespace bascule::gpu {

// The blob that the host made has its own layout: a split buffer takes one place there, and three in the kernel.
class ArgumentWriter {
 public:
  ArgumentWriter(const Function& function, const bsc_plugin_launch& launch)
      : function_(function), launch_(launch), shared_bytes_(launch.shared_bytes) {}

  bsc_status write(bsc_plugin_error* error);

  std::vector<std::byte> take_block() { return std::move(block_); }
  std::vector<std::uint32_t> take_offsets() { return std::move(offsets_); }
  std::uint64_t shared_bytes() const { return shared_bytes_; }  // local arguments included

 private:
  bsc_status write_argument(const bsc_plugin_argument& argument, bsc_plugin_error* error);
  bsc_status write_buffer(const bsc_plugin_argument& argument, bsc_plugin_error* error);
  bsc_status write_local(const bsc_plugin_argument& argument, bsc_plugin_error* error);
  bsc_status write_blob(std::uint64_t offset, std::uint64_t bytes, bsc_plugin_error* error);
  bsc_status put(const void* value, std::uint64_t bytes, bsc_plugin_error* error);

  const Function& function_;
  const bsc_plugin_launch& launch_;
  std::vector<std::byte> block_;
  std::vector<std::uint32_t> offsets_;
  std::uint64_t shared_bytes_;
  std::uint64_t number_ = 0;
};

}  // namespace bascule::gpu
