// See memory.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emulated/cuda/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "backends/emulated/cuda/call.hpp"

namespace bascule::emulated {
namespace {

constexpr std::uint64_t kPage = 4096;

// Inaccessible behind the end: the first byte beyond the last page faults.
void* map_memory(std::uint64_t bytes, std::uint64_t& mapped) {
  mapped = (bytes + kPage - 1) / kPage * kPage + kPage;
  void* const address = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  if (mprotect(address, mapped - kPage, PROT_READ | PROT_WRITE) != 0) {
    munmap(address, mapped);
    return nullptr;
  }
  return address;
}

}  // namespace

Allocation::~Allocation() {
  if (mapped_bytes != 0) munmap(reinterpret_cast<void*>(address), mapped_bytes);
}

Memory& Memory::get() {
  static Memory& memory = *new Memory;
  return memory;
}

void Memory::insert(const std::shared_ptr<Allocation>& allocation) {
  allocation->number = next_number_++;
  table_[allocation->address] = allocation;
}

std::shared_ptr<Allocation> Memory::allocate(std::uint64_t bytes, Allocation::Kind kind, int device, std::uint64_t device_bytes,
                                             Context* context, unsigned flags, std::shared_ptr<Pool> pool) {
  if (bytes == 0) refuse(CUDA_ERROR_INVALID_VALUE, "0 bytes were asked for");
  const bool counted = kind == Allocation::Kind::kDevice || kind == Allocation::Kind::kManaged;
  const std::lock_guard lock(mutex_);
  std::uint64_t& used = used_[device];
  if (counted && (bytes > device_bytes || used > device_bytes - bytes)) {
    refuse(CUDA_ERROR_OUT_OF_MEMORY, "{} bytes were asked for; {} of {} are free", bytes, device_bytes - std::min(used, device_bytes), device_bytes);
  }
  if (pool != nullptr && pool->max_bytes != 0 && (bytes > pool->max_bytes || pool->used > pool->max_bytes - bytes)) {
    refuse(CUDA_ERROR_OUT_OF_MEMORY, "{} bytes were asked for; the pool holds {} of at most {}", bytes, pool->used, pool->max_bytes);
  }
  if (bytes > std::numeric_limits<std::uint64_t>::max() - 2 * kPage) refuse(CUDA_ERROR_OUT_OF_MEMORY, "{} bytes were asked for", bytes);
  auto allocation = std::make_shared<Allocation>();
  void* const address = map_memory(bytes, allocation->mapped_bytes);
  if (address == nullptr) {
    allocation->mapped_bytes = 0;
    refuse(CUDA_ERROR_OUT_OF_MEMORY, "the system has no {} bytes left for the process", bytes);
  }
  allocation->address = reinterpret_cast<std::uint64_t>(address);
  allocation->bytes = bytes;
  allocation->kind = kind;
  allocation->flags = flags;
  allocation->device = device;
  allocation->context = context;
  if (counted) used += bytes;
  if (pool != nullptr) {
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
    allocation->pool = std::move(pool);
  }
  insert(allocation);
  return allocation;
}

std::shared_ptr<Allocation> Memory::adopt(void* address, std::uint64_t bytes, Allocation::Kind kind, unsigned flags, int device,
                                          Context* context) {
  const auto start = reinterpret_cast<std::uint64_t>(address);
  if (bytes == 0 || bytes > std::numeric_limits<std::uint64_t>::max() - start) refuse(CUDA_ERROR_INVALID_VALUE, "{} bytes at {}", bytes, address);
  const std::lock_guard lock(mutex_);
  const auto after = table_.lower_bound(start);
  const bool overlaps_next = after != table_.end() && after->first < start + bytes;
  const bool overlaps_previous = after != table_.begin() && std::prev(after)->first + std::prev(after)->second->bytes > start;
  if (overlaps_next || overlaps_previous) {
    refuse(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "a part of the {} bytes at {} is known already", bytes, address);
  }
  auto allocation = std::make_shared<Allocation>();
  allocation->address = start;
  allocation->bytes = bytes;
  allocation->kind = kind;
  allocation->flags = flags;
  allocation->device = device;
  allocation->context = context;
  insert(allocation);
  return allocation;
}

std::shared_ptr<Allocation> Memory::remove(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(address);
  if (found == table_.end()) return nullptr;
  std::shared_ptr<Allocation> allocation = std::move(found->second);
  table_.erase(found);
  if (allocation->on_device() && allocation->mapped_bytes != 0) used_[allocation->device] -= allocation->bytes;
  if (allocation->pool != nullptr) allocation->pool->used -= allocation->bytes;
  return allocation;
}

void Memory::remove_all_of(const Context* context) {
  std::vector<std::uint64_t> addresses;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, allocation] : table_) {
      if (allocation->context == context) addresses.push_back(address);
    }
  }
  for (const std::uint64_t address : addresses) remove(address);
}

std::shared_ptr<Allocation> Memory::find(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  auto after = table_.upper_bound(address);
  if (after == table_.begin()) return nullptr;
  --after;
  return address - after->first < after->second->bytes ? after->second : nullptr;
}

std::vector<bsc_simt_range> Memory::ranges() {
  const std::lock_guard lock(mutex_);
  std::vector<bsc_simt_range> ranges;
  for (const auto& [address, allocation] : table_) ranges.push_back({address, allocation->bytes});
  return ranges;
}

std::uint64_t Memory::used(int device) {
  const std::lock_guard lock(mutex_);
  return used_[device];
}

}  // namespace bascule::emulated
