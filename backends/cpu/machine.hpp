// What this machine is and has: processor, caches, memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bascule::cpu {

struct Processor {
  std::string name;          // "AMD EPYC 9654 96-Core Processor"
  std::string vendor;        // "AMD", "Intel", else what the processor says
  std::string architecture;  // "x86-64-v3"
  std::vector<const char*> features;  // string literals: "avx2", "avx512f", ...
  std::uint64_t l1_data_bytes = 0;    // of one core; 0 where unknown
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;         // of what shares it
  std::uint64_t cache_line_bytes = 64;
};

[[nodiscard]] Processor read_processor();

struct MemoryState {
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  // without swapping, by the kernel's estimate
};

/// Reads /proc/meminfo, cut to the limits of this process's control group (version 2) and those above it.
[[nodiscard]] MemoryState read_memory_state();
/// The same from other files, for tests. `group` as in /proc/self/cgroup.
[[nodiscard]] MemoryState read_memory_state(const std::string& meminfo, const std::string& mount, const std::string& group);

/// What can still be promised: the system promises memory that it does not have and kills the process that touches it, so
/// what was `allocated` here counts as gone even where it was not touched yet and the kernel calls it available.
[[nodiscard]] std::uint64_t promisable_bytes(const MemoryState& state, std::uint64_t allocated);

}  // namespace bascule::cpu
