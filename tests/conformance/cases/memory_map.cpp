// memory.release, memory.map and memory.device_address.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

void needs_map(const Session& session) {
  if (session.api.memory->map == nullptr) skip("the plugin has no memory.map");
}

unsigned char* map(Session& session, bsc_plugin_memory memory) {
  Error error;
  void* address = nullptr;
  expect_ok(session.api.memory->map(memory, &address, error.get()), error, "memory.map");
  expect(address != nullptr, "memory.map gave a null pointer");
  return static_cast<unsigned char*>(address);
}

}  // namespace

CONFORMANCE_CASE(core, memory_release, refuses_a_released_handle) {
  Session session(context);
  Memory memory(session, 64);
  const bsc_plugin_memory stale = memory.handle;
  memory.release();
  Error error;
  expect_refused(session.api.memory->release(stale, error.get()), error, {BSC_INVALID_HANDLE}, "a second release");
  if (session.api.memory->map == nullptr) return;
  void* address = nullptr;
  error.reset();
  expect_refused(session.api.memory->map(stale, &address, error.get()), error, {BSC_INVALID_HANDLE}, "map after release");
}

CONFORMANCE_CASE(core, memory_release, refuses_handles_without_magic) {
  Session session(context);
  Error error;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_MEMORY)) {
    if (bad.handle == session.device) continue;
    error.reset();
    expect_refused(session.api.memory->release(bad.handle, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, memory_release, refuses_handles_of_another_kind) {
  Session session(context);
  Queue queue(session);
  Error error;
  for (bsc_plugin_object* const other : {queue.handle, session.device, session.instance}) {
    error.reset();
    expect_refused(session.api.memory->release(other, error.get()), error, {BSC_INVALID_HANDLE}, "another kind");
  }
  queue.run(Commands());
}

CONFORMANCE_CASE(core, memory_map, host_memory_has_an_address) {
  Session session(context);
  needs_map(session);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{1} << 16, std::size_t{5} << 20}) {
    Memory memory(session, bytes, BSC_MEMORY_HOST);
    unsigned char* const address = map(session, memory);
    std::memset(address, 0x3B, bytes);
    expect(address[0] == 0x3B && address[bytes - 1] == 0x3B, "what was written is not there");
  }
}

CONFORMANCE_CASE(core, memory_map, gives_the_same_address_each_time) {
  Session session(context);
  needs_map(session);
  Memory memory(session, 4096, BSC_MEMORY_HOST);
  Memory other(session, 4096, BSC_MEMORY_HOST);
  unsigned char* const address = map(session, memory);
  map(session, other);
  std::memset(address, 0x5A, 4096);
  Queue queue(session);
  queue.run(Commands());
  expect(map(session, memory) == address, "the address changed");
  expect(address[4095] == 0x5A, "the content changed");
}

CONFORMANCE_CASE(core, memory_map, device_memory_maps_or_says_unsupported) {
  Session session(context);
  needs_map(session);
  Memory memory(session, 256);
  Error error;
  void* address = nullptr;
  const bsc_status status = session.api.memory->map(memory, &address, error.get());
  if (status == BSC_OK) {
    std::memset(address, 1, 256);
  } else {
    expect_refused(status, error, {BSC_UNSUPPORTED}, "mapping device memory");
  }
}

CONFORMANCE_CASE(core, memory_map, refuses_handles_that_are_none) {
  Session session(context);
  needs_map(session);
  Error error;
  void* address = nullptr;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_MEMORY)) {
    error.reset();
    expect_refused(session.api.memory->map(bad.handle, &address, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, memory_map, sees_what_commands_write) {
  Session session(context);
  needs_map(session);
  session.needs_results();
  Memory memory(session, 256, BSC_MEMORY_HOST);
  Memory device(session, 256);
  unsigned char* const address = map(session, memory);
  Queue queue(session);
  const std::uint16_t pattern = 0x1234;
  queue.run(Commands().fill(device, 0, 256, &pattern, 2).copy(device, 0, memory, 0, 256));
  expect(address[0] == 0x34 && address[255] == 0x12, "mapped memory does not show a finished copy");
  address[7] = 0x77;
  unsigned char back = 0;
  queue.run(Commands().read(memory, 7, &back, 1));
  expect(back == 0x77, "a command does not see what was written to mapped memory");
}

CONFORMANCE_CASE(core, memory_device_address, stays_the_same) {
  Session session(context);
  const bool stated = session.capability("device_address") > 0;
  expect(!stated || session.api.memory->device_address != nullptr, "the capability is there, the entry is not");
  if (!stated) skip("the device has no addresses");
  Memory memory(session, 4096);
  Memory other(session, 4096);
  std::uint64_t addresses[3] = {};
  Error error;
  expect_ok(session.api.memory->device_address(memory, &addresses[0], error.get()), error, "memory.device_address");
  expect_ok(session.api.memory->device_address(other, &addresses[1], error.get()), error, "memory.device_address");
  expect_ok(session.api.memory->device_address(memory, &addresses[2], error.get()), error, "memory.device_address");
  expect(addresses[0] != 0 && addresses[0] == addresses[2], "the address changed");
  const std::uint64_t distance = addresses[0] > addresses[1] ? addresses[0] - addresses[1] : addresses[1] - addresses[0];
  expect(distance >= 4096, "two memories overlap");
}

}  // namespace bascule::conformance
