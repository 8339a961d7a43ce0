// The executor under load: many queues and threads, random waits across queues, teams in teams, more threads than
// processors. The seed is printed when a check fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "executor.hpp"
#include "test_commands.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

// A queue's own record: a counter that only its commands touch, unlocked, so that any two that overlap are a data race.
struct Lane {
  explicit Lane(Executor& executor, std::uint32_t limit, WorkQueue::Priority priority) : queue(executor, limit, priority) {}
  TestQueue queue;
  std::uint64_t steps = 0;
  std::uint64_t expected = 0;
  std::atomic<std::uint64_t> items{0};
  std::uint64_t expected_items = 0;
  std::atomic<std::uint64_t> members{0};
};

WorkQueue::Priority any_priority(std::mt19937_64& random) {
  constexpr WorkQueue::Priority kAll[] = {WorkQueue::Priority::high, WorkQueue::Priority::normal, WorkQueue::Priority::low};
  return kAll[random() % 3];
}

void submit_something(std::vector<std::unique_ptr<Lane>>& lanes, Lane& lane, std::mt19937_64& random) {
  switch (random() % 6) {
    case 0: {  // wait for whatever another queue has by now
      Lane& other = *lanes[random() % lanes.size()];
      lane.queue.submit(wait_for(other.queue.get(), other.queue->submitted()));
      break;
    }
    case 1: {
      const std::uint64_t items = random() % 300;
      lane.expected_items += items;
      lane.queue.run({.items = items, .grain = 1 + random() % 8, .scratch_bytes = random() % 2 * 512},
                     [&lane](const Slice& s) { return lane.items += s.end - s.begin, BSC_OK; });
      break;
    }
    case 2:
      lane.queue.run({.kind = Extent::Kind::team, .shared_bytes = 128, .team_limit = std::uint32_t(random() % 4)},
                     [&lane](const Slice& s) {
                       s.team->barrier(s.team);
                       if (s.worker == 0) ++lane.steps;
                       s.team->barrier(s.team);
                       return ++lane.members, BSC_OK;
                     });
      ++lane.expected;
      break;
    default:
      ++lane.expected;
      lane.queue.run({}, [&lane](const Slice&) { return ++lane.steps, BSC_OK; });
  }
}

}  // namespace

TEST_CASE("many queues fed by many threads, with waits across queues, keep order and lose nothing") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  for (const std::uint32_t units : {1u, 2u, 8u}) {
    CAPTURE(units);
    Executor executor({.compute_units = units, .spin = std::chrono::microseconds{seed % 2 * 20}});
    std::mt19937_64 random(seed + units);
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int i = 0; i < 12; ++i) {
      lanes.push_back(std::make_unique<Lane>(executor, std::uint32_t(random() % (units + 1)), any_priority(random)));
    }
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937_64 mine(seed * 31 + t);
        for (int round = 0; round < 150; ++round) {
          Lane& lane = *lanes[t + 4 * (mine() % 3)];  // three queues a thread, each used by one
          submit_something(lanes, lane, mine);
          if (mine() % 8 == 0) (void)lane.queue.wait(lane.queue->submitted(), mine() % 50'000);
          if (mine() % 16 == 0) (void)lane.queue.finish();
          // waiting for somebody else's queue is allowed as well
          if (mine() % 32 == 0) (void)lanes[mine() % lanes.size()]->queue.finish();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (auto& lane : lanes) {
      CHECK_FALSE(lane->queue.finish());
      CHECK(lane->steps == lane->expected);
      CHECK(lane->items == lane->expected_items);
    }
  }
}

TEST_CASE("teams launched and waited for from inside teams, on several queues at once, all finish") {
  for (const std::uint32_t units : {2u, 8u}) {
    CAPTURE(units);
    Executor executor({.compute_units = units});
    std::atomic<int> inner_members{0}, outer_members{0};
    constexpr int kRounds = 15;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        TestQueue outer(executor);
        std::vector<std::unique_ptr<TestQueue>> inner;
        for (std::uint32_t i = 0; i < units; ++i) inner.push_back(std::make_unique<TestQueue>(executor));
        for (int round = 0; round < kRounds; ++round) {
          outer.run({.kind = Extent::Kind::team}, [&](const Slice& slice) {
            TestQueue& mine = *inner[slice.worker];
            mine.run({.kind = Extent::Kind::team}, [&](const Slice& s) {
              s.team->barrier(s.team);
              return ++inner_members, BSC_OK;
            });
            const bsc_status status = mine.finish().status;
            slice.team->barrier(slice.team);
            return ++outer_members, status;
          });
          CHECK_FALSE(outer.finish());
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(outer_members == int(3 * kRounds * units));
    CHECK(inner_members == int(3 * kRounds * units * units));
  }
}

TEST_CASE("queues are made and closed while others run") {
  Executor executor({.compute_units = 3});
  std::vector<std::thread> threads;
  std::atomic<int> done{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        TestQueue queue(executor);
        for (int i = 0; i < 3; ++i) queue.run({.items = 40, .grain = 1}, [&](const Slice& s) { return done += int(s.end - s.begin), BSC_OK; });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(done == 4 * 100 * 3 * 40);
}

TEST_CASE("failures on some queues leave the others alone") {
  Executor executor({.compute_units = 4});
  std::vector<std::unique_ptr<TestQueue>> queues;
  for (int i = 0; i < 8; ++i) queues.push_back(std::make_unique<TestQueue>(executor));
  std::atomic<int> ran{0};
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < queues.size(); ++i) {
      const bool fails = i % 2 == 0 && round == 25;
      queues[i]->run({.items = 16, .grain = 1}, [&, fails](const Slice&) { return ++ran, fails ? bsc_status{BSC_INTERNAL} : BSC_OK; });
    }
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const Failure failure = queues[i]->finish();
    CHECK((failure.status == BSC_LAUNCH_FAILED) == (i % 2 == 0));
    if (failure) CHECK(failure.first_incomplete == failure.last_completed + 1);
  }
}
