// Scratch and team memory for kernels, kept between launches: fresh pages would cost a launch a page fault per 4 KiB.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace bascule::cpu {

class ScratchCache;

/// A block on loan from a ScratchCache; goes back when it is destroyed. 64-byte aligned.
class ScratchBlock {
 public:
  ScratchBlock() noexcept = default;
  ScratchBlock(ScratchBlock&& other) noexcept;
  ScratchBlock& operator=(ScratchBlock&& other) noexcept;
  ~ScratchBlock();

  [[nodiscard]] void* data() const noexcept { return data_; }

 private:
  friend class ScratchCache;
  ScratchBlock(ScratchCache* cache, void* data, std::uint64_t bytes) noexcept : cache_(cache), data_(data), bytes_(bytes) {}

  ScratchCache* cache_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Thread-safe.
class ScratchCache {
 public:
  explicit ScratchCache(std::size_t blocks_kept) : blocks_kept_(blocks_kept) { free_.reserve(blocks_kept + 1); }
  ~ScratchCache();
  ScratchCache(const ScratchCache&) = delete;
  ScratchCache& operator=(const ScratchCache&) = delete;

  /// A block of at least `bytes` bytes, its contents undefined; 0 gives a block with data() == nullptr. Where there is no
  /// memory, data() is nullptr too.
  [[nodiscard]] ScratchBlock take(std::uint64_t bytes) noexcept;

 private:
  friend class ScratchBlock;
  struct Block {
    void* data;
    std::uint64_t bytes;
  };
  void give_back(Block block) noexcept;

  const std::size_t blocks_kept_;
  std::mutex mutex_;
  std::vector<Block> free_;  // the one given back last is last: its pages are the warmest
};

}  // namespace bascule::cpu
