// event.wait and event.completed, and waits between queues.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/conformance/elements.hpp"
#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often a look at unfinished work is tried: a machine that stands still for the work's whole time proves nothing.
constexpr int kTries = 5;

}  // namespace

CONFORMANCE_CASE(core, event_wait, returns_ok_for_what_has_completed) {
  Session session(context);
  Queue queue(session);
  for (int i = 0; i < 3; ++i) queue.submit(Commands());
  queue.wait(3);
  Error error;
  for (const std::uint64_t timeout : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, BSC_WAIT_FOREVER}) {
    expect_ok(queue.try_wait(3, timeout, error), error, fmt::format("wait with a timeout of {} ns", timeout));
  }
}

CONFORMANCE_CASE(core, event_wait, past_values_stay_completed) {
  Session session(context);
  Queue queue(session);
  for (int i = 0; i < 50; ++i) queue.submit(Commands());
  queue.wait(50);
  for (const std::uint64_t value : {50, 1, 25, 49, 1}) queue.wait(value);
}

CONFORMANCE_CASE(core, event_wait, refuses_values_that_were_not_submitted) {
  Session session(context);
  Queue queue(session);
  Error error;
  expect_refused(queue.try_wait(1, 0, error), error, {BSC_INVALID_ARGUMENT}, "value 1 of a new queue");
  queue.submit(Commands());
  for (const std::uint64_t value : {std::uint64_t{2}, std::uint64_t{1} << 40, UINT64_MAX}) {
    expect_refused(queue.try_wait(value, 0, error), error, {BSC_INVALID_ARGUMENT}, fmt::format("value {}", value));
  }
  expect_refused(queue.try_wait(2, BSC_WAIT_FOREVER, error), error, {BSC_INVALID_ARGUMENT}, "value 2, forever");
  queue.wait(1);
}

CONFORMANCE_CASE(core, event_wait, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_QUEUE)) {
    error.reset();
    expect_refused(session.api.event->wait(bad.handle, 0, 0, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(async, event_wait, returns_when_the_work_has_completed) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Queue queue(session);
  const std::uint64_t value = work.submit(queue);
  queue.wait(value);
  expect(queue.completed(value) >= value, "wait returned before the work had completed");
}

CONFORMANCE_CASE(async, event_wait, a_timeout_of_zero_only_looks) {
  Session session(context, slow_options(context, 200));
  SlowWork work(session, 200);
  Queue queue(session);
  bool seen = false;
  for (int i = 0; i < kTries && !seen; ++i) {
    const std::uint64_t value = work.submit(queue);
    Error error;
    const bsc_status status = queue.try_wait(value, 0, error);
    if (status == BSC_TIMED_OUT) {
      expect_refused(status, error, {BSC_TIMED_OUT}, "a look at unfinished work");
      expect(error.raw().retryable == 1, "a time-out is not marked as retryable");
      seen = true;
    } else {
      expect_ok(status, error, "event.wait");
    }
    queue.wait(value);
  }
  expect(seen, "a wait with timeout 0 waits for the work");
}

CONFORMANCE_CASE(async, event_wait, does_not_time_out_early) {
  Session session(context, slow_options(context, 300));
  SlowWork work(session, 300);
  Queue queue(session);
  const std::uint64_t value = work.submit(queue);
  Error error;
  const auto start = Clock::now();
  const bsc_status status = queue.try_wait(value, 50'000'000, error);
  if (status == BSC_TIMED_OUT) {
    expect_refused(status, error, {BSC_TIMED_OUT}, "a wait of 50 ms for work of 300 ms");
    expect(Clock::now() - start >= milliseconds(50), "a wait of 50 ms timed out earlier");
  } else {
    // The waiting thread may have run the work itself.
    expect_ok(status, error, "event.wait");
    expect(queue.completed(value) >= value, "wait returned OK before the work had completed");
  }
  queue.wait(value);
}

CONFORMANCE_CASE(async, event_wait, a_timed_out_wait_leaves_the_work_going) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Queue queue(session);
  const std::uint64_t value = work.submit(queue);
  Error error;
  while (queue.try_wait(value, 1'000'000, error) == BSC_TIMED_OUT) {
  }
  queue.wait(value);
  expect(queue.completed(value) == value, "the work did not complete");
}

CONFORMANCE_CASE(async, event_wait, very_long_timeouts_do_not_wrap) {
  Session session(context, slow_options(context, 50));
  SlowWork work(session, 50);
  Queue queue(session);
  for (const std::uint64_t timeout : {UINT64_MAX - 1, std::uint64_t{1} << 63, std::uint64_t{INT64_MAX}}) {
    const std::uint64_t value = work.submit(queue);
    Error error;
    expect_ok(queue.try_wait(value, timeout, error), error, fmt::format("a wait of up to {} ns", timeout));
    expect(queue.completed(value) >= value, "wait returned before the work had completed");
  }
}

CONFORMANCE_CASE(async, event_wait, works_from_several_threads_at_once) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Queue queue(session);
  work.submit(queue);
  const std::uint64_t value = work.submit(queue);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const std::uint64_t waited = i % 2 == 0 ? value : 1;
      if (session.api.event->wait(queue, waited, BSC_WAIT_FOREVER, nullptr) != BSC_OK) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, "a wait failed");
  expect(queue.completed(value) == value, "wait returned before the work had completed");
}

CONFORMANCE_CASE(async, event_wait, works_while_another_thread_submits) {
  Session session(context);
  Memory memory(session, 4096);
  Queue queue(session);
  const std::uint32_t pattern = 5;
  queue.submit(Commands());
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread waiter([&] {
    while (!stop) {
      if (session.api.event->wait(queue, 1, BSC_WAIT_FOREVER, nullptr) != BSC_OK) ++wrong;
    }
  });
  std::uint64_t last = 0;
  for (int i = 0; i < 500; ++i) last = queue.submit(Commands().fill(memory, 0, 4096, &pattern, 4));
  queue.wait(last);
  stop = true;
  waiter.join();
  expect(wrong == 0, "a wait failed");
}

CONFORMANCE_CASE(async, queue_submit, never_waits_for_the_work) {
  Session session(context, slow_options(context, 200));
  SlowWork work(session, 200);
  Queue queue(session);
  bool seen = false;
  for (int i = 0; i < kTries && !seen; ++i) {
    const std::uint64_t value = work.submit(queue);
    seen = queue.completed(value) < value;
    queue.wait(value);
  }
  expect(seen, "submit returned only after the work had completed");
}

CONFORMANCE_CASE(core, event_completed, counts_up_to_what_was_submitted) {
  Session session(context);
  if (session.api.event->completed == nullptr) skip("the plugin has no event.completed");
  Queue queue(session);
  expect(queue.completed(0) == 0, "a new queue has completed something");
  std::uint64_t before = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = queue.submit(Commands());
    const std::uint64_t seen = queue.completed(value);
    expect(seen <= value, fmt::format("{} of {} submissions have completed", seen, value));
    expect(seen >= before, "the completed value went back");
    before = seen;
  }
}

CONFORMANCE_CASE(core, event_completed, reaches_what_was_waited_for) {
  Session session(context);
  if (session.api.event->completed == nullptr) skip("the plugin has no event.completed");
  Queue queue(session);
  for (std::uint64_t value = 1; value <= 20; ++value) {
    queue.run(Commands());
    expect(queue.completed(value) == value, "the completed value is not what was waited for");
  }
}

CONFORMANCE_CASE(core, event_completed, refuses_handles_that_are_none) {
  Session session(context);
  if (session.api.event->completed == nullptr) skip("the plugin has no event.completed");
  Error error;
  std::uint64_t value = 0;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_QUEUE)) {
    error.reset();
    expect_refused(session.api.event->completed(bad.handle, &value, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, queue_wait, refuses_points_that_were_not_submitted) {
  Session session(context);
  Queue first(session);
  Queue second(session);
  first.submit(Commands());
  for (const std::uint64_t value : {std::uint64_t{2}, UINT64_MAX}) {
    expect_submission_refused(second, Commands().wait(first, value), {BSC_INVALID_ARGUMENT},
                              fmt::format("a wait for value {} of a queue that stands at 1", value));
  }
  second.run(Commands().wait(first, 1));
}

CONFORMANCE_CASE(async, queue_wait, later_commands_start_after_the_other_queue) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Queue first(session);
  Queue second(session);
  for (int round = 0; round < 3; ++round) {
    // Twice, so that the second queue's own work, should it start at once, would end well before.
    work.submit(first);
    const std::uint64_t value = work.submit(first);
    const std::uint64_t after = second.submit(Commands().wait(first, value));
    second.wait(after);
    expect(first.completed(value) >= value, "a queue did not wait for the other");
  }
}

CONFORMANCE_CASE(async, queue_wait, data_passes_between_queues) {
  Session session(context);
  session.needs_results();
  Module module(session);
  Queue first(session);
  Queue second(session);
  constexpr std::uint64_t kLength = 100000;
  Memory memory(session, kLength * 4);
  std::vector<std::uint32_t> back(kLength);
  const std::uint32_t zero = 0;
  first.run(Commands().fill(memory, 0, kLength * 4, &zero, 4));
  const Arguments arguments = module.arguments().buffer(memory, 0, kLength, 4);
  std::uint64_t value = 0;
  constexpr int kRounds = 25;
  for (int round = 0; round < kRounds; ++round) {
    Commands commands;
    if (value != 0) commands.wait(second, value);
    const std::uint64_t passed =
        first.submit(commands.launch(module.function("add_one"), module.items(kLength), arguments));
    value = second.submit(
        Commands().wait(first, passed).launch(module.function("add_one"), module.items(kLength), arguments));
  }
  second.run(Commands().read(memory, 0, back.data(), kLength * 4));
  expect_elements(back, [](std::uint64_t) { return 2u * kRounds; }, "additions of two queues");
}

CONFORMANCE_CASE(async, threads, many_threads_with_a_queue_each) {
  Session session(context);
  Module module(session);
  const bsc_plugin_function function = module.function("fill_index_4");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      try {
        constexpr std::uint64_t kLength = 2000;
        Memory memory(session, kLength * 4);
        Queue queue(session);
        std::vector<std::uint32_t> back(kLength);
        for (std::uint32_t round = 0; round < 25; ++round) {
          const std::uint32_t start = thread * 1000 + round;
          queue.run(Commands()
                        .launch(function, module.items(kLength), module.fill_index<std::uint32_t>(memory, 0, kLength, start))
                        .read(memory, 0, back.data(), kLength * 4));
          for (std::uint64_t i = 0; i < kLength && session.computes(); ++i) wrong += back[i] != start + i;
        }
      } catch (const std::exception&) {
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, fmt::format("{} wrong elements or failed calls", wrong.load()));
}

CONFORMANCE_CASE(async, threads, queues_come_and_go_on_every_thread) {
  Session session(context);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      try {
        for (int round = 0; round < 50; ++round) {
          Memory memory(session, 256);
          Queue queue(session);
          const unsigned char pattern = 1;
          queue.submit(Commands().fill(memory, 0, 256, &pattern, 1));
          queue.release();
          memory.release();
        }
      } catch (const std::exception&) {
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, "a call failed");
}

}  // namespace bascule::conformance
