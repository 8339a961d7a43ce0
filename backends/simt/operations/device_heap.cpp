// First fit. Freed blocks are remembered until their memory is given away again, so that a second free is told from a wrong one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/operations/device_heap.hpp"

#include <iterator>
#include <new>

namespace bascule::simt {

bool DeviceHeap::start() {
  if (memory_ != nullptr) return true;
  if (capacity_ < kAlignment + kRedZone) return false;
  memory_.reset(new (std::nothrow) std::byte[capacity_ + kAlignment]);
  if (memory_ == nullptr) return false;
  first_ = (reinterpret_cast<std::uintptr_t>(memory_.get()) + kAlignment - 1) / kAlignment * kAlignment;
  holes_[first_] = capacity_ / kAlignment * kAlignment;
  return true;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > capacity_ || !start()) return 0;
  const std::uint64_t needed = (bytes + kAlignment - 1) / kAlignment * kAlignment + kRedZone;
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    if (hole->second < needed) continue;
    const auto [address, size] = *hole;
    holes_.erase(hole);
    if (size > needed) holes_[address + needed] = size - needed;
    // Whatever freed blocks were remembered there are gone.
    blocks_.erase(blocks_.lower_bound(address), blocks_.lower_bound(address + needed));
    blocks_[address] = {address, bytes, false};
    return address;
  }
  return 0;
}

DeviceHeap::Freed DeviceHeap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return Freed::not_a_block;
  if (found->second.freed) return Freed::already_free;
  found->second.freed = true;
  const std::uint64_t bytes = (found->second.bytes + kAlignment - 1) / kAlignment * kAlignment + kRedZone;
  auto hole = holes_.insert_or_assign(address, bytes).first;
  if (const auto next = std::next(hole); next != holes_.end() && address + bytes == next->first) {
    hole->second += next->second;
    holes_.erase(next);
  }
  if (hole != holes_.begin()) {
    const auto before = std::prev(hole);
    if (before->first + before->second == address) {
      before->second += hole->second;
      holes_.erase(hole);
    }
  }
  return Freed::freed;
}

bool DeviceHeap::contains(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  return memory_ != nullptr && address - first_ < capacity_;
}

std::optional<DeviceHeap::Block> DeviceHeap::nearest(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  return std::prev(after)->second;
}

}  // namespace bascule::simt
