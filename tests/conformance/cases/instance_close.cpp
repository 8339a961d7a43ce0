// instance.close and instance.enumerate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {

CONFORMANCE_CASE(core, instance_close, frees_what_is_left) {
  Session session(context);
  Memory memory(session, 1 << 12);
  Memory host(session, 1 << 12, BSC_MEMORY_HOST);
  Queue queue(session);
  if (session.api.memory->map != nullptr) {
    Error error;
    void* address = nullptr;
    expect_ok(session.api.memory->map(host, &address, error.get()), error, "memory.map");
  }
  queue.submit(Commands());
  session.close();
  expect(session.services.live_allocations() == 0, "memory of the host's allocator was not given back");
}

CONFORMANCE_CASE(core, instance_close, ends_with_a_module_and_a_queue_alive) {
  Session session(context);
  Module module(session);
  Queue queue(session);
  queue.run(Commands());
  session.close();
}

CONFORMANCE_CASE(async, instance_close, waits_for_queues) {
  Session session(context, slow_options(context, 100));
  SlowWork work(session, 100);
  Queue queue(session);
  const auto start = std::chrono::steady_clock::now();
  work.submit(queue);
  unsigned char landed = 0;
  Memory memory(session, 1);
  const unsigned char pattern = 7;
  queue.submit(Commands().fill(memory, 0, 1, &pattern, 1).read(memory, 0, &landed, 1));
  const bool computes = session.computes();
  session.close();
  if (computes) {
    expect(landed == 7, "close returned before a read had ended");
  } else {
    expect(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(200), "close did not wait for the work");
  }
}

CONFORMANCE_CASE(core, instance_close, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_INSTANCE)) {
    error.reset();
    expect_refused(session.api.instance->close(bad.handle, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, instance_close, refuses_a_closed_instance) {
  Session session(context);
  const bsc_plugin_instance closed = session.instance;
  session.close();
  Error error;
  expect_refused(session.api.instance->close(closed, error.get()), error, {BSC_INVALID_HANDLE}, "a second close");
  std::uint64_t count = 0;
  error.reset();
  expect_refused(session.api.instance->enumerate(closed, 0, nullptr, &count, error.get()), error, {BSC_INVALID_HANDLE},
                 "enumerate after close");
}

CONFORMANCE_CASE(core, instance_enumerate, counts_and_fills) {
  Session session(context);
  std::vector<bsc_plugin_device> devices(session.devices.size() + 3, nullptr);
  std::uint64_t count = 0;
  Error error;
  expect_ok(session.api.instance->enumerate(session.instance, devices.size(), devices.data(), &count, error.get()), error,
            "enumerate with room to spare");
  expect(count == session.devices.size(), "the count depends on the capacity");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool is_device = i < count;
    expect((devices[i] != nullptr) == is_device, "too few or too many handles were written");
    if (!is_device) continue;
    expect(devices[i]->api == &session.api && devices[i]->magic == BSC_OBJECT_MAGIC &&
               devices[i]->kind == BSC_OBJECT_DEVICE,
           "a device's dispatch pointer, magic or kind");
  }
}

CONFORMANCE_CASE(core, instance_enumerate, gives_the_same_handles_each_time) {
  Session session(context);
  std::vector<bsc_plugin_device> again(session.devices.size());
  std::uint64_t count = 0;
  Error error;
  expect_ok(session.api.instance->enumerate(session.instance, again.size(), again.data(), &count, error.get()), error,
            "enumerate");
  expect(again == session.devices, "the handles changed");
}

CONFORMANCE_CASE(core, instance_enumerate, fills_only_what_fits) {
  Session session(context);
  for (std::uint64_t capacity = 0; capacity < session.devices.size(); ++capacity) {
    auto* const canary = reinterpret_cast<bsc_plugin_device>(&session);
    std::vector<bsc_plugin_device> devices(session.devices.size(), canary);
    std::uint64_t count = 0;
    Error error;
    expect_ok(session.api.instance->enumerate(session.instance, capacity, devices.data(), &count, error.get()), error,
              "enumerate with a short capacity");
    expect(count == session.devices.size(), "a short capacity shortens the count");
    for (std::size_t i = 0; i < devices.size(); ++i) {
      expect(i < capacity ? devices[i] == session.devices[i] : devices[i] == canary,
             "the capacity was not filled, or more than it was written");
    }
  }
}

CONFORMANCE_CASE(core, instance_enumerate, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  std::uint64_t count = 0;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_INSTANCE)) {
    error.reset();
    expect_refused(session.api.instance->enumerate(bad.handle, 0, nullptr, &count, error.get()), error,
                   {BSC_INVALID_HANDLE}, bad.what);
  }
}

}  // namespace bascule::conformance
