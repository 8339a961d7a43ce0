// The copies from global to shared memory that cp.async has started and nobody has waited for.
//
// Without the sanitizer a copy is done where it is issued and nothing is kept. With it, each copy is kept until the program has
// waited for it. Then, chosen by the seed, it is done at issue or as late as the program allows: by the wait, or when somebody
// asks the mbarrier that tracks it. Programs that are right can't tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "backends/simt/execute/group.hpp"

namespace bascule::simt {

struct AsynchronousCopy {
  const Op* op = nullptr;  // the cp.async
  std::uint32_t thread = 0;  // in the block
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::uint8_t bytes = 0;
  std::uint8_t taken = 0;  // from `from`; zeros follow
  std::uint32_t issued = 0;  // the sanitizer's time
};

void perform(const AsynchronousCopy& copy);

/// Is told when a copy is complete for the thread that started it, or for those who wait at an mbarrier.
class CopyObserver {
 public:
  virtual ~CopyObserver() = default;
  virtual void copy_completed(const AsynchronousCopy& copy, bool waited) = 0;  // by its thread; else through an mbarrier
};

class AsynchronousCopies : public Extension {
 public:
  AsynchronousCopies(std::uint32_t threads, bool late) : threads_(threads), late_(late) {}

  void add(const AsynchronousCopy& copy);
  void commit(std::uint32_t thread);
  /// Until at most `left` committed groups of the thread are pending.
  void wait(std::uint32_t thread, std::uint32_t left);
  /// commit() and wait() for all.
  void wait_all(std::uint32_t thread);
  /// An arrival at the mbarrier once all copies that the thread has started are complete.
  void arrive_when_done(std::uint32_t thread, std::byte* barrier);
  /// Completes what the mbarrier tracks.
  void complete(std::byte* barrier);

  CopyObserver* observer = nullptr;

 private:
  struct Arrival {
    std::byte* barrier;
    std::uint64_t before;  // the copies with a lower number
  };
  struct Numbered {
    AsynchronousCopy copy;
    std::uint64_t number;
  };
  struct Thread {
    std::deque<std::vector<Numbered>> groups;  // committed
    std::vector<Numbered> open;
    std::vector<Arrival> arrivals;
    std::uint64_t next = 0;
  };
  void finish(const Numbered& copy, bool waited);
  void finish_before(Thread& thread, std::uint64_t number);
  static std::uint64_t first_pending(const Thread& thread);
  static void arrive_for(Thread& thread);

  std::vector<Thread> threads_;
  bool late_;
};

/// The block's copies; null without the sanitizer.
[[nodiscard]] AsynchronousCopies* copies_of(Block& block);
[[nodiscard]] inline AsynchronousCopies* copies_of(const Context& context) { return copies_of(*context.group->block); }

}  // namespace bascule::simt
