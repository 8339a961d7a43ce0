// Plugin memory, and the per-device pool of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/error.hpp"
#include "core/runtime/timeline.hpp"

namespace bascule::core {

// One allocation of a plugin's; released with this object.
class Memory final : public Resource {
 public:
  Memory(const Backend& backend, bsc_plugin_memory handle, std::uint64_t bytes)
      : backend_(&backend), handle_(handle), bytes_(bytes) {}
  ~Memory() override;

  bsc_plugin_memory handle() const { return handle_; }
  std::uint64_t bytes() const { return bytes_; }
  // The host address; BSC_UNSUPPORTED where there is none.
  Result<void*> map() const;

 private:
  const Backend* backend_;
  bsc_plugin_memory handle_;
  std::uint64_t bytes_;
};

// Free memory for stream-ordered allocation, kept by size class. A block remembers the submissions that used it: the
// queue that used it last may have it again at once (its work is in order), others when that work has completed.
class Pool {
 public:
  // Size classes: powers of two in four steps, 256 bytes at least, so at most a quarter is wasted. Never beyond
  // `limit`.
  static std::uint64_t class_bytes(std::uint64_t bytes, std::uint64_t limit);

  // A free block of exactly this class, or null.
  std::unique_ptr<Memory> take(std::uint64_t class_bytes, const Timeline* timeline);
  void give_back(std::unique_ptr<Memory> memory);
  // Returns every idle block to the driver.
  std::uint64_t trim();

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::unique_ptr<Memory>>> free_;
};

}  // namespace bascule::core
