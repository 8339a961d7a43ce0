// A kernel launch checked and ready to enqueue: a kernel object of its own with all arguments set.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <vector>

#include "backends/opencl/device.hpp"
#include "backends/opencl/module.hpp"

namespace bascule::opencl {

class PreparedLaunch {
 public:
  PreparedLaunch() = default;
  PreparedLaunch(PreparedLaunch&&) = default;
  PreparedLaunch& operator=(PreparedLaunch&&) = default;
  ~PreparedLaunch();

  // Checks everything that can be checked before the driver sees the launch. An empty grid needs no kernel and gives one
  // that enqueues nothing.
  bsc_status prepare(Device& device, const bsc_plugin_launch& launch, bsc_plugin_error* error);

  bool empty() const { return function_ == nullptr; }
  bsc_status enqueue(const cl::Api& api, cl::CommandQueue queue, cl::Uint wait_count, const cl::Event* wait_list,
                     cl::Event* out_event, bsc_plugin_error* error) const;

 private:
  bsc_status check_shape(const bsc_plugin_launch& launch, bsc_plugin_error* error);
  bsc_status set_arguments(const bsc_plugin_launch& launch, bsc_plugin_error* error);
  bsc_status set_buffer(const bsc_plugin_launch& launch, const bsc_plugin_argument& argument, std::uint64_t number,
                        cl::Uint& index, bsc_plugin_error* error);
  bsc_status plain_buffer(const bsc_plugin_argument& argument, struct Memory& memory, std::uint64_t number, cl::Mem& buffer,
                          bsc_plugin_error* error);
  bsc_status set(cl::Uint index, std::size_t bytes, const void* value, std::uint64_t number, bsc_plugin_error* error);

  Device* device_ = nullptr;
  Function* function_ = nullptr;  // nullptr: nothing to do
  OwnedKernel kernel_;
  std::vector<OwnedMem> sub_buffers_;  // the driver keeps them until the launch has run
  std::uint64_t argument_bytes_ = 0;
  std::uint64_t local_bytes_ = 0;
  cl::Uint dimensions_ = 1;
  std::size_t global_[3] = {1, 1, 1};
  std::size_t block_[3] = {1, 1, 1};
};

// The memory behind a handle in a command: of this device, with offset and bytes inside it.
bsc_status find_memory(const Device& device, bsc_plugin_memory handle, std::uint64_t offset, std::uint64_t bytes,
                       std::string_view what, Memory*& memory, bsc_plugin_error* error);

}  // namespace bascule::opencl
