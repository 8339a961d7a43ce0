// Counts forks in the child through pthread_atfork.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/platform/fork.hpp"

#include <pthread.h>

#include <mutex>

namespace bascule::core {

std::atomic<std::uint32_t> g_fork_generation{0};

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    // A failure (out of memory) leaves detection off; using an instance in a forked child is a user's error anyway.
    (void)pthread_atfork(nullptr, nullptr, [] { g_fork_generation.fetch_add(1, std::memory_order_relaxed); });
  });
}

}  // namespace bascule::core
