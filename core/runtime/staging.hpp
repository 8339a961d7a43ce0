// Staging memory for small uploads: two halves of pinned host memory, filled in turn.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/runtime/device.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/plugin_queue.hpp"

namespace bascule::core {

// Host memory that is pinned where the backend can do that, ordinary memory elsewhere.
class HostBlock {
 public:
  HostBlock(bsc_device& device, std::uint64_t bytes);
  std::byte* data() const { return data_; }

 private:
  std::unique_ptr<Memory> pinned_;
  std::unique_ptr<std::byte[]> ordinary_;
  std::byte* data_ = nullptr;
};

class Staging {
 public:
  static constexpr std::uint64_t kHalfBytes = 512 * 1024;
  static constexpr std::uint64_t kLargest = 64 * 1024;  // larger uploads are waited for instead: no second copy

  // Space for `bytes` (at most kLargest). Waits where both halves are still being read.
  Result<std::byte*> reserve(bsc_device& device, PluginQueue& queue, std::uint64_t bytes);
  // The submission that reads what was reserved last.
  void used_by(std::uint64_t value) { halves_[current_].last_value = value; }

 private:
  struct Half {
    std::uint64_t used = 0;
    std::uint64_t last_value = 0;
  };
  std::unique_ptr<HostBlock> block_;
  std::array<Half, 2> halves_;
  std::size_t current_ = 0;
};

}  // namespace bascule::core
