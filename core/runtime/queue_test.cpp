// Queues: order, waits, uploads, fills, errors, times.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <random>
#include <thread>

#include "core/runtime/staging.hpp"
#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::testing;

TEST_CASE("the timeline counts submissions from 1 and events name its values") {
  Fixture fixture;
  CHECK(bsc_queue_submitted(fixture.queue) == 0);
  std::uint64_t completed = 9;
  REQUIRE(bsc_queue_completed(fixture.queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == 0);
  bsc_event* before = nullptr;
  REQUIRE(bsc_queue_record(fixture.queue, &before, nullptr) == BSC_OK);
  CHECK(bsc_event_value(before) == 0);
  CHECK(bsc_event_done(before) == 1);
  CHECK(bsc_event_wait(before, 0, nullptr) == BSC_OK);
  bsc_event_release(before);
  bsc_buffer* buffer = fixture.buffer(64);
  fixture.plugin.hold();
  bsc_event* first = nullptr;
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "a", 1, &first, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "b", 1, nullptr, nullptr) == BSC_OK);
  bsc_event* second = nullptr;
  REQUIRE(bsc_queue_record(fixture.queue, &second, nullptr) == BSC_OK);
  CHECK(bsc_event_value(first) == 1);
  CHECK(bsc_event_value(second) == 2);
  CHECK(bsc_event_done(second) == 0);
  ErrorHolder error;
  CHECK(bsc_event_wait(second, 1000, &error) == BSC_TIMED_OUT);
  CHECK(error.mentions("the work goes on"));
  CHECK(bsc_error_retryable(error.get()) == 1);
  CHECK(bsc_queue_wait(fixture.queue, 0, nullptr) == BSC_TIMED_OUT);
  fixture.plugin.let_go();
  CHECK(bsc_event_wait(first, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(bsc_event_done(first) == 1);
  CHECK(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_completed(fixture.queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == 2);
  bsc_event_release(first);
  bsc_event_release(second);
  bsc_buffer_release(buffer);
}

TEST_CASE("uploaded data may change as soon as the call returns, at every size around the staging limits") {
  Fixture fixture;
  constexpr std::uint64_t kLargest = bascule::core::Staging::kLargest;
  for (const std::uint64_t bytes : {std::uint64_t{4}, kLargest - 4, kLargest, kLargest + 4, 3 * kLargest}) {
    std::vector<std::uint32_t> values(bytes / 4);
    std::iota(values.begin(), values.end(), 1u);
    const auto expected = values;
    bsc_buffer* buffer = fixture.buffer(bytes);
    REQUIRE(bsc_queue_upload(fixture.queue, buffer, 0, values.data(), bytes, nullptr) == BSC_OK);
    std::fill(values.begin(), values.end(), 0xdeadu);
    CHECK(fixture.read(buffer) == expected);
    bsc_buffer_release(buffer);
  }
}

TEST_CASE("many small uploads go round the staging memory without losing data") {
  Fixture fixture;
  std::mt19937_64 random(bascule::test::seed());
  std::vector<bsc_buffer*> buffers;
  std::vector<std::vector<std::uint32_t>> expected;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> values(1 + random() % 16000);
    for (auto& value : values) value = static_cast<std::uint32_t>(random());
    buffers.push_back(fixture.filled(values));
    expected.push_back(std::move(values));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    REQUIRE(fixture.read(buffers[i]) == expected[i]);
    bsc_buffer_release(buffers[i]);
  }
}

TEST_CASE("uploads work where host memory cannot be mapped") {
  FakeOptions options;
  options.with_map = false;
  Fixture fixture(options);
  bsc_buffer* buffer = fixture.filled({3, 1, 4, 1, 5});
  CHECK(fixture.read(buffer) == std::vector<std::uint32_t>{3, 1, 4, 1, 5});
  bsc_buffer_release(buffer);
}

TEST_CASE("fills repeat patterns of 1 to 16 bytes, by the plugin or written from the host") {
  for (const bool native : {true, false}) {
    FakeOptions options;
    options.with_fill = native;
    Fixture fixture(options);
    for (const std::uint64_t pattern_bytes : {1u, 2u, 4u, 8u, 16u}) {
      constexpr std::uint64_t kBytes = 3 * 256 * 1024 + 64;
      bsc_buffer* buffer = fixture.buffer(kBytes);
      const char* pattern = "0123456789abcdef";
      REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, kBytes, "z", 1, nullptr, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_fill(fixture.queue, buffer, 16, kBytes - 32, pattern, pattern_bytes, nullptr, nullptr) ==
              BSC_OK);
      std::string text(kBytes, '?');
      REQUIRE(bsc_queue_read(fixture.queue, buffer, 0, text.data(), kBytes, nullptr, nullptr) == BSC_OK);
      REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
      std::string expected(16, 'z');
      while (expected.size() < kBytes - 16) expected.append(pattern, pattern_bytes);
      expected.append(16, 'z');
      CHECK(text == expected);
      bsc_buffer_release(buffer);
    }
  }
}

TEST_CASE("a fill with a pattern of another size, or off its grid, is refused with the numbers") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(64);
  ErrorHolder error;
  CHECK(bsc_queue_fill(fixture.queue, buffer, 0, 6, "abc", 3, nullptr, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("3 bytes"));
  CHECK(bsc_queue_fill(fixture.queue, buffer, 2, 8, "abcd", 4, nullptr, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("multiples"));
  CHECK(bsc_queue_fill(fixture.queue, buffer, 0, 8, nullptr, 4, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  bsc_buffer_release(buffer);
}

TEST_CASE("waits between queues of one backend are submitted, those across instances go through the host") {
  Fixture one;
  Fixture two;
  bsc_queue* sibling = nullptr;
  REQUIRE(bsc_queue_create(one.device, nullptr, &sibling, nullptr) == BSC_OK);
  bsc_buffer* buffer = one.buffer(64);
  bsc_event* event = nullptr;
  one.plugin.hold();
  REQUIRE(bsc_queue_fill(one.queue, buffer, 0, 64, "q", 1, &event, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait_event(sibling, event, nullptr) == BSC_OK);
  CHECK(one.plugin.waits_submitted == 1);
  one.plugin.let_go();
  REQUIRE(bsc_queue_wait(sibling, BSC_FOREVER, nullptr) == BSC_OK);
  CHECK(bsc_event_done(event) == 1);

  // Of another instance: the call itself waits.
  one.plugin.hold();
  bsc_event* later = nullptr;
  REQUIRE(bsc_queue_fill(one.queue, buffer, 0, 64, "r", 1, &later, nullptr) == BSC_OK);
  std::thread release([&] { one.plugin.let_go(); });
  REQUIRE(bsc_queue_wait_event(two.queue, later, nullptr) == BSC_OK);
  CHECK(bsc_event_done(later) == 1);
  CHECK(two.plugin.waits_submitted == 0);
  release.join();
  // On its own queue a wait is nothing: work is in order.
  const std::uint64_t before = bsc_queue_submitted(one.queue);
  REQUIRE(bsc_queue_wait_event(one.queue, later, nullptr) == BSC_OK);
  CHECK(bsc_queue_submitted(one.queue) == before);
  bsc_event_release(event);
  bsc_event_release(later);
  bsc_buffer_release(buffer);
  bsc_queue_release(sibling);
}

TEST_CASE("two queues that waited for each other can both be released") {
  Fixture fixture;
  bsc_queue* other = nullptr;
  REQUIRE(bsc_queue_create(fixture.device, nullptr, &other, nullptr) == BSC_OK);
  bsc_buffer* buffer = fixture.buffer(64);
  bsc_event *first = nullptr, *second = nullptr;
  fixture.plugin.hold();
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "q", 1, &first, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait_event(other, first, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_fill(other, buffer, 0, 64, "r", 1, &second, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait_event(fixture.queue, second, nullptr) == BSC_OK);
  bsc_event_release(first);
  bsc_event_release(second);
  bsc_buffer_release(buffer);
  fixture.plugin.let_go();
  bsc_queue_release(other);
}

TEST_CASE("a failed submission is reported by waits with the interval it lies in, and the queue takes no more") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(64);
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "a", 1, nullptr, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  fixture.plugin.hold();
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "b", 1, &event, nullptr) == BSC_OK);
  fixture.plugin.next_execution_fails = BSC_LAUNCH_FAILED;
  fixture.plugin.let_go();
  ErrorHolder error;
  REQUIRE(bsc_event_wait(event, BSC_FOREVER, &error) == BSC_LAUNCH_FAILED);
  std::uint64_t last = 0, first = 0;
  bsc_error_interval(error.get(), &last, &first);
  CHECK(last == 1);
  CHECK(first == 2);
  CHECK(error.remedy().find("debug_sync") != std::string::npos);
  CHECK(bsc_event_done(event) == 1);
  CHECK(bsc_queue_fill(fixture.queue, buffer, 0, 64, "c", 1, nullptr, nullptr) == BSC_LAUNCH_FAILED);
  CHECK(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_LAUNCH_FAILED);
  bsc_event_release(event);
  bsc_buffer_release(buffer);
}

TEST_CASE("a submission that the plugin refuses leaves the timeline as it was") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(64);
  fixture.plugin.next_submission_fails = BSC_DEVICE_LOST;
  bsc_event* event = nullptr;
  CHECK(bsc_queue_read(fixture.queue, buffer, 0, &fixture, 8, &event, nullptr) == BSC_DEVICE_LOST);
  CHECK(event == nullptr);
  CHECK(bsc_queue_submitted(fixture.queue) == 0);
  bsc_buffer_release(buffer);
}

TEST_CASE("debug_sync names the launch that failed, in the call that launched it") {
  Fixture fixture;
  bsc_queue_options options = BSC_QUEUE_OPTIONS_INIT;
  options.debug_sync = 1;
  bsc_queue* queue = nullptr;
  REQUIRE(bsc_queue_create(fixture.device, &options, &queue, nullptr) == BSC_OK);
  bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
  bsc_buffer* buffer = fixture.filled({1, 2, 3});
  REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
  fixture.plugin.next_execution_fails = BSC_LAUNCH_FAILED;
  const bsc_argument argument = buffer_argument(buffer, 12);
  const bsc_launch_options items = work_items(3);
  ErrorHolder error;
  CHECK(bsc_queue_launch(queue, kernel, &items, 1, &argument, nullptr, &error) == BSC_LAUNCH_FAILED);
  CHECK(error.mentions("kernel add_one"));
  bsc_kernel_release(kernel);
  bsc_buffer_release(buffer);
  bsc_queue_release(queue);
}

TEST_CASE("times come from the device's clock, or from the host's where the plugin has none, and say which") {
  for (const bool native : {true, false}) {
    FakeOptions fake;
    fake.with_times = native;
    Fixture fixture(fake);
    bsc_queue_options options = BSC_QUEUE_OPTIONS_INIT;
    options.profile = 1;
    bsc_queue* queue = nullptr;
    REQUIRE(bsc_queue_create(fixture.device, &options, &queue, nullptr) == BSC_OK);
    bsc_buffer* buffer = fixture.buffer(64);
    bsc_event* event = nullptr;
    REQUIRE(bsc_queue_fill(queue, buffer, 0, 64, "a", 1, &event, nullptr) == BSC_OK);
    bsc_times times{};
    times.size = sizeof times;
    REQUIRE(bsc_event_times(event, &times, nullptr) == BSC_OK);
    CHECK(times.host_clock == (native ? 0 : 1));
    CHECK(times.ended_ns > times.started_ns);
    if (native) CHECK(times.ended_ns - times.started_ns == 500);
    bsc_event_release(event);
    bsc_buffer_release(buffer);
    bsc_queue_release(queue);
  }
}

TEST_CASE("asking a queue without profiling for times is INVALID_STATE with the remedy") {
  Fixture fixture;
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_record(fixture.queue, &event, nullptr) == BSC_OK);
  bsc_times times{};
  times.size = sizeof times;
  ErrorHolder error;
  CHECK(bsc_event_times(event, &times, &error) == BSC_INVALID_STATE);
  CHECK(error.remedy().find("profile") != std::string::npos);
  bsc_event_release(event);
}

TEST_CASE("a timed region that ends with a wait holds the whole delay of asynchronous work") {
  Fixture fixture;
  bsc_queue_options options = BSC_QUEUE_OPTIONS_INIT;
  options.profile = 1;
  bsc_queue* queue = nullptr;
  REQUIRE(bsc_queue_create(fixture.device, &options, &queue, nullptr) == BSC_OK);
  bsc_buffer* buffer = fixture.buffer(64);
  fixture.plugin.hold();
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_fill(queue, buffer, 0, 64, "a", 1, &event, nullptr) == BSC_OK);
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    fixture.plugin.let_go();
  });
  bsc_times times{};
  times.size = sizeof times;
  REQUIRE(bsc_event_times(event, &times, nullptr) == BSC_OK);
  CHECK(times.ended_ns - times.started_ns >= 50'000'000);
  release.join();
  bsc_event_release(event);
  bsc_buffer_release(buffer);
  bsc_queue_release(queue);
}
