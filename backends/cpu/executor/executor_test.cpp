// The executor: order, sharing, waiting, failures, teams, fork.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executor.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <atomic>
#include <cfenv>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "test_commands.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

ExecutorOptions units(std::uint32_t count) { return {.compute_units = count, .spin = std::chrono::microseconds{20}}; }

Extent range(std::uint64_t items, std::uint64_t grain) { return {.items = items, .grain = grain}; }
Extent team(std::uint32_t limit = 0, std::uint64_t shared_bytes = 0) {
  return {.kind = Extent::Kind::team, .shared_bytes = shared_bytes, .team_limit = limit};
}

// Waits until something that another thread does has happened; no limit, so that a slow machine fails no test.
template <class Condition>
void until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::microseconds{50});
}

}  // namespace

TEST_CASE("commands of one queue run in the order in which they were submitted") {
  Executor executor(units(3));
  TestQueue queue(executor);
  std::vector<int> order;  // not locked: in-order execution must make that right
  for (int i = 0; i < 500; ++i) {
    CHECK(queue.run({}, [&order, i](const Slice&) { return order.push_back(i), BSC_OK; }) == std::uint64_t(i) + 1);
  }
  CHECK_FALSE(queue.finish());
  REQUIRE(order.size() == 500);
  for (int i = 0; i < 500; ++i) CHECK(order[std::size_t(i)] == i);
}

TEST_CASE("the chunks of a launch cover its range once, in whole grains, with worker indexes of their own") {
  for (const std::uint32_t limit : {1u, 2u, 5u}) {
    Executor executor(units(5));
    TestQueue queue(executor, limit);
    for (const std::uint64_t items : {1ull, 7ull, 64ull, 1000ull, 4097ull}) {
      for (const std::uint64_t grain : {1ull, 16ull, 5000ull}) {
        CAPTURE(limit);
        CAPTURE(items);
        CAPTURE(grain);
        std::vector<std::atomic<int>> hits(items);
        std::vector<std::atomic<int>> busy(limit);
        std::atomic<bool> bad{false};
        queue.run(range(items, grain), [&](const Slice& slice) {
          if (slice.worker >= limit || busy[slice.worker].exchange(1) != 0) bad = true;
          if (slice.begin % grain != 0 || (slice.end % grain != 0 && slice.end != items)) bad = true;
          if (slice.begin >= slice.end || slice.end > items) bad = true;
          for (std::uint64_t i = slice.begin; i < slice.end; ++i) ++hits[i];
          busy[slice.worker] = 0;
          return BSC_OK;
        });
        CHECK_FALSE(queue.finish());
        CHECK_FALSE(bad);
        for (auto& hit : hits) CHECK(hit == 1);
      }
    }
  }
}

TEST_CASE("a command and what it holds are gone once its completion is seen") {
  struct SlowToDie {
    std::atomic<int>& dead;
    ~SlowToDie() {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      ++dead;
    }
  };
  Executor executor(units(3));
  TestQueue queue(executor);
  std::atomic<int> dead{0};
  for (int i = 1; i <= 20; ++i) {
    std::atomic<bool> began{false};
    auto held = std::make_shared<SlowToDie>(dead);
    const std::uint64_t value = queue.run(range(3, 1), [&began, held = std::move(held)](const Slice&) { return began = true, BSC_OK; });
    if (i % 2 == 0) until([&] { return began.load(); });  // a worker has it, not the thread that waits
    CHECK_FALSE(queue.wait(value));
    CHECK(dead == i);
  }
}

TEST_CASE("an empty launch and an empty submission complete in order") {
  Executor executor(units(2));
  TestQueue queue(executor);
  bool ran = false;
  queue.run(range(0, 1), [&](const Slice&) { return ran = true, BSC_OK; });
  CHECK(queue.submit({}) == 2);
  CHECK_FALSE(queue.finish());
  CHECK(queue->completed() == 2);
  CHECK_FALSE(ran);
}

TEST_CASE("a tiny launch that is waited for can run on the waiting thread, a submitted one runs without any wait") {
  // What a queue's work uses must outlive the queue, whose end waits for it.
  std::atomic<bool> ran{false}, release{false};
  std::atomic<int> started{0};
  Executor executor(units(2));
  TestQueue queue(executor), busy1(executor), busy2(executor);
  queue.run({}, [&](const Slice&) { return ran = true, BSC_OK; });
  until([&] { return ran.load(); });  // by a worker: nobody waits
  until([&] { return queue->completed() == 1; });
  // Workers are kept busy, so only the waiting thread is left.
  const auto hold = [&](const Slice&) {
    ++started;
    until([&] { return release.load(); });
    return BSC_OK;
  };
  busy1.run({}, hold);
  busy2.run({}, hold);
  until([&] { return started == 2; });
  std::thread::id who;
  const auto value = queue.run({}, [&](const Slice&) { return who = std::this_thread::get_id(), BSC_OK; });
  CHECK_FALSE(queue.wait(value));
  CHECK(who == std::this_thread::get_id());
  release = true;
}

TEST_CASE("different queues run at the same time") {
  Executor executor(units(2));
  TestQueue a(executor), b(executor);
  std::atomic<int> met{0};
  const auto meet = [&](const Slice&) {
    ++met;
    until([&] { return met == 2; });
    return BSC_OK;
  };
  a.run({}, meet);
  b.run({}, meet);
  CHECK_FALSE(a.finish());
  CHECK_FALSE(b.finish());
}

TEST_CASE("a wait with a time limit reports that it passed, and the work goes on") {
  Executor executor(units(2));
  TestQueue queue(executor);
  std::atomic<bool> release{false};
  const auto value = queue.run({}, [&](const Slice&) {
    until([&] { return release.load(); });
    return BSC_OK;
  });
  CHECK(queue.wait(value, 0).status == BSC_TIMED_OUT);
  CHECK(queue.wait(value, 1'000'000).status == BSC_TIMED_OUT);
  release = true;
  CHECK(queue.wait(value, 60'000'000'000).status == BSC_OK);
}

TEST_CASE("waiting for a value that was never submitted is an error") {
  Executor executor(units(1));
  TestQueue queue(executor);
  CHECK(queue.wait(1).status == BSC_INVALID_ARGUMENT);
  CHECK(queue.wait(0).status == BSC_OK);
}

TEST_CASE("a queue waits for another queue's point without holding a worker") {
  Executor executor(units(1));  // one worker: it must not be the one that blocks
  TestQueue first(executor), second(executor);
  std::atomic<bool> go{false};
  std::vector<int> order;
  const auto point = first.run({}, [&](const Slice&) {
    until([&] { return go.load(); });
    return order.push_back(1), BSC_OK;
  });
  second.submit(wait_for(first.get(), point));
  const auto last = second.run({}, [&](const Slice&) { return order.push_back(2), BSC_OK; });
  CHECK(second.wait(last, 2'000'000).status == BSC_TIMED_OUT);
  go = true;
  CHECK_FALSE(second.wait(last));
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("a thread that waits for a parked queue does the work that it is parked on") {
  std::atomic<bool> release{false}, held{false};
  Executor executor(units(1));
  TestQueue busy(executor), first(executor), second(executor);
  busy.run({}, [&](const Slice&) {
    held = true;
    until([&] { return release.load(); });
    return BSC_OK;
  });
  until([&] { return held.load(); });  // the only worker is occupied until the end
  std::thread::id who;
  const auto point = first.run({}, [&](const Slice&) { return who = std::this_thread::get_id(), BSC_OK; });
  second.submit(wait_for(first.get(), point));
  CHECK_FALSE(second.finish());
  CHECK(who == std::this_thread::get_id());
  release = true;
}

TEST_CASE("a failing kernel fails its queue: the first error stays, with its interval, and later work does not run") {
  Executor executor(units(2));
  TestQueue queue(executor), other(executor);
  std::atomic<bool> go{false};
  std::atomic<int> later{0};
  queue.run({}, [](const Slice&) { return BSC_OK; });
  const auto bad = queue.run({}, [&](const Slice&) {
    until([&] { return go.load(); });
    return bsc_status{BSC_NOT_FOUND};
  });
  const auto cancelled = queue.run({}, [&](const Slice&) { return ++later, BSC_OK; });
  other.submit(wait_for(queue.get(), cancelled));
  go = true;
  const Failure failure = queue.wait(cancelled);
  CHECK(failure.status == BSC_LAUNCH_FAILED);
  CHECK(failure.vendor_code == BSC_NOT_FOUND);
  CHECK(failure.last_completed == 1);
  CHECK(failure.first_incomplete == bad);
  CHECK(queue->completed() == cancelled);
  CHECK(later == 0);
  CHECK_FALSE(queue.wait(1));  // what came before is fine
  std::uint64_t value = 0;
  CHECK(executor.submit(*queue.get(), list({}, [](const Slice&) { return BSC_OK; }), false, value).status ==
        BSC_LAUNCH_FAILED);
  const Failure passed_on = other.finish();
  CHECK(passed_on.status == BSC_LAUNCH_FAILED);
  CHECK(passed_on.message.find("waited for") != std::string::npos);
}

TEST_CASE("what a kernel throws is caught and reported") {
  Executor executor(units(2));
  for (const std::uint64_t items : {1ull, 100ull}) {
    TestQueue queue(executor), odd(executor);
    queue.run(range(items, 1), [](const Slice&) -> bsc_status { throw std::runtime_error("no such luck"); });
    const Failure failure = queue.finish();
    CHECK(failure.status == BSC_LAUNCH_FAILED);
    CHECK(failure.message.find("no such luck") != std::string::npos);
    odd.run(range(items, 1), [](const Slice&) -> bsc_status { throw 3; });
    CHECK(odd.finish().status == BSC_LAUNCH_FAILED);
  }
}

TEST_CASE("a host kernel launches on another queue and waits for it, also with a single worker") {
  for (const std::uint32_t count : {1u, 2u}) {
    Executor executor(units(count));
    TestQueue outer(executor), inner(executor), deep(executor);
    std::atomic<int> sum{0};
    outer.run(range(8, 1), [&](const Slice& slice) -> bsc_status {
      if (slice.begin != 0) return BSC_OK;
      inner.run(range(100, 1), [&](const Slice& s) { return sum += int(s.end - s.begin), BSC_OK; });
      inner.run({}, [&](const Slice&) {
        deep.run(range(50, 1), [&](const Slice& s) { return sum += int(s.end - s.begin), BSC_OK; });
        return deep.finish().status;
      });
      return inner.finish().status;
    });
    CHECK(outer.wait(1, 120'000'000'000).status == BSC_OK);  // by workers alone
    CHECK(sum == 150);
  }
}

TEST_CASE("a host kernel that waits for its own queue gets an error instead of hanging") {
  Executor executor(units(2));
  TestQueue queue(executor), other(executor);
  std::atomic<bsc_status> direct{BSC_OK}, roundabout{BSC_OK};
  queue.run({}, [&](const Slice&) {
    direct = queue.wait(1).status;
    other.submit(wait_for(queue.get(), 1));
    roundabout = other.finish().status;
    return BSC_OK;
  });
  CHECK_FALSE(queue.finish());
  CHECK(direct == BSC_INVALID_STATE);
  CHECK(roundabout == BSC_INVALID_STATE);
}

TEST_CASE("a team has the size that the configuration says, all members at once") {
  for (const std::uint32_t count : {1u, 3u, 8u}) {
    Executor executor(units(count));
    for (const std::uint32_t limit : {0u, 1u, 2u, 100u}) {
      for (const std::uint32_t queue_limit : {0u, 2u}) {
        TestQueue queue(executor, queue_limit);
        std::uint32_t expected = count;
        if (limit != 0) expected = std::min(expected, limit);
        if (queue_limit != 0) expected = std::min(expected, queue_limit);
        std::mutex mutex;
        std::set<std::uint32_t> ranks;
        std::atomic<std::uint32_t> wrong{0};
        queue.run(team(limit, 64), [&](const Slice& slice) {
          if (slice.team->size != expected || slice.begin != 0 || slice.end != 1) ++wrong;
          if (reinterpret_cast<std::uintptr_t>(slice.team->shared) % 64 != 0) ++wrong;
          auto* counter = static_cast<std::atomic<std::uint32_t>*>(slice.team->shared);
          if (slice.worker == 0) new (counter) std::atomic<std::uint32_t>(0);
          slice.team->barrier(slice.team);
          ++*counter;
          slice.team->barrier(slice.team);
          if (*counter != expected) ++wrong;
          const std::lock_guard<std::mutex> lock(mutex);
          ranks.insert(slice.worker);
          return BSC_OK;
        });
        CHECK_FALSE(queue.finish());
        CHECK(wrong == 0);
        CHECK(ranks.size() == expected);
        CHECK(*ranks.rbegin() == expected - 1);
      }
    }
  }
}

TEST_CASE("two queues that launch teams at the same time do not deadlock") {
  Executor executor(units(4));
  TestQueue a(executor), b(executor), c(executor);
  std::atomic<int> calls{0};
  const auto body = [&](const Slice& slice) {
    for (int i = 0; i < 3; ++i) slice.team->barrier(slice.team);
    return ++calls, BSC_OK;
  };
  for (int i = 0; i < 100; ++i) {
    a.run(team(), body);
    b.run(team(3), body);
    c.run(range(64, 1), [](const Slice&) { return BSC_OK; });
  }
  std::thread other([&] { CHECK_FALSE(b.finish()); });
  CHECK_FALSE(a.finish());
  other.join();
  CHECK(calls == 100 * 4 + 100 * 3);
}

TEST_CASE("a team launched and waited for from inside a team finds its members") {
  Executor executor(units(3));
  std::atomic<int> inner_calls{0};
  TestQueue outer(executor), inner(executor);
  outer.run(team(), [&](const Slice& slice) {
    bsc_status status = BSC_OK;
    if (slice.worker == 1) {
      inner.run(team(), [&](const Slice& s) {
        s.team->barrier(s.team);
        return ++inner_calls, BSC_OK;
      });
      status = inner.finish().status;
    }
    slice.team->barrier(slice.team);  // the others stand here meanwhile
    return status;
  });
  CHECK_FALSE(outer.finish());
  CHECK(inner_calls == 3);
}

TEST_CASE("a member that returns early fails the launch and keeps nobody at the barrier") {
  Executor executor(units(3));
  TestQueue queue(executor), thrower(executor);
  queue.run(team(), [&](const Slice& slice) {
    if (slice.worker != 1) slice.team->barrier(slice.team);
    return BSC_OK;
  });
  const Failure failure = queue.finish();
  CHECK(failure.status == BSC_LAUNCH_FAILED);
  CHECK(failure.message.find("equally often") != std::string::npos);
  thrower.run(team(), [&](const Slice& slice) {
    if (slice.worker == 2) throw std::runtime_error("member two");
    slice.team->barrier(slice.team);
    return BSC_OK;
  });
  // Whichever comes first: the exception is reported, never replaced by the barrier's own complaint.
  CHECK(thrower.finish().message.find("member two") != std::string::npos);
}

TEST_CASE("each call has scratch memory of its own, aligned to 64 bytes") {
  Executor executor(units(4));
  TestQueue queue(executor);
  std::atomic<int> wrong{0};
  Extent extent = range(64, 1);
  extent.scratch_bytes = 1000;
  queue.run(extent, [&](const Slice& slice) {
    auto* bytes = static_cast<unsigned char*>(slice.scratch);
    if (reinterpret_cast<std::uintptr_t>(bytes) % 64 != 0) ++wrong;
    for (int i = 0; i < 1000; ++i) bytes[i] = static_cast<unsigned char>(slice.begin);
    std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) wrong += bytes[i] != static_cast<unsigned char>(slice.begin);
    return BSC_OK;
  });
  CHECK_FALSE(queue.finish());
  CHECK(wrong == 0);
  extent.scratch_bytes = UINT64_MAX - 100;
  queue.run(extent, [](const Slice&) { return BSC_OK; });
  CHECK(queue.finish().status == BSC_OUT_OF_MEMORY);
}

TEST_CASE("a waiting thread's floating-point settings do not reach the kernel, and come back unchanged") {
  std::atomic<bool> release{false}, held{false};
  Executor executor(units(1));
  TestQueue busy(executor), queue(executor);
  busy.run({}, [&](const Slice&) {
    held = true;
    until([&] { return release.load(); });
    return BSC_OK;
  });
  until([&] { return held.load(); });
  std::fesetround(FE_UPWARD);
  _mm_setcsr(_mm_getcsr() | 0x8040u);  // flush to zero, denormals are zero
  const unsigned before = _mm_getcsr();
  int rounding = -1;
  volatile float tiny = 1e-39f;
  float doubled = 0;
  queue.run({}, [&](const Slice&) {
    rounding = std::fegetround();
    doubled = tiny * 2.0f;
    std::fesetround(FE_DOWNWARD);  // a kernel that does not clean up
    return BSC_OK;
  });
  const Failure failure = queue.finish();
  const unsigned after = _mm_getcsr();
  const int rounding_after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
  release = true;
  CHECK_FALSE(failure);
  CHECK(rounding == FE_TONEAREST);
  CHECK(doubled > 0.0f);
  CHECK(after == before);
  CHECK(rounding_after == FE_UPWARD);
}

TEST_CASE("times are kept for submissions that ask, and are in order") {
  Executor executor(units(2));
  TestQueue queue(executor);
  const auto timed = queue.submit(list({}, [](const Slice&) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    return BSC_OK;
  }), true);
  const auto untimed = queue.run({}, [](const Slice&) { return BSC_OK; });
  CHECK_FALSE(queue.finish());
  SubmissionTimes times;
  REQUIRE(queue->times(timed, times));
  CHECK(times.submitted <= times.started);
  CHECK(times.ended - times.started >= 2'000'000);
  CHECK_FALSE(queue->times(untimed, times));
  for (int i = 0; i < 1500; ++i) queue.submit(list({}, [](const Slice&) { return BSC_OK; }), true);
  CHECK_FALSE(queue.finish());
  CHECK_FALSE(queue->times(timed, times));
  for (std::uint64_t value = queue->submitted() - 1023; value <= queue->submitted(); ++value) CHECK(queue->times(value, times));
}

TEST_CASE("no threads are started before there is a queue, and never more than there are compute units") {
  Executor executor(units(4));
  CHECK(executor.thread_count() == 0);
  TestQueue queue(executor);
  for (int i = 0; i < 50; ++i) queue.run(range(64, 1), [](const Slice&) { return BSC_OK; });
  CHECK_FALSE(queue.finish());
  CHECK(executor.thread_count() >= 1);
  CHECK(executor.thread_count() <= 4);
}

TEST_CASE("a forked child is told so by every call instead of hanging") {
  auto executor = std::make_unique<Executor>(units(2));
  auto queue = std::make_unique<TestQueue>(*executor);
  const auto value = queue->run({}, [](const Slice&) { return BSC_OK; });
  CHECK_FALSE(queue->finish());
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::uint64_t next = 0;
    std::shared_ptr<WorkQueue> another;
    const bool all = executor->forked() &&
                     executor->submit(*queue->get(), list({}, [](const Slice&) { return BSC_OK; }), false, next).status == BSC_FORKED &&
                     executor->create_queue(0, WorkQueue::Priority::normal, another).status == BSC_FORKED &&
                     executor->wait(queue->get(), value + 1, Executor::kForever).status == BSC_FORKED &&
                     executor->close_queue(queue->get()).status == BSC_FORKED &&
                     queue->wait(value).status == BSC_OK;
    ::_exit(all ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK_FALSE(executor->forked());
}
