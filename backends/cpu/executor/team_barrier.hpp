// The barrier of a team of host-kernel members.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace bascule::cpu {

/// Members spin, then yield, then sleep: it stays live with more members than processors, and a member that is held up
/// for long costs the others no processor time.
class TeamBarrier {
 public:
  TeamBarrier(std::uint32_t members, std::chrono::microseconds spin) noexcept;

  /// Returns when every member that has not left has arrived. Writes before it are visible after it.
  void arrive_and_wait();

  /// A member that returns from its kernel leaves, so that the others never wait for it.
  void leave();

 private:
  void release_phase();

  // Members in the upper half, arrivals of this phase in the lower: one word, so that exactly one change completes a phase.
  alignas(64) std::atomic<std::uint64_t> count_;
  alignas(64) std::atomic<std::uint32_t> phase_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::chrono::microseconds spin_;
  std::mutex mutex_;
  std::condition_variable phase_changed_;
};

}  // namespace bascule::cpu
