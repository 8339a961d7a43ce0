// TeamBarrier: a phase-counting barrier in three steps of patience.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team_barrier.hpp"

#include <thread>

#include "spin.hpp"

namespace bascule::cpu {

namespace {

constexpr int kYields = 50;
constexpr std::uint64_t kOneMember = std::uint64_t{1} << 32;

std::uint64_t members(std::uint64_t count) { return count >> 32; }
std::uint64_t arrived(std::uint64_t count) { return count & (kOneMember - 1); }

}  // namespace

TeamBarrier::TeamBarrier(std::uint32_t team_size, std::chrono::microseconds spin) noexcept
    : count_(kOneMember * team_size), spin_(spin) {}

void TeamBarrier::arrive_and_wait() {
  const std::uint32_t phase = phase_.load(std::memory_order_acquire);
  const std::uint64_t count = count_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (arrived(count) == members(count)) return release_phase();

  const auto released = [&] { return phase_.load(std::memory_order_acquire) != phase; };
  if (spin_until(spin_, released)) return;
  for (int i = 0; i < kYields; ++i) {
    std::this_thread::yield();
    if (released()) return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  phase_changed_.wait(lock, [&] { return phase_.load(std::memory_order_seq_cst) != phase; });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void TeamBarrier::leave() {
  const std::uint64_t count = count_.fetch_sub(kOneMember, std::memory_order_acq_rel) - kOneMember;
  if (arrived(count) != 0 && arrived(count) == members(count)) release_phase();
}

// Only the one whose arrival or departure completed the phase comes here; every other member stands still.
void TeamBarrier::release_phase() {
  count_.fetch_and(~(kOneMember - 1), std::memory_order_acq_rel);
  // Sequentially consistent against sleepers_: either the sleeper sees the new phase, or it is seen here.
  phase_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  { std::lock_guard<std::mutex> lock(mutex_); }  // a sleeper between its check and its sleep holds it
  phase_changed_.notify_all();
}

}  // namespace bascule::cpu
