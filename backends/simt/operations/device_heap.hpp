// The heap from which kernels get memory by malloc(). One per launch's module; all its threads share it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace bascule::simt {

class DeviceHeap {
 public:
  static constexpr std::uint64_t kAlignment = 16;
  static constexpr std::uint64_t kRedZone = 16;  // behind each block, so that the sanitizer sees what runs over

  enum class Freed : std::uint8_t { freed, already_free, not_a_block };
  struct Block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool freed = false;
  };

  /// Memory is taken from the host with the first malloc.
  explicit DeviceHeap(std::uint64_t bytes) : capacity_(bytes) {}

  /// 0: no room is left, or no bytes were asked for. Thread-safe, as all functions here.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  [[nodiscard]] Freed release(std::uint64_t address);
  /// Whether the address lies in the heap at all.
  [[nodiscard]] bool contains(std::uint64_t address) const;
  /// The block, live or freed not long ago, that the address lies in or behind.
  [[nodiscard]] std::optional<Block> nearest(std::uint64_t address) const;

 private:
  bool start();

  std::uint64_t capacity_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::byte[]> memory_;
  std::uint64_t first_ = 0;
  std::map<std::uint64_t, Block> blocks_;         // live and freed ones, by address
  std::map<std::uint64_t, std::uint64_t> holes_;  // address → bytes
};

}  // namespace bascule::simt
