// Copies between device memory and host memory that is not pinned. A driver would block the caller for them; here each goes
// in parts through a pinned buffer, and a function that the stream runs on the host does the other half.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/plugin.h>

#include <cstddef>
#include <deque>

#include "backends/common/gpu/device.hpp"

namespace bascule::gpu {

struct HostCopy {
  void* to;
  const void* from;
  std::size_t bytes;
};
// Addresses of elements stay what they are: the driver keeps them until the copy has run.
using HostCopies = std::deque<HostCopy>;

// One pinned buffer, used by one stream in its order.
class Staging {
 public:
  explicit Staging(Device& device) : device_(device) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  bsc_status get(std::size_t wanted, std::byte*& buffer, std::size_t& bytes, bsc_plugin_error* error);

 private:
  Device& device_;
  void* buffer_ = nullptr;
};

// Where commands are enqueued: a queue's stream, or one that records a graph.
struct StreamTarget {
  Device& device;
  Handle stream;
  Staging& staging;
  HostCopies& copies;
  bool started = false;  // the driver has taken something

  template <class Function, class... Arguments>
  bsc_status enqueue(bsc_plugin_error* error, std::string_view doing, const Function& function, Arguments... arguments) {
    BSC_PLUGIN_RETURN_IF_ERROR(device.call(error, doing, function, arguments...));
    started = true;
    return BSC_OK;
  }
};

// Enqueue a copy of pageable or pinned memory. The device's context must be current.
bsc_status enqueue_write(StreamTarget& target, Address to, const void* from, std::size_t bytes, bsc_plugin_error* error);
bsc_status enqueue_read(StreamTarget& target, void* to, Address from, std::size_t bytes, bsc_plugin_error* error);

}  // namespace bascule::gpu
