// ScratchCache: a short list of free blocks, the most recently used first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scratch_cache.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "spin.hpp"

namespace bascule::cpu {

namespace {
constexpr std::uint64_t kAlignment = 64;
// A much larger block than asked for would be missing where it is needed.
constexpr std::uint64_t kLargestWaste = 4;
constexpr std::uint64_t kSmallestBlock = 4096;
constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 40;  // more is a mistake, and the rounding below stays in range
}  // namespace

ScratchBlock::ScratchBlock(ScratchBlock&& other) noexcept
    : cache_(std::exchange(other.cache_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

ScratchBlock& ScratchBlock::operator=(ScratchBlock&& other) noexcept {
  std::swap(cache_, other.cache_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ScratchBlock::~ScratchBlock() {
  if (data_ != nullptr) cache_->give_back({data_, bytes_});
}

ScratchCache::~ScratchCache() {
  for (const Block& block : free_) std::free(block.data);
}

ScratchBlock ScratchCache::take(std::uint64_t bytes) noexcept {
  if (bytes == 0) return {};
  if (bytes > kLargestBlock) return {};
  const std::uint64_t rounded = std::max(kSmallestBlock, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  {
    const auto lock = lock_briefly_held(mutex_);
    const auto fits = [&](const Block& block) { return block.bytes >= rounded && block.bytes / kLargestWaste <= rounded; };
    const auto found = std::find_if(free_.rbegin(), free_.rend(), fits);
    if (found != free_.rend()) {
      const Block block = *found;
      free_.erase(std::next(found).base());
      return {this, block.data, block.bytes};
    }
  }
  void* data = std::aligned_alloc(kAlignment, rounded);
  return {this, data, data != nullptr ? rounded : 0};
}

void ScratchCache::give_back(Block block) noexcept {
  {
    const auto lock = lock_briefly_held(mutex_);
    free_.push_back(block);  // within the reserved capacity
    if (free_.size() <= blocks_kept_) return;
    block = free_.front();
    free_.erase(free_.begin());
  }
  std::free(block.data);
}

}  // namespace bascule::cpu
