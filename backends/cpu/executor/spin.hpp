// Short waits without sleeping: a processor pause, a bounded spin, and a lock that spins a little before it sleeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <mutex>

namespace bascule::cpu {

using Clock = std::chrono::steady_clock;

/// Tells the processor that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Spins until `condition()` holds or `budget` has passed; returns whether it holds. A budget of zero only looks.
template <class Condition>
bool spin_until(std::chrono::microseconds budget, Condition condition) {
  if (condition()) return true;
  if (budget.count() <= 0) return false;
  // Reading the clock costs about as much as one pause: look at it every few rounds only.
  constexpr int kRoundsPerClock = 16;
  const auto end = Clock::now() + budget;
  do {
    for (int round = 0; round < kRoundsPerClock; ++round) {
      relax();
      if (condition()) return true;
    }
  } while (Clock::now() < end);
  return false;
}

/// Locks `mutex`, trying for about a microsecond before sleeping. The executor's critical sections are tens of
/// nanoseconds long, and a sleep costs several microseconds.
[[nodiscard]] inline std::unique_lock<std::mutex> lock_briefly_held(std::mutex& mutex) {
  constexpr int kTries = 40;
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  for (int attempt = 0; attempt < kTries && !lock.owns_lock(); ++attempt) {
    relax();
    (void)lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

}  // namespace bascule::cpu
