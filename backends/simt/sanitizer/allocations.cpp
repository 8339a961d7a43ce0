// See allocations.hpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/simt/sanitizer/allocations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bascule::simt {
namespace {

std::string name_of(const MemoryRange& range) {
  if (range.name.empty()) return fmt::format("the buffer of {} bytes at {:#x}", range.bytes, range.address);
  return fmt::format("{} ({} bytes at {:#x})", range.name, range.bytes, range.address);
}

}  // namespace

Allocations::Allocations(const LaunchServices& services) : ranges_(services.ranges) {
  if (services.argument_bytes != 0) ranges_.push_back({services.arguments, services.argument_bytes, "the kernel's parameters", true});
  std::erase_if(ranges_, [](const MemoryRange& range) { return range.bytes == 0; });
  std::sort(ranges_.begin(), ranges_.end(), [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
}

const MemoryRange* Allocations::find(std::uint64_t address, std::uint64_t bytes) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                [](std::uint64_t wanted, const MemoryRange& range) { return wanted < range.address; });
  // Ranges may lie inside of others (parts of one buffer), so the nearest one below need not be the one.
  for (int tries = 0; after != ranges_.begin() && tries < 16; ++tries) {
    --after;
    const std::uint64_t inside = address - after->address;
    if (inside < after->bytes && after->bytes - inside >= bytes) return &*after;
  }
  return nullptr;
}

std::string Allocations::nearest(std::uint64_t address) const {
  if (ranges_.empty()) return "the launch has no memory";
  const MemoryRange* best = nullptr;
  std::uint64_t distance = UINT64_MAX;
  for (const MemoryRange& range : ranges_) {
    const std::uint64_t end = range.address + range.bytes;
    const std::uint64_t away = address < range.address ? range.address - address : address >= end ? address - end : 0;
    if (away < distance) {
      distance = away;
      best = &range;
    }
  }
  if (address < best->address) return fmt::format("{} bytes before {}", distance, name_of(*best));
  if (address >= best->address + best->bytes) return fmt::format("{} bytes behind the end of {}", distance, name_of(*best));
  return fmt::format("it begins at offset {} of {} and runs over its end", address - best->address, name_of(*best));
}

}  // namespace bascule::simt
