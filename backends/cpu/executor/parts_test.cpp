// The executor's parts: cutting ranges, the team barrier, scratch memory, processor limits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "compute_units.hpp"
#include "launch.hpp"
#include "scratch_cache.hpp"
#include "team_barrier.hpp"

using namespace bascule::cpu;

TEST_CASE("a split covers its range in whole grains, also at the ends of 64 bits") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const auto any = [&] { return random() >> (random() % 64); };
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t items = i == 0 ? UINT64_MAX : any() | 1, grain = i == 1 ? UINT64_MAX : any() | 1;
    const auto participants = static_cast<std::uint32_t>(1 + random() % 300);
    CAPTURE(items);
    CAPTURE(grain);
    CAPTURE(participants);
    const Split split = split_range(items, grain, participants);
    REQUIRE(split.chunks >= 1);
    if (split.chunks == 1) continue;
    CHECK(split.chunk_items % grain == 0);
    const auto whole = static_cast<unsigned __int128>(split.chunk_items) * (split.chunks - 1);
    CHECK(whole < items);                        // the last chunk is not empty
    CHECK(items - whole <= split.chunk_items);  // and not longer than the others
    CHECK(split.chunks <= 2 * 8 * std::uint64_t{participants});
  }
  CHECK(split_range(0, 1, 4).chunks == 0);
  CHECK(split_range(1000, 1, 1).chunks == 1);
  CHECK(split_range(1000, 0, 4).chunks > 1);  // a grain of 0 counts as 1
}

TEST_CASE("a barrier with more members than processors lets every phase begin only when the last has ended") {
  constexpr std::uint32_t kMembers = 9;
  constexpr int kPhases = 300;
  for (const int spin_us : {0, 20}) {
    TeamBarrier barrier(kMembers, std::chrono::microseconds{spin_us});
    std::vector<int> phase(kMembers, 0);  // unlocked: the barrier orders the accesses
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint32_t member = 0; member < kMembers; ++member) {
      threads.emplace_back([&, member] {
        for (int p = 1; p <= kPhases; ++p) {
          phase[member] = p;
          barrier.arrive_and_wait();
          for (const int other : phase) wrong += other != p;
          barrier.arrive_and_wait();
        }
        barrier.leave();
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("a member that leaves releases those who wait, even when they are asleep") {
  TeamBarrier barrier(3, std::chrono::microseconds{0});
  std::thread a([&] { barrier.arrive_and_wait(); }), b([&] { barrier.arrive_and_wait(); });
  std::this_thread::sleep_for(std::chrono::milliseconds{5});
  barrier.leave();
  a.join();
  b.join();
}

TEST_CASE("scratch blocks are aligned, distinct while in use, and used again") {
  ScratchCache cache(4);
  void* seen = nullptr;
  {
    const ScratchBlock a = cache.take(100), b = cache.take(100);
    CHECK(a.data() != b.data());
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
    seen = a.data();
  }
  const ScratchBlock again = cache.take(200);
  CHECK(again.data() == seen);
  CHECK(cache.take(0).data() == nullptr);
  CHECK(cache.take(UINT64_MAX).data() == nullptr);
}

TEST_CASE("the affinity mask bounds the processors") {
  cpu_set_t before, one;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(affinity_processors() == std::uint32_t(CPU_COUNT(&before)));
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(affinity_processors() == 1);
  CHECK(usable_processors() == 1);
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
}

TEST_CASE("the smallest control group limit on the way up counts, rounded up") {
  const auto root = std::filesystem::temp_directory_path() / ("bascule-cgroup-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "a/b");
  const auto set = [&](const char* group, const char* text) { std::ofstream(root / group / "cpu.max") << text << '\n'; };
  CHECK_FALSE(control_group_processors(root, "/a/b"));
  set("a/b", "max 100000");
  CHECK_FALSE(control_group_processors(root, "/a/b"));
  set("a", "250000 100000");
  CHECK(control_group_processors(root, "/a/b") == 3);
  set("a/b", "100000 100000");
  CHECK(control_group_processors(root, "/a/b") == 1);
  CHECK(control_group_processors(root, "/a") == 3);
  CHECK_FALSE(control_group_processors(root, "/"));
  set("a/b", "rubbish");
  CHECK(control_group_processors(root, "/a/b") == 3);
  std::filesystem::remove_all(root);
}
