// memory.allocate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

bsc_plugin_memory_description describe(std::uint64_t bytes, std::uint32_t type = BSC_MEMORY_DEVICE,
                                       std::uint64_t alignment = 0) {
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  description.alignment = alignment;
  description.type = type;
  return description;
}

void expect_allocation_refused(Session& session, const bsc_plugin_memory_description& description,
                               std::initializer_list<bsc_status> allowed, std::string_view what, Error& error) {
  bsc_plugin_memory memory = nullptr;
  error.reset();
  expect_refused(session.api.memory->allocate(session.device, &description, &memory, error.get()), error, allowed, what);
}

// The host's address of memory, or 0 where it has none.
std::uintptr_t host_address(Session& session, bsc_plugin_memory memory) {
  void* address = nullptr;
  if (session.api.memory->map == nullptr) return 0;
  return session.api.memory->map(memory, &address, nullptr) == BSC_OK ? reinterpret_cast<std::uintptr_t>(address) : 0;
}

// Several memories, each at a multiple of the alignment for the host and for kernels, as far as they have addresses.
void check_alignment(Session& session, std::uint64_t alignment, std::uint32_t type) {
  const bool has_address = session.api.memory->device_address != nullptr && session.capability("device_address") > 0;
  const std::uint64_t least = alignment == 0 ? 64 : alignment;
  Memory first(session, 100, type, alignment);
  Memory second(session, 1, type, alignment);
  for (const bsc_plugin_memory memory : {first.handle, second.handle}) {
    expect(host_address(session, memory) % least == 0, fmt::format("the host's address, alignment {}", least));
    if (!has_address) continue;
    std::uint64_t address = 0;
    Error error;
    expect_ok(session.api.memory->device_address(memory, &address, error.get()), error, "memory.device_address");
    expect(address != 0 && address % least == 0, fmt::format("the device's address, alignment {}", least));
  }
}

}  // namespace

CONFORMANCE_CASE(core, memory_allocate, gives_a_memory_handle) {
  Session session(context);
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    Memory memory(session, 1000, type);
    expect(memory.handle->api == &session.api, "the dispatch pointer");
    expect(memory.handle->magic == BSC_OBJECT_MAGIC, "the magic number");
    expect(memory.handle->kind == BSC_OBJECT_MEMORY, "the kind");
    memory.release();
  }
}

CONFORMANCE_CASE(core, memory_allocate, handles_carry_the_dispatch_pointer) {
  Session session(context);
  Memory memory(session, 64);
  expect(memory.handle->api == &session.api, "the dispatch pointer of a memory handle");
}

CONFORMANCE_CASE(core, memory_allocate, zero_bytes_give_a_handle) {
  Session session(context);
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    Memory memory(session, 0, type);
    Queue queue(session);
    const unsigned char pattern = 1;
    unsigned char host = 0;
    queue.run(Commands()
                  .write(memory, 0, &host, 0)
                  .read(memory, 0, &host, 0)
                  .fill(memory, 0, 0, &pattern, 1)
                  .copy(memory, 0, memory, 0, 0));
    memory.release();
  }
}

CONFORMANCE_CASE(core, memory_allocate, honours_the_alignment) {
  Session session(context);
  for (const std::uint64_t alignment : {0, 1, 2, 16, 64}) {
    check_alignment(session, alignment, BSC_MEMORY_DEVICE);
    check_alignment(session, alignment, BSC_MEMORY_HOST);
  }
}

CONFORMANCE_CASE(core, memory_allocate, honours_a_large_alignment_or_says_unsupported) {
  Session session(context);
  for (const std::uint64_t alignment : {128, 256, 4096, 65536}) {
    for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
      const auto description = describe(100, type, alignment);
      bsc_plugin_memory memory = nullptr;
      Error error;
      const bsc_status status = session.api.memory->allocate(session.device, &description, &memory, error.get());
      if (status == BSC_OK) {
        session.api.memory->release(memory, nullptr);
        check_alignment(session, alignment, type);
      } else {
        expect_refused(status, error, {BSC_UNSUPPORTED}, fmt::format("an alignment of {} bytes", alignment));
        expect_message(error, std::to_string(alignment), "a large alignment");
      }
    }
  }
}

CONFORMANCE_CASE(core, memory_allocate, refuses_an_alignment_that_is_no_power_of_two) {
  Session session(context);
  Error error;
  for (const std::uint64_t alignment : {std::uint64_t{3}, std::uint64_t{48}, std::uint64_t{100}, UINT64_MAX}) {
    expect_allocation_refused(session, describe(64, BSC_MEMORY_DEVICE, alignment), {BSC_INVALID_ARGUMENT},
                              fmt::format("alignment {}", alignment), error);
    expect_message(error, std::to_string(alignment), "a wrong alignment");
  }
}

CONFORMANCE_CASE(core, memory_allocate, refuses_more_than_the_limit) {
  Session session(context);
  const std::uint64_t most = session.info.max_allocation_bytes;
  if (most == UINT64_MAX) skip("the device states no limit");
  Error error;
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    expect_allocation_refused(session, describe(most + 1, type), {BSC_LIMIT_EXCEEDED}, "one byte too many", error);
  }
}

CONFORMANCE_CASE(core, memory_allocate, says_how_much_was_asked_and_how_much_there_is) {
  Session session(context);
  const std::uint64_t most = session.info.max_allocation_bytes;
  if (most == UINT64_MAX) skip("the device states no limit");
  Error error;
  expect_allocation_refused(session, describe(most + 1), {BSC_LIMIT_EXCEEDED}, "one byte too many", error);
  expect_message(error, std::to_string(most + 1), "the size asked for");
  expect_message(error, std::to_string(most), "the limit");
}

CONFORMANCE_CASE(core, memory_allocate, refuses_sizes_of_2_to_the_63_and_more) {
  Session session(context);
  Error error;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, UINT64_MAX - 63, UINT64_MAX}) {
    for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
      expect_allocation_refused(session, describe(bytes, type), {BSC_LIMIT_EXCEEDED, BSC_OUT_OF_MEMORY},
                                fmt::format("{} bytes", bytes), error);
    }
  }
  // Rounding up to an alignment must not wrap either.
  expect_allocation_refused(session, describe(UINT64_MAX, BSC_MEMORY_HOST, 4096),
                            {BSC_LIMIT_EXCEEDED, BSC_OUT_OF_MEMORY, BSC_UNSUPPORTED}, "2^64-1 bytes aligned to a page",
                            error);
}

CONFORMANCE_CASE(core, memory_allocate, refuses_an_unknown_memory_type) {
  Session session(context);
  Error error;
  for (const std::uint32_t type : {2u, 0xFFFFFFFFu}) {
    expect_allocation_refused(session, describe(64, type), {BSC_INVALID_ARGUMENT, BSC_UNSUPPORTED},
                              fmt::format("memory type {}", type), error);
  }
}

CONFORMANCE_CASE(core, memory_allocate, says_when_memory_has_run_out) {
  Session session(context);
  // On real memory this would take the whole machine's.
  if (session.info.memory_bytes < std::uint64_t{1} << 45) skip("would fill the machine's memory");
  std::vector<std::unique_ptr<Memory>> all;
  const std::uint64_t share = session.info.memory_bytes / 4;
  for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<Memory>(session, share));
  Error error;
  expect_allocation_refused(session, describe(share), {BSC_OUT_OF_MEMORY}, "a fifth quarter of the memory", error);
  expect_message(error, std::to_string(share), "the size asked for");
  expect(error.raw().retryable == 1, "running out of memory is not marked as retryable");
  all.pop_back();
  Memory again(session, share);
}

CONFORMANCE_CASE(core, memory_allocate, accepts_a_larger_struct_and_unknown_extensions) {
  Session session(context);
  const bsc_struct extension = {sizeof extension, 0x7FFF0003u, nullptr};
  Guarded<bsc_plugin_memory_description> description(BSC_STRUCT_MEMORY_DESCRIPTION,
                                                     sizeof(bsc_plugin_memory_description) + 64);
  description.get()->header.next = &extension;
  description.get()->bytes = 128;
  description.get()->alignment = 0;
  description.get()->type = BSC_MEMORY_DEVICE;
  Error error;
  bsc_plugin_memory memory = nullptr;
  expect_ok(session.api.memory->allocate(session.device, description.get(), &memory, error.get()), error,
            "a larger memory description");
  expect_ok(session.api.memory->release(memory, error.get()), error, "memory.release");
}

CONFORMANCE_CASE(core, memory_allocate, reads_absent_fields_as_zero) {
  Session session(context);
  // A host that knows neither alignment nor type; what lies behind its struct is not theirs.
  Guarded<bsc_plugin_memory_description> description(BSC_STRUCT_MEMORY_DESCRIPTION,
                                                     offsetof(bsc_plugin_memory_description, alignment));
  description.get()->bytes = 128;
  Error error;
  bsc_plugin_memory memory = nullptr;
  expect_ok(session.api.memory->allocate(session.device, description.get(), &memory, error.get()), error,
            "a memory description that ends after bytes");
  expect_ok(session.api.memory->release(memory, error.get()), error, "memory.release");
}

CONFORMANCE_CASE(core, memory_allocate, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  const auto description = describe(64);
  bsc_plugin_memory memory = nullptr;
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_DEVICE)) {
    error.reset();
    expect_refused(session.api.memory->allocate(bad.handle, &description, &memory, error.get()), error,
                   {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, memory_allocate, works_from_many_threads) {
  Session session(context);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const auto description = describe(64 + static_cast<std::uint64_t>(thread), thread % 2 == 0 ? 0u : 1u);
      for (int i = 0; i < 100; ++i) {
        bsc_plugin_memory memory = nullptr;
        if (session.api.memory->allocate(session.device, &description, &memory, nullptr) != BSC_OK) ++wrong;
        else if (session.api.memory->release(memory, nullptr) != BSC_OK) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, fmt::format("{} of 800 allocations or releases failed", wrong.load()));
}

}  // namespace bascule::conformance
