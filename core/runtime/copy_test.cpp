// Copies between devices and between backends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::testing;

namespace {

std::vector<std::byte> random_bytes(std::uint64_t count) {
  std::mt19937_64 random(bascule::test::seed());
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

bsc_buffer* make_buffer(bsc_device* device, std::uint64_t bytes) {
  bsc_buffer* buffer = nullptr;
  REQUIRE(bsc_buffer_create(device, bytes, BSC_BUFFER_DEVICE, &buffer, nullptr) == BSC_OK);
  return buffer;
}

bsc_queue* make_queue(bsc_device* device) {
  bsc_queue* queue = nullptr;
  REQUIRE(bsc_queue_create(device, nullptr, &queue, nullptr) == BSC_OK);
  return queue;
}

}  // namespace

TEST_CASE("a copy between two backends arrives, on a queue of either side, at sizes around the chunk") {
  FakePlugin first;
  FakeOptions unmappable;
  unmappable.with_map = false;
  FakePlugin second(unmappable);
  bsc_instance* instance = make_instance({{"one", &first}, {"two", &second}});
  bsc_device* a = bsc_instance_device(instance, 0);
  bsc_device* b = bsc_instance_device(instance, 1);
  bsc_queue* queue_a = make_queue(a);
  bsc_queue* queue_b = make_queue(b);
  constexpr std::uint64_t kChunk = 4 << 20;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, kChunk, kChunk + 1, 3 * kChunk + 17}) {
    for (bsc_queue* queue : {queue_a, queue_b}) {
      CAPTURE(bytes);
      const auto data = random_bytes(bytes);
      bsc_buffer* source = make_buffer(a, bytes + 8);
      bsc_buffer* destination = make_buffer(b, bytes + 16);
      REQUIRE(bsc_queue_write(queue_a, source, 8, data.data(), bytes, nullptr, nullptr) == BSC_OK);
      bsc_event* written = nullptr;
      REQUIRE(bsc_queue_record(queue_a, &written, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_wait_event(queue, written, nullptr) == BSC_OK);
      bsc_event* copied = nullptr;
      REQUIRE(bsc_queue_copy(queue, source, 8, destination, 16, bytes, &copied, nullptr) == BSC_OK);
      REQUIRE(bsc_event_wait(copied, BSC_FOREVER, nullptr) == BSC_OK);
      std::vector<std::byte> result(bytes);
      REQUIRE(bsc_queue_read(queue_b, destination, 16, result.data(), bytes, nullptr, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_wait(queue_b, BSC_FOREVER, nullptr) == BSC_OK);
      CHECK(result == data);
      bsc_event_release(written);
      bsc_event_release(copied);
      bsc_buffer_release(source);
      bsc_buffer_release(destination);
    }
  }
  bsc_queue_release(queue_a);
  bsc_queue_release(queue_b);
  bsc_instance_release(instance);
  CHECK(first.live_memory + second.live_memory == 0);
  CHECK(first.live_queues + second.live_queues == 0);
}

TEST_CASE("a copy between two devices of one backend waits for what the queue was told to wait for") {
  FakeOptions options;
  options.devices = 2;
  FakePlugin plugin(options);
  bsc_instance* instance = make_instance({{"fake", &plugin}});
  bsc_device* a = bsc_instance_device(instance, 0);
  bsc_device* b = bsc_instance_device(instance, 1);
  bsc_queue* queue_a = make_queue(a);
  bsc_queue* queue_b = make_queue(b);
  bsc_buffer* source = make_buffer(a, 64);
  bsc_buffer* destination = make_buffer(b, 64);
  REQUIRE(bsc_queue_fill(queue_a, source, 0, 64, "\x2a", 1, nullptr, nullptr) == BSC_OK);
  bsc_event* filled = nullptr;
  REQUIRE(bsc_queue_record(queue_a, &filled, nullptr) == BSC_OK);
  // Nobody has waited for queue_a on the host: the copy on queue_b must.
  REQUIRE(bsc_queue_wait_event(queue_b, filled, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_copy(queue_b, source, 0, destination, 0, 64, nullptr, nullptr) == BSC_OK);
  std::string text(64, '?');
  REQUIRE(bsc_queue_read(queue_b, destination, 0, text.data(), 64, nullptr, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait(queue_b, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(text == std::string(64, '\x2a'));
  bsc_event_release(filled);
  bsc_buffer_release(source);
  bsc_buffer_release(destination);
  bsc_queue_release(queue_a);
  bsc_queue_release(queue_b);
  bsc_instance_release(instance);
}

TEST_CASE("a copy on a queue of neither device names both devices and the queue's") {
  FakeOptions options;
  options.devices = 3;
  FakePlugin plugin(options);
  bsc_instance* instance = make_instance({{"fake", &plugin}});
  bsc_buffer* source = make_buffer(bsc_instance_device(instance, 0), 64);
  bsc_buffer* destination = make_buffer(bsc_instance_device(instance, 1), 64);
  bsc_queue* queue = make_queue(bsc_instance_device(instance, 2));
  ErrorHolder error;
  CHECK(bsc_queue_copy(queue, source, 0, destination, 0, 64, nullptr, &error) == BSC_INVALID_ARGUMENT);
  for (const char* id : {"fake:0", "fake:1", "fake:2"}) CHECK(error.mentions(id));
  CHECK(bsc_queue_read(queue, source, 0, &error, 1, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  bsc_buffer_release(source);
  bsc_buffer_release(destination);
  bsc_queue_release(queue);
  bsc_instance_release(instance);
}

TEST_CASE("an error in the middle of a copy between devices is returned, with nothing left under way") {
  FakePlugin first;
  FakePlugin second;
  bsc_instance* instance = make_instance({{"one", &first}, {"two", &second}});
  bsc_queue* queue = make_queue(bsc_instance_device(instance, 0));
  constexpr std::uint64_t kBytes = 20 << 20;
  bsc_buffer* source = make_buffer(bsc_instance_device(instance, 0), kBytes);
  bsc_buffer* destination = make_buffer(bsc_instance_device(instance, 1), kBytes);
  second.next_execution_fails = BSC_DEVICE_LOST;
  CHECK(bsc_queue_copy(queue, source, 0, destination, 0, kBytes, nullptr, nullptr) == BSC_DEVICE_LOST);
  // The broken transfer queue is replaced: the next copy works.
  CHECK(bsc_queue_copy(queue, source, 0, destination, 0, kBytes, nullptr, nullptr) == BSC_OK);
  bsc_buffer_release(source);
  bsc_buffer_release(destination);
  bsc_queue_release(queue);
  bsc_instance_release(instance);
  CHECK(first.released_while_in_use + second.released_while_in_use == 0);
}
