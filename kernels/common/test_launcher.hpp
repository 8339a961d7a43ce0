// Calls host kernels in tests as the cpu device would, but with every split and team size chosen by the test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "host_entries.hpp"

namespace bascule::kernels {

// One CPU level's table, as tests iterate over them.
struct level_entries {
  const char* name;
  host_entries entries;
};

// How the items of a launch are cut into calls.
struct split {
  std::uint64_t grain;  // block[0]; every call but the last gets a multiple of it
  std::uint64_t calls;  // number of calls at most
  unsigned threads;     // 1: all calls here, in order; more: on as many threads, in any order
};
namespace test_detail {

struct aligned_free {
  void operator()(void* p) const { std::free(p); }
};
using aligned_memory = std::unique_ptr<void, aligned_free>;

// Filled with NaN, so that a kernel which reads scratch before writing it shows.
inline aligned_memory allocate(std::uint64_t bytes) {
  if (bytes == 0) return nullptr;
  const std::uint64_t rounded = (bytes + 63) / 64 * 64;
  aligned_memory memory(std::aligned_alloc(64, rounded));
  std::fill_n(static_cast<unsigned char*>(memory.get()), rounded, static_cast<unsigned char>(0xff));
  return memory;
}

struct test_team {
  bsc_host_team team;  // first, so that the barrier finds the rest
  std::barrier<>* barrier;
};

inline void meet(bsc_host_team* team) { reinterpret_cast<test_team*>(team)->barrier->arrive_and_wait(); }

}  // namespace test_detail

// The levels whose instructions this machine has.
inline std::vector<level_entries> runnable_levels(const host_entries& v2, const host_entries& v3,
                                                  const host_entries& v4, const host_entries& v4_on_v3) {
  std::vector<level_entries> levels{{"v2", v2}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    levels.push_back({"v3", v3});
    levels.push_back({"v4_on_v3", v4_on_v3});
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    levels.push_back({"v4", v4});
  return levels;
}

// The entry called NAME_<level>, e.g. find_entry(level, "softmax_f32"). Throws std::out_of_range if there is none.
inline const bsc_host_entry& find_entry(const level_entries& level, const std::string& name) {
  const std::string wanted = name + "_" + level.name;
  for (std::uint32_t i = 0; i < level.entries.count; ++i)
    if (wanted == level.entries.entries[i].name) return level.entries.entries[i];
  throw std::out_of_range("no host entry " + wanted);
}

// Launches `grid` work items. Returns the first failure, or BSC_OK. An empty grid calls nothing.
inline bsc_status launch_items(const bsc_host_entry& entry, const void* arguments, std::uint64_t grid,
                               const split& how) {
  if (grid == 0) return BSC_OK;
  const std::uint64_t grains = (grid + how.grain - 1) / how.grain;
  const std::uint64_t calls = std::clamp<std::uint64_t>(how.calls, 1, grains);
  std::atomic<std::uint64_t> next{0};
  std::atomic<bsc_status> status{BSC_OK};
  const auto work = [&](std::uint32_t worker) {
    const auto scratch = test_detail::allocate(entry.scratch_bytes);
    for (std::uint64_t call = next++; call < calls; call = next++) {
      const std::uint64_t begin = grains * call / calls * how.grain;
      const std::uint64_t end = std::min(grains * (call + 1) / calls * how.grain, grid);
      const bsc_status result = entry.function(arguments, begin, end, worker, scratch.get(), nullptr);
      bsc_status none = BSC_OK;
      if (result != BSC_OK) status.compare_exchange_strong(none, result);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < how.threads; ++i) threads.emplace_back(work, i);
  work(0);
  for (auto& thread : threads) thread.join();
  return status;
}

// Launches a team of `members` threads.
inline bsc_status launch_team(const bsc_host_entry& entry, const void* arguments, unsigned members) {
  std::barrier<> barrier(members);
  const auto shared = test_detail::allocate(entry.shared_bytes);
  test_detail::test_team team{{sizeof(bsc_host_team), members, shared.get(), test_detail::meet}, &barrier};
  std::atomic<bsc_status> status{BSC_OK};
  const auto work = [&](std::uint32_t rank) {
    const auto scratch = test_detail::allocate(entry.scratch_bytes);
    const bsc_status result = entry.function(arguments, 0, 1, rank, scratch.get(), &team.team);
    bsc_status none = BSC_OK;
    if (result != BSC_OK) status.compare_exchange_strong(none, result);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < members; ++i) threads.emplace_back(work, i);
  work(0);
  for (auto& thread : threads) thread.join();
  return status;
}

}  // namespace bascule::kernels
