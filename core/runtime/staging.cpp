// Staging memory for uploads and copies through the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/staging.hpp"

namespace bascule::core {

HostBlock::HostBlock(bsc_device& device, std::uint64_t bytes) {
  auto memory = device.allocate(bytes, BSC_BUFFER_HOST);
  if (memory.ok()) {
    auto pointer = (*memory)->map();
    if (pointer.ok()) {
      pinned_ = std::move(memory).value();
      data_ = static_cast<std::byte*>(*pointer);
      return;
    }
  }
  ordinary_.reset(new std::byte[bytes]);
  data_ = ordinary_.get();
}

Result<std::byte*> Staging::reserve(bsc_device& device, PluginQueue& queue, std::uint64_t bytes) {
  if (!block_) block_ = std::make_unique<HostBlock>(device, 2 * kHalfBytes);
  if (halves_[current_].used + bytes > kHalfBytes) {
    const std::size_t other = 1 - current_;
    BSC_RETURN_IF_ERROR(queue.wait(halves_[other].last_value, BSC_FOREVER));
    current_ = other;
    halves_[current_] = {};
  }
  Half& half = halves_[current_];
  std::byte* space = block_->data() + current_ * kHalfBytes + half.used;
  constexpr std::uint64_t kLine = 64;
  half.used += (bytes + kLine - 1) / kLine * kLine;
  return space;
}

}  // namespace bascule::core
