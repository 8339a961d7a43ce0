// Buffers and pools.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <random>

#include "core/runtime/memory.hpp"
#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::testing;
using bascule::core::Pool;

TEST_CASE("a buffer of zero bytes exists, and copies of zero bytes succeed and complete") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(0);
  CHECK(bsc_buffer_size(buffer) == 0);
  bsc_event* event = nullptr;
  CHECK(bsc_queue_write(fixture.queue, buffer, 0, nullptr, 0, &event, nullptr) == BSC_OK);
  CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
  bsc_event_release(event);
  CHECK(bsc_queue_copy(fixture.queue, buffer, 0, buffer, 0, 0, nullptr, nullptr) == BSC_OK);
  CHECK(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  bsc_buffer_release(buffer);
}

TEST_CASE("an allocation beyond the device's largest is LIMIT_EXCEEDED with both numbers") {
  Fixture fixture;
  for (const std::uint64_t bytes :
       {(std::uint64_t{1} << 28) + 1, std::uint64_t{1} << 31, (std::uint64_t{1} << 32) + 1, UINT64_MAX}) {
    bsc_buffer* buffer = nullptr;
    ErrorHolder error;
    REQUIRE(bsc_buffer_create(fixture.device, bytes, 0, &buffer, &error) == BSC_LIMIT_EXCEEDED);
    CHECK(error.mentions(std::to_string(bytes)));
    CHECK(error.mentions(std::to_string(1u << 28)));
    CHECK(!error.remedy().empty());
    REQUIRE(bsc_queue_allocate(fixture.queue, bytes, &buffer, nullptr) == BSC_LIMIT_EXCEEDED);
  }
}

TEST_CASE("ranges are checked in 64 bits: an offset that wraps around is refused") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(4096);
  std::vector<std::byte> host(8192);
  struct Range {
    std::uint64_t offset, bytes;
  };
  std::mt19937_64 random(bascule::test::seed());
  std::vector<Range> wrong = {{4097, 0},
                              {4096, 1},
                              {1, 4096},
                              {UINT64_MAX, 1},
                              {UINT64_MAX, UINT64_MAX},
                              {1, UINT64_MAX},
                              {std::uint64_t{1} << 32, 4},
                              {UINT64_MAX - 3, 8}};
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t offset = random();
    if (offset > 4096) wrong.push_back({offset, UINT64_MAX - offset + 1 + random() % 4096});
  }
  for (const auto& [offset, bytes] : wrong) {
    CAPTURE(offset);
    CAPTURE(bytes);
    ErrorHolder error;
    REQUIRE(bsc_queue_read(fixture.queue, buffer, offset, host.data(), bytes, nullptr, &error) == BSC_INVALID_ARGUMENT);
    CHECK(error.mentions("4096"));
    REQUIRE(bsc_queue_write(fixture.queue, buffer, offset, host.data(), bytes, nullptr, nullptr) ==
            BSC_INVALID_ARGUMENT);
    REQUIRE(bsc_queue_upload(fixture.queue, buffer, offset, host.data(), bytes, nullptr) == BSC_INVALID_ARGUMENT);
    REQUIRE(bsc_queue_fill(fixture.queue, buffer, offset, bytes, "x", 1, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
    REQUIRE(bsc_queue_copy(fixture.queue, buffer, offset, buffer, 0, bytes, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
    REQUIRE(bsc_queue_copy(fixture.queue, buffer, 0, buffer, offset, bytes, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  }
  CHECK(fixture.plugin.submissions == 0);
  bsc_buffer_release(buffer);
}

TEST_CASE("overlapping copies inside one buffer are refused, touching ones are not") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.filled({1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(bsc_queue_copy(fixture.queue, buffer, 0, buffer, 4, 8, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  CHECK(bsc_queue_copy(fixture.queue, buffer, 4, buffer, 0, 8, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  CHECK(bsc_queue_copy(fixture.queue, buffer, 0, buffer, 8, 8, nullptr, nullptr) == BSC_OK);
  CHECK(fixture.read(buffer) == std::vector<std::uint32_t>{1, 2, 1, 2, 5, 6, 7, 8});
  bsc_buffer_release(buffer);
}

TEST_CASE("a buffer released while work uses it goes back once that work has completed") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(256);
  const std::uint32_t pattern = 5;
  fixture.plugin.hold();
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 256, &pattern, 4, nullptr, nullptr) == BSC_OK);
  bsc_buffer_release(buffer);
  CHECK(fixture.plugin.live_memory == 1);
  fixture.plugin.let_go();
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(fixture.plugin.live_memory == 0);
  CHECK(fixture.plugin.released_while_in_use == 0);
}

TEST_CASE("the same holds for a plugin that can only wait, and for more queues than a buffer has slots") {
  FakeOptions options;
  options.with_completed = false;
  Fixture fixture(options);
  bsc_buffer* buffer = fixture.buffer(256);
  std::vector<bsc_queue*> queues(5);
  fixture.plugin.hold();
  for (bsc_queue*& queue : queues) {
    REQUIRE(bsc_queue_create(fixture.device, nullptr, &queue, nullptr) == BSC_OK);
    for (int i = 0; i < 3; ++i) REQUIRE(bsc_queue_fill(queue, buffer, 0, 256, "abcd", 4, nullptr, nullptr) == BSC_OK);
  }
  bsc_buffer_release(buffer);
  fixture.plugin.let_go();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    CHECK(fixture.plugin.live_memory == 1);
    REQUIRE(bsc_queue_wait(queues[i], BSC_FOREVER, nullptr) == BSC_OK);
  }
  CHECK(fixture.plugin.live_memory == 0);
  for (bsc_queue* queue : queues) bsc_queue_release(queue);
}

TEST_CASE("map gives the same address each time, and says what to do where the host cannot reach the memory") {
  {
    Fixture fixture;
    bsc_buffer* buffer = fixture.buffer(64, BSC_BUFFER_HOST);
    void *first = nullptr, *second = nullptr;
    REQUIRE(bsc_buffer_map(buffer, &first, nullptr) == BSC_OK);
    REQUIRE(bsc_buffer_map(buffer, &second, nullptr) == BSC_OK);
    CHECK(first == second);
    std::memset(first, 1, 64);
    CHECK(fixture.read(buffer) == std::vector<std::uint32_t>(16, 0x01010101u));
    bsc_buffer_release(buffer);
  }
  FakeOptions options;
  options.with_map = false;
  Fixture fixture(options);
  bsc_buffer* buffer = fixture.buffer(64);
  void* pointer = nullptr;
  ErrorHolder error;
  CHECK(bsc_buffer_map(buffer, &pointer, &error) == BSC_UNSUPPORTED);
  CHECK(error.remedy().find("BSC_BUFFER_HOST") != std::string::npos);
  bsc_buffer_release(buffer);
}

TEST_CASE("an unknown buffer type is refused") {
  Fixture fixture;
  bsc_buffer* buffer = nullptr;
  CHECK(bsc_buffer_create(fixture.device, 8, 77, &buffer, nullptr) == BSC_INVALID_ARGUMENT);
}

TEST_CASE("size classes waste at most a quarter, never go beyond the limit and are stable") {
  std::mt19937_64 random(bascule::test::seed());
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t limit = random() >> (random() % 40);
    const std::uint64_t bytes = random() >> (random() % 64);
    if (bytes > limit) continue;
    CAPTURE(bytes);
    CAPTURE(limit);
    const std::uint64_t rounded = Pool::class_bytes(bytes, limit);
    REQUIRE(rounded >= bytes);
    REQUIRE(rounded <= std::max(limit, bytes));
    if (bytes > 256) REQUIRE(rounded - bytes <= bytes / 4);
    if (rounded <= limit) REQUIRE(Pool::class_bytes(rounded, limit) == rounded);
  }
  CHECK(Pool::class_bytes(1025, UINT64_MAX) == 1280);
  CHECK(Pool::class_bytes(0, UINT64_MAX) == 256);
}

TEST_CASE("a queue gets its own freed memory back at once, another queue only when the work has completed") {
  Fixture fixture;
  bsc_queue* other = nullptr;
  REQUIRE(bsc_queue_create(fixture.device, nullptr, &other, nullptr) == BSC_OK);
  bsc_buffer* first = nullptr;
  REQUIRE(bsc_queue_allocate(fixture.queue, 1000, &first, nullptr) == BSC_OK);
  CHECK(bsc_buffer_size(first) == 1000);
  fixture.plugin.hold();
  REQUIRE(bsc_queue_fill(fixture.queue, first, 0, 1000, "ab", 2, nullptr, nullptr) == BSC_OK);
  bsc_buffer_release(first);
  CHECK(fixture.plugin.live_memory == 1);
  bsc_buffer* same = nullptr;
  REQUIRE(bsc_queue_allocate(fixture.queue, 900, &same, nullptr) == BSC_OK);
  CHECK(fixture.plugin.live_memory == 1);
  bsc_buffer_release(same);
  bsc_buffer* elsewhere = nullptr;
  REQUIRE(bsc_queue_allocate(other, 1000, &elsewhere, nullptr) == BSC_OK);
  CHECK(fixture.plugin.live_memory == 2);
  fixture.plugin.let_go();
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  bsc_buffer* now = nullptr;
  REQUIRE(bsc_queue_allocate(other, 1000, &now, nullptr) == BSC_OK);
  CHECK(fixture.plugin.live_memory == 2);
  bsc_buffer_release(now);
  bsc_buffer_release(elsewhere);
  std::uint64_t released = 0;
  REQUIRE(bsc_device_trim_pools(fixture.device, &released, nullptr) == BSC_OK);
  CHECK(released == 2048);
  CHECK(fixture.plugin.live_memory == 0);
  bsc_queue_release(other);
}

TEST_CASE("trimming leaves memory whose work is still under way") {
  Fixture fixture;
  bsc_buffer* buffer = nullptr;
  REQUIRE(bsc_queue_allocate(fixture.queue, 512, &buffer, nullptr) == BSC_OK);
  fixture.plugin.hold();
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 512, "a", 1, nullptr, nullptr) == BSC_OK);
  bsc_buffer_release(buffer);
  std::uint64_t released = 1;
  REQUIRE(bsc_device_trim_pools(fixture.device, &released, nullptr) == BSC_OK);
  CHECK(released == 0);
  CHECK(fixture.plugin.live_memory == 1);
}

TEST_CASE("when the driver is out of memory the pools are trimmed and it is asked once more") {
  FakeOptions options;
  options.memory_bytes = 10000;
  Fixture fixture(options);
  bsc_buffer* pooled = nullptr;
  REQUIRE(bsc_queue_allocate(fixture.queue, 8192, &pooled, nullptr) == BSC_OK);
  bsc_buffer_release(pooled);
  CHECK(fixture.plugin.live_memory == 1);
  bsc_buffer* buffer = fixture.buffer(9000);
  CHECK(fixture.plugin.live_memory == 1);
  bsc_buffer* more = nullptr;
  ErrorHolder error;
  const std::uint64_t before = fixture.plugin.allocations;
  CHECK(bsc_buffer_create(fixture.device, 9000, 0, &more, &error) == BSC_OUT_OF_MEMORY);
  CHECK(fixture.plugin.allocations - before == 2);
  CHECK(error.mentions("9000"));
  CHECK(error.remedy().find("10000") != std::string::npos);
  bsc_buffer_release(buffer);
}

TEST_CASE("free memory says whether it is an estimate") {
  FakeOptions options;
  options.with_memory_state = false;
  for (const bool known : {true, false}) {
    Fixture fixture(known ? FakeOptions{} : options);
    std::uint64_t total = 0, free = 0;
    int estimate = -1;
    bsc_buffer* buffer = fixture.buffer(4096);
    REQUIRE(bsc_device_memory(fixture.device, &total, &free, &estimate, nullptr) == BSC_OK);
    CHECK(total == std::uint64_t{1} << 30);
    CHECK(free == (known ? total - 4096 : total));
    CHECK(estimate == (known ? 0 : 1));
    bsc_buffer_release(buffer);
  }
}
