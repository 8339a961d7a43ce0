// Handles, errors and sized structs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstring>
#include <random>
#include <stdexcept>

#include "core/runtime/error_handle.hpp"
#include "core/runtime/sized.hpp"
#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::testing;

TEST_CASE("NULL handles are refused by name, and releasing NULL does nothing") {
  ErrorHolder error;
  bsc_buffer* buffer = nullptr;
  CHECK(bsc_buffer_create(nullptr, 1, 0, &buffer, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("device is NULL"));
  CHECK(bsc_queue_wait(nullptr, 0, &error) == BSC_INVALID_ARGUMENT);
  CHECK(bsc_queue_launch(nullptr, nullptr, nullptr, 0, nullptr, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  bsc_instance_release(nullptr);
  bsc_buffer_release(nullptr);
  bsc_queue_release(nullptr);
  bsc_event_release(nullptr);
  bsc_graph_release(nullptr);
  bsc_package_release(nullptr);
  bsc_kernel_release(nullptr);
  bsc_module_release(nullptr);
  bsc_error_release(nullptr);
  CHECK(bsc_buffer_size(nullptr) == 0);
  CHECK(bsc_instance_device(nullptr, 0) == nullptr);
  CHECK(std::string(bsc_instance_selection(nullptr)).empty());
}

TEST_CASE("a foreign pointer and a handle of another kind give INVALID_HANDLE") {
  Fixture fixture;
  alignas(16) std::array<std::uint64_t, 64> memory{};
  ErrorHolder error;
  CHECK(bsc_queue_wait(reinterpret_cast<bsc_queue*>(memory.data()), 0, &error) == BSC_INVALID_HANDLE);
  CHECK(error.mentions("queue"));
  auto* wrong = reinterpret_cast<bsc_queue*>(fixture.device);
  CHECK(bsc_queue_wait(wrong, 0, &error) == BSC_INVALID_HANDLE);
  bsc_queue_release(wrong);  // not this kind: left alone
  CHECK(bsc_instance_device_count(fixture.instance) == 1);
}

TEST_CASE("handles may be released in any order: children keep their parents alive") {
  FakePlugin plugin;
  bsc_instance* instance = make_instance({{"fake", &plugin}});
  bsc_device* device = bsc_instance_default_device(instance);
  bsc_queue* queue = nullptr;
  bsc_buffer* buffer = nullptr;
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_create(device, nullptr, &queue, nullptr) == BSC_OK);
  REQUIRE(bsc_buffer_create(device, 64, BSC_BUFFER_DEVICE, &buffer, nullptr) == BSC_OK);
  const std::uint32_t pattern = 7;
  REQUIRE(bsc_queue_fill(queue, buffer, 0, 64, &pattern, 4, &event, nullptr) == BSC_OK);
  bsc_instance_release(instance);
  bsc_queue_release(queue);
  CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(plugin.live_instances == 1);
  bsc_event_release(event);
  CHECK(bsc_device_instance(bsc_buffer_device(buffer)) == instance);
  bsc_buffer_release(buffer);
  CHECK(plugin.live_instances == 0);
  CHECK(plugin.live_memory == 0);
  CHECK(plugin.live_queues == 0);
}

TEST_CASE("exceptions become INTERNAL or OUT_OF_MEMORY, never leave a public function") {
  using bascule::core::guarded;
  using bascule::core::Status;
  ErrorHolder error;
  CHECK(guarded(&error, []() -> Status { throw std::runtime_error("broken vase"); }) == BSC_INTERNAL);
  CHECK(error.mentions("broken vase"));
  CHECK(guarded(&error, []() -> Status { throw std::bad_alloc(); }) == BSC_OUT_OF_MEMORY);
  CHECK(error.mentions("memory"));
  CHECK(guarded(&error, []() -> Status { throw 3; }) == BSC_INTERNAL);
  CHECK(guarded(nullptr, []() -> Status { throw 3; }) == BSC_INTERNAL);
}

TEST_CASE("an error carries call, vendor code and name, backend, message and remedy") {
  Fixture fixture;
  fixture.plugin.fail_allocations = 2;  // the second is the retry after trimming
  bsc_buffer* buffer = nullptr;
  ErrorHolder error;
  REQUIRE(bsc_buffer_create(fixture.device, 4096, 0, &buffer, &error) == BSC_OUT_OF_MEMORY);
  CHECK(bsc_error_status(error.get()) == BSC_OUT_OF_MEMORY);
  CHECK(error.mentions("4096"));
  CHECK(std::string(bsc_error_call(error.get())) == "fake_call");
  CHECK(std::string(bsc_error_vendor_name(error.get())) == "FAKE_ERROR");
  CHECK(bsc_error_vendor_code(error.get()) == -7);
  CHECK(std::string(bsc_error_backend(error.get())) == "fake");
  CHECK(bsc_error_retryable(error.get()) == 1);
  CHECK(!error.remedy().empty());
}

TEST_CASE("an error is left alone on success") {
  Fixture fixture;
  auto* const untouched = reinterpret_cast<bsc_error*>(&fixture);
  bsc_error* error = untouched;
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, &error) == BSC_OK);
  CHECK(error == untouched);
}

TEST_CASE("structs of every size are accepted, and nothing beyond a caller's size is read or written") {
  Fixture fixture;
  std::mt19937_64 random(bascule::test::seed());
  bsc_device_info full{};
  full.size = sizeof full;
  bsc_device_get_info(fixture.device, &full);
  for (std::uint64_t size = 0; size <= sizeof(bsc_device_info) + 64; ++size) {
    alignas(16) std::array<unsigned char, sizeof(bsc_device_info) + 128> memory;
    const auto canary = static_cast<unsigned char>(random());
    memory.fill(canary);
    std::memcpy(memory.data(), &size, sizeof size);
    bsc_device_get_info(fixture.device, reinterpret_cast<bsc_device_info*>(memory.data()));
    std::uint64_t size_after = 0;
    std::memcpy(&size_after, memory.data(), sizeof size_after);
    const std::uint64_t known = std::min<std::uint64_t>(size, sizeof full);
    if (size >= 8) {
      CHECK(size_after == size);
      CHECK(std::memcmp(memory.data() + 8, reinterpret_cast<const char*>(&full) + 8, known - 8) == 0);
    }
    for (std::uint64_t i = std::max<std::uint64_t>(known, 8); i < memory.size(); ++i) REQUIRE(memory[i] == canary);
  }
}

TEST_CASE("input structs of every size are read as if the missing fields were zero") {
  Fixture fixture;
  for (std::uint64_t size = 0; size <= sizeof(bsc_queue_options) + 16; ++size) {
    // Garbage behind the size must not count: it would be an unknown flag or limit.
    alignas(16) std::array<unsigned char, sizeof(bsc_queue_options) + 32> memory{};
    for (std::size_t i = size; i < memory.size(); ++i) memory[i] = 0xee;
    std::memcpy(memory.data(), &size, sizeof size);
    auto read =
        bascule::core::read_sized(reinterpret_cast<const bsc_queue_options*>(memory.data()), "bsc_queue_options");
    if (size < 8) {
      REQUIRE_FALSE(read.ok());
      CHECK(read.error().status == BSC_INVALID_ARGUMENT);
      continue;
    }
    REQUIRE(read.ok());
    CHECK(read->compute_unit_limit == 0);
    CHECK(read->priority == 0);
    CHECK(read->profile == 0);
    CHECK(read->debug_sync == 0);
  }
  bsc_queue* queue = nullptr;
  bsc_queue_options zero{};
  ErrorHolder error;
  CHECK(bsc_queue_create(fixture.device, &zero, &queue, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("bsc_queue_options.size"));
}
