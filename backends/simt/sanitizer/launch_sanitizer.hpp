// What the sanitizer knows of one launch: its memory, accesses to global memory by all blocks, the findings so far.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "backends/simt/execute/group.hpp"
#include "backends/simt/operations/device_heap.hpp"
#include "backends/simt/sanitizer/allocations.hpp"
#include "backends/simt/sanitizer/shadow.hpp"

namespace bascule::simt {

/// What strong writes to an address have handed over to those who read it.
struct SynchronisedWord {
  MessageByScope to;          // to threads of the last writer's block, of its cluster, to all
  std::uint32_t block = 0;    // the last writer's
  std::uint32_t cluster = 0;
};

class LaunchSanitizer {
 public:
  static constexpr std::size_t kMaxFindings = 16;  // different ones; then the launch ends

  explicit LaunchSanitizer(LaunchServices& services) : services_(services), allocations_(services) {}

  [[nodiscard]] const Allocations& allocations() const { return allocations_; }
  [[nodiscard]] LaunchServices& services() const { return services_; }

  /// Reports something after which the program can go on. `other`: the second place of a race. Each (kind, place, other) once.
  /// False: there are too many, the launch ends.
  bool report(const Op* op, Context& context, unsigned warp, unsigned lane, std::string kind, std::string message,
              const ptx::Instruction* other = nullptr);

  /// What malloc gave is unwritten, and who used it before does not matter.
  void heap_allocated(std::uint64_t address, std::uint64_t bytes);

  /// Global memory is shared by all blocks, which run on several host threads: hold it while using what follows.
  std::mutex mutex;
  Shadow global;
  std::unordered_map<std::uint64_t, SynchronisedWord> words;
  /// Bytes of the device's heap that nobody has written since malloc gave them.
  std::unordered_map<std::uint64_t, ByteSet> heap_blocks;

 private:
  LaunchServices& services_;
  Allocations allocations_;
  std::mutex findings_mutex_;
  std::set<std::tuple<std::string, const ptx::Instruction*, const ptx::Instruction*>> reported_;
};

}  // namespace bascule::simt
