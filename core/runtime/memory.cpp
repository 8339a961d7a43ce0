// Plugin memory and its pool.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/runtime/memory.hpp"

#include <algorithm>
#include <bit>

namespace bascule::core {

Memory::~Memory() {
  PluginError error;
  // A release that fails leaves the memory with the driver until the instance is closed; there is no caller to tell.
  (void)backend_->tables().memory.release(handle_, error.raw());
}

Result<void*> Memory::map() const {
  PluginError error;
  void* pointer = nullptr;
  const bsc_status status = backend_->tables().memory.map(handle_, &pointer, error.raw());
  if (status == BSC_OK) return pointer;
  Error result = error.take(status, backend_->name(), "mapping a buffer");
  if (status == BSC_UNSUPPORTED) {
    result.remedy = "create the buffer with BSC_BUFFER_HOST, or use bsc_queue_read and bsc_queue_write";
  }
  return result;
}

std::uint64_t Pool::class_bytes(std::uint64_t bytes, std::uint64_t limit) {
  constexpr std::uint64_t kLeast = 256;
  if (bytes <= kLeast) return std::min(kLeast, std::max(limit, bytes));
  const int top = 63 - std::countl_zero(bytes - 1);  // 2^top < bytes <= 2^(top+1)
  const std::uint64_t step = std::uint64_t{1} << (top - 2);
  const std::uint64_t remainder = bytes % step;
  if (remainder == 0) return bytes;
  const std::uint64_t padding = step - remainder;
  // Near the device's limit (or the end of 64 bits) the exact size is the only one that may work.
  if (bytes > limit || padding > limit - bytes) return bytes;
  return bytes + padding;
}

std::unique_ptr<Memory> Pool::take(std::uint64_t class_bytes, const Timeline* timeline) {
  const std::lock_guard lock(mutex_);
  const auto found = free_.find(class_bytes);
  if (found == free_.end()) return nullptr;
  auto& blocks = found->second;
  // From the back: what was given back last is the most likely to be in a cache.
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (!(*block)->uses.idle(timeline)) continue;
    std::unique_ptr<Memory> memory = std::move(*block);
    blocks.erase(std::next(block).base());
    return memory;
  }
  return nullptr;
}

void Pool::give_back(std::unique_ptr<Memory> memory) {
  const std::lock_guard lock(mutex_);
  auto& blocks = free_[memory->bytes()];
  blocks.push_back(std::move(memory));
}

std::uint64_t Pool::trim() {
  std::vector<std::unique_ptr<Memory>> idle;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [bytes, blocks] : free_) {
      const auto first_idle =
          std::partition(blocks.begin(), blocks.end(), [](const auto& block) { return !block->uses.idle(); });
      idle.insert(idle.end(), std::make_move_iterator(first_idle), std::make_move_iterator(blocks.end()));
      blocks.erase(first_idle, blocks.end());
    }
    std::erase_if(free_, [](const auto& entry) { return entry.second.empty(); });
  }
  std::uint64_t released = 0;
  for (const auto& memory : idle) released += memory->bytes();
  return released;
}

}  // namespace bascule::core
