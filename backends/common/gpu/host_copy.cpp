// Staged copies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/common/gpu/host_copy.hpp"

#include <algorithm>
#include <cstring>

#include "backends/common/gpu/instance.hpp"

namespace bascule::gpu {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{4} << 20;

void run_copy(void* context) {
  const auto* const copy = static_cast<const HostCopy*>(context);
  std::memcpy(copy->to, copy->from, copy->bytes);
}

bsc_status enqueue_host_copy(StreamTarget& target, void* to, const void* from, std::size_t bytes, bsc_plugin_error* error) {
  target.copies.push_back({to, from, bytes});
  return target.enqueue(error, "copy through pinned memory", target.device.api().host_function, target.stream, &run_copy,
                        static_cast<void*>(&target.copies.back()));
}

bool goes_directly(const StreamTarget& target, const void* host, std::size_t bytes) {
  return !target.device.api().host_function || target.device.instance.pinned.contain(host, bytes);
}

}  // namespace

Staging::~Staging() {
  if (buffer_ != nullptr) device_.release(device_.api().host_free, buffer_);
}

bsc_status Staging::get(std::size_t wanted, std::byte*& buffer, std::size_t& bytes, bsc_plugin_error* error) {
  if (buffer_ == nullptr) {
    BSC_PLUGIN_RETURN_IF_ERROR(device_.call(error, "no pinned memory to copy host memory through", device_.api().host_allocate,
                                            &buffer_, kStagingBytes, vendor().host_memory_flags));
  }
  buffer = static_cast<std::byte*>(buffer_);
  bytes = std::min(wanted, kStagingBytes);
  return BSC_OK;
}

bsc_status enqueue_write(StreamTarget& target, Address to, const void* from, std::size_t bytes, bsc_plugin_error* error) {
  Device& device = target.device;
  if (goes_directly(target, from, bytes)) {
    return target.enqueue(error, "write", device.api().copy_to_device, to, from, bytes, target.stream);
  }
  for (std::size_t done = 0; done < bytes;) {
    std::byte* buffer = nullptr;
    std::size_t part = 0;
    BSC_PLUGIN_RETURN_IF_ERROR(target.staging.get(bytes - done, buffer, part, error));
    BSC_PLUGIN_RETURN_IF_ERROR(
        enqueue_host_copy(target, buffer, static_cast<const std::byte*>(from) + done, part, error));
    BSC_PLUGIN_RETURN_IF_ERROR(
        target.enqueue(error, "write", device.api().copy_to_device, to + done, buffer, part, target.stream));
    done += part;
  }
  return BSC_OK;
}

bsc_status enqueue_read(StreamTarget& target, void* to, Address from, std::size_t bytes, bsc_plugin_error* error) {
  Device& device = target.device;
  if (goes_directly(target, to, bytes)) {
    return target.enqueue(error, "read", device.api().copy_to_host, to, from, bytes, target.stream);
  }
  for (std::size_t done = 0; done < bytes;) {
    std::byte* buffer = nullptr;
    std::size_t part = 0;
    BSC_PLUGIN_RETURN_IF_ERROR(target.staging.get(bytes - done, buffer, part, error));
    BSC_PLUGIN_RETURN_IF_ERROR(
        target.enqueue(error, "read", device.api().copy_to_host, buffer, from + done, part, target.stream));
    BSC_PLUGIN_RETURN_IF_ERROR(enqueue_host_copy(target, static_cast<std::byte*>(to) + done, buffer, part, error));
    done += part;
  }
  return BSC_OK;
}

}  // namespace bascule::gpu
