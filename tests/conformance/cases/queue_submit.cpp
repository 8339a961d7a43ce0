// queue.submit: values, empty work, and what is refused as a whole.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cfenv>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

constexpr std::uint64_t kBytes = 256;
const std::array<unsigned char, 16> kPattern = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

// A queue and two memories of kBytes.
struct Scene {
  explicit Scene(Context& context) : session(context), a(session, kBytes), b(session, kBytes), queue(session) {}
  Session session;
  Memory a;
  Memory b;
  Queue queue;
  std::array<unsigned char, 2 * kBytes> host = {};
};

}  // namespace

CONFORMANCE_CASE(core, queue_submit, values_start_at_one) {
  Session session(context);
  Queue queue(session);
  expect(queue.submit(Commands()) == 1, "the first submission has another value than 1");
  queue.wait(1);
}

CONFORMANCE_CASE(core, queue_submit, values_count_up_by_one) {
  Session session(context);
  Queue queue(session);
  Memory memory(session, 64);
  for (std::uint64_t expected = 1; expected <= 200; ++expected) {
    Commands commands;
    if (expected % 3 != 0) commands.fill(memory, 0, 64, kPattern.data(), 1);
    const std::uint64_t value = queue.submit(commands);
    expect(value == expected, fmt::format("submission {} has the value {}", expected, value));
  }
  queue.wait(200);
}

CONFORMANCE_CASE(core, queue_submit, empty_submissions_have_values_too) {
  Session session(context);
  Queue queue(session);
  Memory memory(session, 64);
  const Commands work = Commands().fill(memory, 0, 64, kPattern.data(), 1);
  expect(queue.submit(work) == 1 && queue.submit(Commands()) == 2 && queue.submit(Commands()) == 3 &&
             queue.submit(work) == 4,
         "an empty submission does not count");
  queue.wait(4);
}

CONFORMANCE_CASE(core, queue_submit, each_queue_counts_for_itself) {
  Session session(context);
  Queue first(session);
  Queue second(session);
  expect(first.submit(Commands()) == 1 && second.submit(Commands()) == 1 && first.submit(Commands()) == 2 &&
             second.submit(Commands()) == 2,
         "two queues share their values");
}

CONFORMANCE_CASE(core, queue_submit, empty_commands_complete) {
  Scene s(context);
  s.queue.run(Commands().copy(s.a, 0, s.b, 0, 0));
  s.queue.run(Commands().copy(s.a, kBytes, s.a, kBytes, 0));
  s.queue.run(Commands().write(s.a, kBytes, s.host.data(), 0).read(s.a, kBytes, s.host.data(), 0));
  s.queue.run(Commands().fill(s.a, kBytes, 0, kPattern.data(), 16));
}

CONFORMANCE_CASE(core, queue_submit, refuses_ranges_beyond_the_memory) {
  Scene s(context);
  const auto refused = [&](const Commands& commands, std::string_view what) {
    expect_submission_refused(s.queue, commands, {BSC_INVALID_ARGUMENT}, what);
  };
  unsigned char* const host = s.host.data();
  refused(Commands().copy(s.a, 1, s.b, 0, kBytes), "a copy beyond its source");
  refused(Commands().copy(s.a, 0, s.b, 1, kBytes), "a copy beyond its destination");
  refused(Commands().copy(s.a, kBytes + 1, s.b, 0, 0), "an empty copy from beyond the source");
  refused(Commands().write(s.a, 0, host, kBytes + 1), "a write beyond the memory");
  refused(Commands().write(s.a, kBytes, host, 1), "a write behind the memory");
  refused(Commands().read(s.a, 0, host, kBytes + 1), "a read beyond the memory");
  refused(Commands().read(s.a, kBytes, host, 1), "a read behind the memory");
  refused(Commands().fill(s.a, 16, kBytes, kPattern.data(), 16), "a fill beyond the memory");
}

CONFORMANCE_CASE(core, queue_submit, refuses_ranges_whose_end_wraps) {
  Scene s(context);
  const auto refused = [&](const Commands& commands, std::string_view what) {
    expect_submission_refused(s.queue, commands, {BSC_INVALID_ARGUMENT}, what);
  };
  const std::uint64_t far = UINT64_MAX - 15;
  refused(Commands().copy(s.a, far, s.b, 0, 32), "a copy whose source end wraps");
  refused(Commands().copy(s.a, 0, s.b, far, 32), "a copy whose destination end wraps");
  refused(Commands().write(s.a, far, s.host.data(), 32), "a write whose end wraps");
  refused(Commands().read(s.a, far, s.host.data(), 32), "a read whose end wraps");
  refused(Commands().fill(s.a, far, 32, kPattern.data(), 16), "a fill whose end wraps");
}

CONFORMANCE_CASE(core, queue_submit, refuses_copies_that_overlap) {
  Scene s(context);
  const auto refused = [&](std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    expect_submission_refused(s.queue, Commands().copy(s.a, from, s.a, to, bytes), {BSC_INVALID_ARGUMENT},
                              fmt::format("a copy of {} bytes from {} to {} of one memory", bytes, from, to));
  };
  refused(0, 0, 1);
  refused(0, 1, 2);
  refused(1, 0, 2);
  refused(0, kBytes / 2 - 1, kBytes / 2);
  refused(kBytes / 2 - 1, 0, kBytes / 2);
  // Neighbours do not overlap.
  s.queue.run(Commands().copy(s.a, 0, s.a, kBytes / 2, kBytes / 2).copy(s.a, kBytes / 2, s.a, 0, kBytes / 2));
}

CONFORMANCE_CASE(core, queue_submit, refuses_fills_that_are_not_aligned_to_their_pattern) {
  Scene s(context);
  for (const std::uint32_t size : {2u, 4u, 8u, 16u}) {
    expect_submission_refused(s.queue, Commands().fill(s.a, 1, size, kPattern.data(), size), {BSC_INVALID_ARGUMENT},
                              fmt::format("a fill of pattern size {} at offset 1", size));
    expect_submission_refused(s.queue, Commands().fill(s.a, size / 2, size, kPattern.data(), size),
                              {BSC_INVALID_ARGUMENT}, fmt::format("a fill of pattern size {} at half of it", size));
    expect_submission_refused(s.queue, Commands().fill(s.a, 0, size + size / 2, kPattern.data(), size),
                              {BSC_INVALID_ARGUMENT}, fmt::format("a fill of one and a half patterns of {} bytes", size));
    s.queue.run(Commands().fill(s.a, size, size, kPattern.data(), size));
  }
}

CONFORMANCE_CASE(core, queue_submit, refuses_fills_of_other_pattern_sizes) {
  Scene s(context);
  for (const std::uint32_t size : {0u, 3u, 5u, 12u, 32u, 0xFFFFFFFFu}) {
    Commands commands;
    commands.fill(s.a, 0, 96, kPattern.data(), 1);
    commands.last().fill.pattern_bytes = size;
    expect_submission_refused(s.queue, commands, {BSC_INVALID_ARGUMENT}, fmt::format("a pattern of {} bytes", size));
  }
}

CONFORMANCE_CASE(core, queue_submit, refuses_unknown_commands) {
  Scene s(context);
  for (const std::uint32_t kind : {0u, 7u, 1000u, 0xFFFFFFFFu}) {
    Commands commands;
    commands.fill(s.a, 0, kBytes, kPattern.data(), 1).add(make_command(kind));
    expect_submission_refused(s.queue, commands, {BSC_UNSUPPORTED}, fmt::format("a command of kind {}", kind));
  }
}

CONFORMANCE_CASE(core, queue_submit, runs_nothing_of_a_refused_submission) {
  Scene s(context);
  s.session.needs_results();
  const unsigned char before = 0x11;
  const unsigned char after = 0x22;
  s.queue.run(Commands().fill(s.a, 0, kBytes, &before, 1));
  expect_submission_refused(s.queue, Commands().fill(s.a, 0, kBytes, &after, 1).add(make_command(1000)),
                            {BSC_UNSUPPORTED}, "an unknown command behind a fill");
  expect_submission_refused(s.queue, Commands().fill(s.a, 0, kBytes, &after, 1).copy(s.a, 0, s.b, 1, kBytes),
                            {BSC_INVALID_ARGUMENT}, "a wrong copy behind a fill");
  s.queue.run(Commands().read(s.a, 0, s.host.data(), kBytes));
  for (std::size_t i = 0; i < kBytes; ++i) expect(s.host[i] == before, "a part of a refused submission ran");
}

CONFORMANCE_CASE(core, queue_submit, a_refused_submission_takes_no_value) {
  Scene s(context);
  expect(s.queue.submit(Commands()) == 1, "the first value");
  Error error;
  std::uint64_t value = 0;
  for (int i = 0; i < 3; ++i) {
    expect_refused(s.queue.try_submit(Commands().copy(s.a, 0, s.b, 1, kBytes), &value, error), error,
                   {BSC_INVALID_ARGUMENT}, "a copy beyond its destination");
  }
  expect_refused(s.queue.try_wait(2, 0, error), error, {BSC_INVALID_ARGUMENT}, "a wait for a refused submission");
  expect(s.queue.submit(Commands()) == 2, "a refused submission took a value");
  s.queue.wait(2);
}

CONFORMANCE_CASE(core, queue_submit, refuses_bad_memory_handles) {
  Scene s(context);
  for (const BadHandle& bad : bad_handles(s.session, BSC_OBJECT_MEMORY)) {
    const auto refused = [&](const Commands& commands) {
      expect_submission_refused(s.queue, commands, {BSC_INVALID_HANDLE}, bad.what);
    };
    refused(Commands().fill(bad.handle, 0, 16, kPattern.data(), 16));
    refused(Commands().copy(bad.handle, 0, s.a, 0, 16));
    refused(Commands().copy(s.a, 0, bad.handle, 0, 16));
    refused(Commands().write(bad.handle, 0, s.host.data(), 16));
    refused(Commands().read(bad.handle, 0, s.host.data(), 16));
  }
  Memory released(s.session, 64);
  const bsc_plugin_memory stale = released.handle;
  released.release();
  expect_submission_refused(s.queue, Commands().fill(stale, 0, 16, kPattern.data(), 16), {BSC_INVALID_HANDLE},
                            "a released memory");
}

CONFORMANCE_CASE(core, queue_submit, refuses_bad_queue_handles) {
  Scene s(context);
  const Commands empty;
  const bsc_plugin_submission submission = empty.submission();
  for (const BadHandle& bad : bad_handles(s.session, BSC_OBJECT_QUEUE)) {
    Error error;
    std::uint64_t value = 0;
    expect_refused(s.session.api.queue->submit(bad.handle, &submission, &value, error.get()), error, {BSC_INVALID_HANDLE},
                   bad.what);
    expect_submission_refused(s.queue, Commands().wait(bad.handle, 1), {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, queue_submit, walks_commands_by_their_stride) {
  Scene s(context);
  const Commands commands = Commands()
                                .fill(s.a, 0, kBytes, kPattern.data(), 1)
                                .copy(s.a, 0, s.b, 0, kBytes)
                                .read(s.b, 0, s.host.data(), kBytes);
  constexpr std::size_t kStride = sizeof(bsc_plugin_command) + 40;
  std::vector<std::uint64_t> room(3 * kStride / 8, 0xAAAAAAAAAAAAAAAAu);
  for (std::size_t i = 0; i < 3; ++i) {
    std::memcpy(reinterpret_cast<char*>(room.data()) + i * kStride, &commands.list()[i], sizeof(bsc_plugin_command));
  }
  bsc_plugin_submission submission = commands.submission();
  submission.command_stride = kStride;
  submission.commands = reinterpret_cast<const bsc_plugin_command*>(room.data());
  Error error;
  std::uint64_t value = 0;
  expect_ok(s.session.api.queue->submit(s.queue, &submission, &value, error.get()), error, "a large command stride");
  s.queue.wait(value);
  if (s.session.computes()) expect(s.host[kBytes - 1] == 1, "the commands did not run");
}

CONFORMANCE_CASE(core, queue_submit, accepts_a_larger_struct_and_unknown_extensions) {
  Scene s(context);
  const bsc_struct extension = {sizeof extension, 0x7FFF0005u, nullptr};
  Commands commands;
  commands.fill(s.a, 0, kBytes, kPattern.data(), 4);
  commands.last().header.next = &extension;
  Guarded<bsc_plugin_submission> submission(BSC_STRUCT_SUBMISSION, sizeof(bsc_plugin_submission) + 64);
  const bsc_plugin_submission fields = commands.submission();
  std::memcpy(reinterpret_cast<char*>(submission.get()) + sizeof(bsc_struct),
              reinterpret_cast<const char*>(&fields) + sizeof(bsc_struct), sizeof fields - sizeof(bsc_struct));
  submission.get()->header.next = &extension;
  Error error;
  std::uint64_t value = 0;
  expect_ok(s.session.api.queue->submit(s.queue, submission.get(), &value, error.get()), error, "a larger submission");
  s.queue.wait(value);
}

CONFORMANCE_CASE(core, queue_submit, borrows_everything_but_host_ranges_for_the_call_only) {
  Scene s(context);
  Module module(s.session);
  for (int i = 0; i < 20; ++i) {
    auto commands = std::make_unique<Commands>();
    commands->fill(s.a, 0, kBytes, kPattern.data(), 1)
        .launch(module.function("fill_index_4"), module.items(kBytes / 4),
                module.fill_index<std::uint32_t>(s.a, 0, kBytes / 4, 5))
        .read(s.a, 0, s.host.data(), kBytes);
    s.queue.submit(*commands);
    // Commands, arguments and blob go, and their memory is used for something else.
    commands.reset();
    std::vector<unsigned char> other(4096, 0xEE);
    expect(other[17] == 0xEE, "memory");
  }
  s.queue.run(Commands());
  if (!s.session.computes()) return;
  std::uint32_t last = 0;
  std::memcpy(&last, s.host.data() + kBytes - 4, 4);
  expect(last == 5 + kBytes / 4 - 1, "a launch used memory that was only lent");
}

CONFORMANCE_CASE(core, queue_submit, leaves_the_floating_point_environment_alone) {
  Scene s(context);
  Module module(s.session);
  std::fesetround(FE_TOWARDZERO);
  s.queue.run(Commands()
                  .fill(s.a, 0, kBytes, kPattern.data(), 1)
                  .launch(module.function("fill_index_4"), module.items(kBytes / 4),
                          module.fill_index<std::uint32_t>(s.a, 0, kBytes / 4, 0)));
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  expect(mode == FE_TOWARDZERO, "submit or wait changed the rounding mode");
}

CONFORMANCE_CASE(core, queue_submit, writes_the_error_only_on_failure_and_completely) {
  Scene s(context);
  Error error;
  std::uint64_t value = 0;
  expect_ok(s.queue.try_submit(Commands().fill(s.a, 0, kBytes, kPattern.data(), 1), &value, error), error, "queue.submit");
  expect_refused(s.queue.try_submit(Commands().fill(s.a, 0, kBytes + 1, kPattern.data(), 1), &value, error), error,
                 {BSC_INVALID_ARGUMENT}, "a fill beyond the memory");
  expect(error.raw().last_completed == 0 && error.raw().first_incomplete == 0,
         "a synchronous error names an interval of submissions");
}

CONFORMANCE_CASE(core, queue_submit, writes_nothing_beyond_a_smaller_error_struct) {
  Scene s(context);
  const Commands commands = Commands().fill(s.a, 0, kBytes + 1, kPattern.data(), 1);
  const bsc_plugin_submission submission = commands.submission();
  for (const std::size_t known : {sizeof(bsc_struct), offsetof(bsc_plugin_error, vendor_code),
                                  offsetof(bsc_plugin_error, message)}) {
    Guarded<bsc_plugin_error> error(BSC_STRUCT_ERROR, known);
    std::uint64_t value = 0;
    const bsc_status status = s.session.api.queue->submit(s.queue, &submission, &value, error.get());
    expect(status == BSC_INVALID_ARGUMENT, "a fill beyond the memory: " + status_name(status));
    expect(error.guard_intact(), fmt::format("an error struct of {} bytes was written beyond its end", known));
    expect(known < offsetof(bsc_plugin_error, retryable) || error.get()->code == status, "the code is missing");
  }
}

}  // namespace bascule::conformance
