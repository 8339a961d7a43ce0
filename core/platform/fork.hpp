// Detects that the process has forked, without a system call per check.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

namespace bascule::core {

// Grows in the child of each fork. Something made under an older generation belongs to the parent: its driver threads
// do not exist here and its locks may be held for ever.
extern std::atomic<std::uint32_t> g_fork_generation;

// Installs the handler that counts; called once per instance, cheap after the first time.
void watch_forks();

inline std::uint32_t fork_generation() { return g_fork_generation.load(std::memory_order_relaxed); }

}  // namespace bascule::core
