// bsc_buffer: a range of device or pinned host memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>

#include "bascule/bascule.h"
#include "core/runtime/instance.hpp"
#include "core/runtime/memory.hpp"

struct bsc_buffer final : bascule::core::Object {
 public:
  static constexpr auto kKind = bascule::core::ObjectKind::kBuffer;

  // pooled: the memory goes back to the device's pool, not to the driver.
  bsc_buffer(bsc_device& device, std::unique_ptr<bascule::core::Memory> memory, std::uint64_t bytes, bool pooled)
      : Object(kKind),
        instance_(bascule::core::Ref<bsc_instance>::share(&device.instance())),
        device_(device),
        memory_(std::move(memory)),
        bytes_(bytes),
        pooled_(pooled) {}
  ~bsc_buffer() override;

  bsc_instance& instance() const { return *instance_; }
  bsc_device& device() const { return device_; }
  bascule::core::Memory& memory() const { return *memory_; }
  std::uint64_t bytes() const { return bytes_; }
  bascule::core::Uses& uses() const { return memory_->uses; }

  // An error that names the numbers if [offset, offset + bytes) is not inside the buffer. `what` begins the message.
  bascule::core::Status check_range(std::uint64_t offset, std::uint64_t bytes, const char* what) const {
    if (offset <= bytes_ && bytes <= bytes_ - offset) [[likely]]
      return {};
    return range_error(offset, bytes, what);
  }

 private:
  bascule::core::Error range_error(std::uint64_t offset, std::uint64_t bytes, const char* what) const;

  bascule::core::Ref<bsc_instance> instance_;
  bsc_device& device_;
  std::unique_ptr<bascule::core::Memory> memory_;
  std::uint64_t bytes_;
  bool pooled_;
};
