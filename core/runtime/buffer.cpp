// Buffers: creation, range checks, deferred release; the buffer part of the C API.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/buffer.hpp"

#include <string>

#include "core/runtime/error_handle.hpp"

using namespace bascule::core;

bsc_buffer::~bsc_buffer() {
  if (pooled_) {
    device_.pool().give_back(std::move(memory_));
  } else {
    device_.graveyard().bury(std::move(memory_));
  }
  device_.graveyard().collect();
}

Error bsc_buffer::range_error(std::uint64_t offset, std::uint64_t bytes, const char* what) const {
  return invalid_argument(std::string(what) + ": " + std::to_string(bytes) + " bytes at offset " +
                              std::to_string(offset) + " are beyond the buffer's " + std::to_string(bytes_) + " bytes",
                          "offset + bytes must not be larger than bsc_buffer_size");
}

extern "C" {

bsc_status bsc_buffer_create(bsc_device* device, uint64_t bytes, uint32_t type, bsc_buffer** out, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(device);
    if (!out) return invalid_argument("out is NULL");
    BSC_CHECK_USABLE(device->instance());
    auto memory = device->allocate(bytes, type);
    if (!memory.ok()) return memory.take_error();
    *out = make_ref<bsc_buffer>(*device, std::move(memory).value(), bytes, false).detach();
    return {};
  });
}

bsc_buffer* bsc_buffer_retain(bsc_buffer* buffer) {
  if (is_handle(buffer)) buffer->retain();
  return buffer;
}

void bsc_buffer_release(bsc_buffer* buffer) { release_handle(buffer); }

uint64_t bsc_buffer_size(const bsc_buffer* buffer) { return is_handle(buffer) ? buffer->bytes() : 0; }

bsc_device* bsc_buffer_device(const bsc_buffer* buffer) { return is_handle(buffer) ? &buffer->device() : nullptr; }

bsc_status bsc_buffer_map(bsc_buffer* buffer, void** out_pointer, bsc_error** error) {
  return guarded(error, [&]() -> Status {
    BSC_CHECK_HANDLE(buffer);
    if (!out_pointer) return invalid_argument("out_pointer is NULL");
    BSC_CHECK_USABLE(buffer->instance());
    auto pointer = buffer->memory().map();
    if (!pointer.ok()) return pointer.take_error();
    *out_pointer = *pointer;
    return {};
  });
}

}  // extern "C"
