// What the sanitizer knows of one block: how far its threads have got, accesses to its shared memory, what nobody has written
// yet, which copies are under way. A block is run by one host thread at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/simt/execute/instrument.hpp"
#include "backends/simt/operations/asynchronous_copy.hpp"
#include "backends/simt/sanitizer/launch_sanitizer.hpp"
#include "backends/simt/sanitizer/shadow.hpp"

namespace bascule::simt {

/// Threads that have come to a barrier, and all that they know together.
struct Gathering {
  Knowledge known;
  struct Arrival {
    std::uint32_t thread;
    std::uint32_t clock;
    bool waits;
  };
  std::vector<Arrival> arrivals;
};

struct MbarrierRecord {
  std::uint32_t phases = 0;  // completed
  MessageByScope arriving;   // of the phase that goes on: to the object's block, to its cluster
  MessageByScope completed;  // of the last one
  std::unordered_map<std::uint32_t, std::uint32_t> seen;  // by thread: 1 + the last phase it found complete
};

class BlockSanitizer : public BlockObserver, public CopyObserver {
 public:
  BlockSanitizer(Block& block, LaunchSanitizer& launch);

  void barrier_completed(std::uint32_t barrier) override;
  void copy_completed(const AsynchronousCopy& copy, bool waited) override;

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::uint32_t cluster_number() const { return cluster_number_; }
  [[nodiscard]] std::size_t threads() const { return clocks_.size(); }
  [[nodiscard]] std::uint32_t thread_of(const Context& context, unsigned warp, unsigned lane) const {
    return (context.group->first_warp + warp) * kLanes + lane;
  }
  [[nodiscard]] ThreadClock& clock(std::uint32_t thread) { return clocks_[thread]; }
  [[nodiscard]] Message hand_over(std::uint32_t thread);

  void come_to_barrier(std::uint32_t barrier, std::uint32_t thread, bool waits);
  /// bar.warp.sync; `members`: without exited lanes.
  void come_to_warp_barrier(std::uint32_t warp, std::uint32_t members, std::uint32_t lanes);
  void leave_warp_barrier(std::uint32_t warp, std::uint32_t lanes);
  void fence(std::uint32_t thread, Scope scope);
  /// A strong write, before it is done; `releases`: it hands over all that the thread knows, else what its last fence did.
  void strong_write(SynchronisedWord& word, std::uint32_t thread, bool releases, Scope scope, bool replaces);
  /// A strong read, after it is done.
  void strong_read(const SynchronisedWord& word, std::uint32_t thread, bool acquires, Scope scope);

  [[nodiscard]] ByteSet& unwritten_local(const Group& group, std::uint32_t thread);

  /// A copy that is under way into, or from, some of the bytes.
  [[nodiscard]] const AsynchronousCopy* copy_into(std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] const AsynchronousCopy* copy_from(std::uint64_t address, std::uint64_t bytes) const;
  void copy_issued(const AsynchronousCopy& copy);
  [[nodiscard]] bool holds_mbarrier(std::uint64_t offset, std::uint64_t bytes) const;

  Block& block;
  LaunchSanitizer& launch;
  Shadow shared;
  ByteSet unwritten_shared;
  std::unordered_map<std::uint64_t, SynchronisedWord> words;  // in shared memory
  std::map<std::uint64_t, MbarrierRecord> mbarriers;          // by offset

  /// What a check before an operation leaves for the one after it: nothing else of the block runs in between.
  struct {
    std::uint32_t lanes = 0;
    std::array<std::uint64_t, kLanes> address{};  // shared: offset; else the host's
    std::array<BlockSanitizer*, kLanes> owner{};  // whose shared memory; null: it isn't shared
  } last;

 private:
  void complete(Gathering& gathering);
  void complete_warp_barrier(std::uint32_t warp, std::uint32_t members);

  std::uint32_t number_;
  std::uint32_t cluster_number_;
  std::vector<ThreadClock> clocks_;
  std::array<Gathering, 16> barriers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Gathering> warp_barriers_;  // by warp, members
  std::vector<ByteSet> unwritten_local_;
  std::multimap<std::uint64_t, AsynchronousCopy> in_flight_;  // by offset of the target
};

/// Adds what the arrivals say to what is known; with as many times as there are threads.
void take_in_arrivals(Gathering& gathering, std::size_t threads);

/// The block's, made when first asked for.
[[nodiscard]] BlockSanitizer& sanitizer_of(Block& block);
[[nodiscard]] inline BlockSanitizer& sanitizer_of(const Context& context) { return sanitizer_of(*context.group->block); }

}  // namespace bascule::simt
