// The one device of the cpu backend, and what lives on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "backends/common/capabilities.hpp"
#include "backends/common/error.hpp"
#include "backends/common/object.hpp"
#include "backends/cpu/machine.hpp"
#include "backends/simt/simt.h"

namespace bascule::cpu {

struct Instance;
struct Memory;
struct Module;
struct Queue;

// Items, grains and grid dimensions: what fits a signed 64-bit number, so that no sum of two of them wraps.
inline constexpr std::uint64_t kMaxItems = INT64_MAX;
inline constexpr std::uint64_t kMaxArgumentBytes = 64 * 1024;
inline constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{1} << 30;

struct Device : backend::Object<Device, BSC_OBJECT_DEVICE> {
  explicit Device(Instance& owner);
  ~Device();  // closes what was not released; the queues' work must have ended

  // FORKED in a child of the process that opened the backend.
  bsc_status check_usable(std::string_view call, bsc_plugin_error* error) const;
  bsc_status close_queues(bsc_plugin_error* error);

  void adopt(Memory* memory);
  void adopt(Module* module);
  void adopt(Queue* queue);
  // False if somebody else has just released it.
  bool disown(Memory* memory);
  bool disown(Module* module);
  bool disown(Queue* queue);

  // Everything that is allocated now.
  [[nodiscard]] std::vector<bsc_simt_range> memory_ranges() const;

  Instance& instance;
  const Processor processor;
  const std::uint64_t memory_bytes;
  backend::CapabilityList capabilities;
  std::atomic<std::uint64_t> allocated_bytes{0};

 private:
  mutable std::mutex mutex_;
  std::unordered_set<Memory*> memories_;
  std::unordered_set<Module*> modules_;
  std::unordered_set<Queue*> queues_;
};

}  // namespace bascule::cpu
