// queue.create and queue.release.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <memory>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

bsc_plugin_queue_description describe(std::uint64_t limit, std::int32_t priority) {
  bsc_plugin_queue_description description = {};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  description.compute_unit_limit = limit;
  description.priority = priority;
  return description;
}

}  // namespace

CONFORMANCE_CASE(core, queue_create, takes_any_priority) {
  Session session(context);
  for (const std::int32_t priority : {0, 1, -1, 100, -100}) {
    const auto description = describe(0, priority);
    Error error;
    bsc_plugin_queue queue = nullptr;
    expect_ok(session.api.queue->create(session.device, &description, &queue, error.get()), error,
              fmt::format("a queue of priority {}", priority));
    expect(queue->api == &session.api && queue->magic == BSC_OBJECT_MAGIC && queue->kind == BSC_OBJECT_QUEUE,
           "dispatch pointer, magic or kind");
    expect_ok(session.api.queue->release(queue, error.get()), error, "queue.release");
  }
}

CONFORMANCE_CASE(core, queue_create, a_compute_unit_limit_is_honoured_or_refused) {
  Session session(context);
  const auto description = describe(1, 0);
  Error error;
  bsc_plugin_queue queue = nullptr;
  const bsc_status status = session.api.queue->create(session.device, &description, &queue, error.get());
  if (session.capability("queue_compute_unit_limit") > 0) {
    expect_ok(status, error, "a queue with a limit");
    expect_ok(session.api.queue->release(queue, error.get()), error, "queue.release");
  } else {
    expect_refused(status, error, {BSC_UNSUPPORTED}, "a limit without the capability");
    expect_message(error, "compute_unit_limit", "a limit without the capability");
  }
}

CONFORMANCE_CASE(core, queue_create, many_queues_work_at_the_same_time) {
  Session session(context);
  std::vector<std::unique_ptr<Queue>> queues;
  for (int i = 0; i < 64; ++i) queues.push_back(std::make_unique<Queue>(session));
  for (auto& queue : queues) queue->submit(Commands());
  for (auto& queue : queues) queue->wait(1);
}

CONFORMANCE_CASE(core, queue_create, accepts_a_larger_struct_and_unknown_extensions) {
  Session session(context);
  const bsc_struct extension = {sizeof extension, 0x7FFF0004u, nullptr};
  Guarded<bsc_plugin_queue_description> description(BSC_STRUCT_QUEUE_DESCRIPTION,
                                                    sizeof(bsc_plugin_queue_description) + 64);
  description.get()->header.next = &extension;
  description.get()->compute_unit_limit = 0;
  description.get()->priority = 0;
  Error error;
  bsc_plugin_queue queue = nullptr;
  expect_ok(session.api.queue->create(session.device, description.get(), &queue, error.get()), error,
            "a larger queue description");
  expect_ok(session.api.queue->release(queue, error.get()), error, "queue.release");
}

CONFORMANCE_CASE(core, queue_create, reads_absent_fields_as_zero) {
  Session session(context);
  Guarded<bsc_plugin_queue_description> description(BSC_STRUCT_QUEUE_DESCRIPTION, sizeof(bsc_struct));
  Error error;
  bsc_plugin_queue queue = nullptr;
  expect_ok(session.api.queue->create(session.device, description.get(), &queue, error.get()), error,
            "a queue description without fields");
  expect_ok(session.api.queue->release(queue, error.get()), error, "queue.release");
}

CONFORMANCE_CASE(core, queue_create, refuses_handles_that_are_none) {
  Session session(context);
  const auto description = describe(0, 0);
  Error error;
  bsc_plugin_queue queue = nullptr;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_DEVICE)) {
    error.reset();
    expect_refused(session.api.queue->create(bad.handle, &description, &queue, error.get()), error, {BSC_INVALID_HANDLE},
                   bad.what);
  }
}

CONFORMANCE_CASE(core, queue_release, refuses_a_released_handle) {
  Session session(context);
  Queue queue(session);
  const bsc_plugin_queue stale = queue.handle;
  queue.release();
  Error error;
  expect_refused(session.api.queue->release(stale, error.get()), error, {BSC_INVALID_HANDLE}, "a second release");
  error.reset();
  expect_refused(session.api.event->wait(stale, 0, 0, error.get()), error, {BSC_INVALID_HANDLE}, "wait after release");
  const Commands empty;
  const bsc_plugin_submission submission = empty.submission();
  std::uint64_t value = 0;
  error.reset();
  expect_refused(session.api.queue->submit(stale, &submission, &value, error.get()), error, {BSC_INVALID_HANDLE},
                 "submit after release");
}

CONFORMANCE_CASE(core, queue_release, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_QUEUE)) {
    error.reset();
    expect_refused(session.api.queue->release(bad.handle, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(async, queue_release, waits_until_the_queue_is_empty) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Memory memory(session, 1);
  Queue queue(session);
  unsigned char landed = 0;
  const unsigned char pattern = 9;
  const auto start = std::chrono::steady_clock::now();
  work.submit(queue);
  queue.submit(Commands().fill(memory, 0, 1, &pattern, 1).read(memory, 0, &landed, 1));
  queue.release();
  if (session.computes()) {
    expect(landed == 9, "release returned before a read had ended");
  } else {
    expect(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(200), "release did not wait for the work");
  }
}

CONFORMANCE_CASE(async, queue_release, leaves_other_queues_running) {
  Session session(context, slow_options(context, 50));
  SlowWork work(session, 50);
  Queue busy(session);
  const std::uint64_t value = work.submit(busy);
  {
    Queue other(session);
    other.run(Commands());
    other.release();
  }
  busy.wait(value);
}

CONFORMANCE_CASE(async, memory_release, works_while_other_memory_is_in_use) {
  Session session(context, slow_options(context, 50));
  SlowWork work(session, 50);
  Queue busy(session);
  const std::uint64_t value = work.submit(busy);
  for (int i = 0; i < 50; ++i) {
    Memory memory(session, 4096);
    memory.release();
  }
  busy.wait(value);
}

}  // namespace bascule::conformance
