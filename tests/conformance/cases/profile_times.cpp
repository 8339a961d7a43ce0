// profile.times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

void needs_times(const Session& session) {
  if (session.api.profile == nullptr || session.api.profile->times == nullptr) skip("the plugin has no profile.times");
}

bsc_plugin_times times_of(Queue& queue, std::uint64_t value) {
  bsc_plugin_times times = {};
  times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
  Error error;
  expect_ok(queue.session.api.profile->times(queue, value, &times, error.get()), error,
            fmt::format("times of submission {}", value));
  return times;
}

void expect_no_times(Queue& queue, std::uint64_t value, std::string_view what) {
  bsc_plugin_times times = {};
  times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
  Error error;
  expect_refused(queue.session.api.profile->times(queue, value, &times, error.get()), error, {BSC_NOT_FOUND}, what);
}

}  // namespace

CONFORMANCE_CASE(async, profile_times, are_in_order) {
  Session session(context);
  needs_times(session);
  Memory memory(session, 1 << 20);
  Queue queue(session);
  const std::uint32_t pattern = 1;
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    last = queue.submit(Commands().fill(memory, 0, 1 << 20, &pattern, 4), BSC_SUBMIT_TIMES);
  }
  queue.wait(last);
  std::uint64_t previous_end = 0;
  for (std::uint64_t value = 1; value <= last; ++value) {
    const bsc_plugin_times times = times_of(queue, value);
    expect(times.resolution > 0, "the clock has no resolution");
    expect(times.started <= times.ended, "a submission ended before it started");
    expect(times.submitted == 0 || times.submitted <= times.started, "a submission started before it was submitted");
    expect(times.started >= previous_end, "a submission started before the one before it had ended");
    previous_end = times.ended;
  }
}

CONFORMANCE_CASE(async, profile_times, last_as_long_as_the_work) {
  Session session(context, slow_options(context, 100));
  needs_times(session);
  SlowWork work(session, 100);
  Queue queue(session);
  const std::uint64_t value = queue.submit(work.commands(), BSC_SUBMIT_TIMES);
  queue.wait(value);
  const bsc_plugin_times times = times_of(queue, value);
  const std::uint64_t elapsed = times.ended - times.started;
  // Only where the length of the work is known, not merely guessed.
  const bool known = Image::best_format(session) != "opencl-c";
  expect(elapsed >= (known ? 99'000'000u : 1u), fmt::format("work of 100 ms is said to have taken {} ns", elapsed));
}

CONFORMANCE_CASE(async, profile_times, are_kept_only_when_asked_for) {
  Session session(context);
  needs_times(session);
  Queue queue(session);
  queue.submit(Commands());
  queue.submit(Commands(), BSC_SUBMIT_TIMES);
  queue.submit(Commands());
  queue.wait(3);
  expect_no_times(queue, 1, "a submission without BSC_SUBMIT_TIMES");
  expect_no_times(queue, 3, "a submission without BSC_SUBMIT_TIMES");
  expect_no_times(queue, 4, "a value not yet submitted");
  times_of(queue, 2);
}

CONFORMANCE_CASE(async, profile_times, are_there_once_the_work_has_completed) {
  Session session(context, slow_options(context, 100));
  needs_times(session);
  SlowWork work(session, 100);
  Queue queue(session);
  const std::uint64_t value = queue.submit(work.commands(), BSC_SUBMIT_TIMES);
  bsc_plugin_times times = {};
  times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
  Error error;
  const bsc_status status = session.api.profile->times(queue, value, &times, error.get());
  if (status != BSC_OK) expect_refused(status, error, {BSC_NOT_FOUND}, "times of unfinished work");
  if (status == BSC_OK) expect(queue.completed(value) >= value, "unfinished work has times");
  queue.wait(value);
  times_of(queue, value);
}

CONFORMANCE_CASE(async, profile_times, are_kept_for_the_last_1024) {
  Session session(context);
  needs_times(session);
  Queue queue(session);
  std::uint64_t last = 0;
  for (int i = 0; i < 1100; ++i) last = queue.submit(Commands(), BSC_SUBMIT_TIMES);
  queue.wait(last);
  for (std::uint64_t value = last - 1023; value <= last; ++value) times_of(queue, value);
}

CONFORMANCE_CASE(async, profile_times, writes_nothing_beyond_the_given_size) {
  Session session(context);
  needs_times(session);
  Queue queue(session);
  const std::uint64_t value = queue.submit(Commands(), BSC_SUBMIT_TIMES);
  queue.wait(value);
  Guarded<bsc_plugin_times> times(BSC_STRUCT_TIMES, offsetof(bsc_plugin_times, resolution));
  Error error;
  expect_ok(session.api.profile->times(queue, value, times.get(), error.get()), error, "a smaller times struct");
  expect(times.guard_intact(), "a smaller times struct was written beyond its end");
}

}  // namespace bascule::conformance
