// Many threads, queues and short-lived objects at once; run under the sanitizers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>
#include <thread>

#include "core/runtime/testing/fake_instance.hpp"
#include "tests/support/seed.hpp"

using namespace bascule::testing;

namespace {

// One thread's work: its own queue, buffers of its own and one that all share.
void work(Fixture& fixture, bsc_kernel* kernel, bsc_buffer* shared, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  bsc_queue* queue = nullptr;
  CHECK(bsc_queue_create(fixture.device, nullptr, &queue, nullptr) == BSC_OK);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t start = static_cast<std::uint32_t>(random());
    const std::uint64_t count = 1 + random() % 500;
    bsc_buffer* buffer = nullptr;
    const bool pooled = random() % 2 == 0;
    CHECK((pooled ? bsc_queue_allocate(queue, count * 4, &buffer, nullptr)
                  : bsc_buffer_create(fixture.device, count * 4, 0, &buffer, nullptr)) == BSC_OK);
    CHECK(bsc_queue_fill(queue, buffer, 0, count * 4, &start, 4, nullptr, nullptr) == BSC_OK);
    const bsc_argument argument = buffer_argument(buffer, count * 4);
    const bsc_launch_options options = work_items(count);
    const int times = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < times; ++i) {
      CHECK(bsc_queue_launch(queue, kernel, &options, 1, &argument, nullptr, nullptr) == BSC_OK);
    }
    std::uint32_t result = 0;
    bsc_event* event = nullptr;
    CHECK(bsc_queue_read(queue, buffer, (count - 1) * 4, &result, 4, &event, nullptr) == BSC_OK);
    std::uint32_t seen = 0;
    CHECK(bsc_queue_read(queue, shared, 0, &seen, 4, nullptr, nullptr) == BSC_OK);
    bsc_buffer_release(buffer);  // before the work has run
    if (random() % 3 == 0) {
      std::uint64_t released = 0;
      CHECK(bsc_device_trim_pools(fixture.device, &released, nullptr) == BSC_OK);
    }
    CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
    CHECK(result == start + static_cast<std::uint32_t>(times));
    bsc_event_release(event);
    CHECK(bsc_queue_wait(queue, BSC_FOREVER, nullptr) == BSC_OK);
    CHECK(seen == 77);
  }
  bsc_queue_release(queue);
}

}  // namespace

TEST_CASE("many threads with queues of their own compute what one would, and nothing is released in use") {
  for (const bool completed : {true, false}) {
    FakeOptions options;
    options.with_completed = completed;
    Fixture fixture(options);
    bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
    bsc_buffer* shared = fixture.filled({77});
    REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] { work(fixture, kernel, shared, bascule::test::seed() + i); });
    }
    for (std::thread& thread : threads) thread.join();
    bsc_kernel_release(kernel);
    bsc_buffer_release(shared);
  }
}

TEST_CASE("one queue may be waited for and asked by many threads while another submits") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(64);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      while (!stop) {
        std::uint64_t completed = 0;
        CHECK(bsc_queue_completed(fixture.queue, &completed, nullptr) == BSC_OK);
        CHECK(completed <= bsc_queue_submitted(fixture.queue));
        if (i % 2) CHECK(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
      }
    });
  }
  for (int i = 0; i < 2000; ++i) {
    bsc_event* event = nullptr;
    REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 64, "x", 1, &event, nullptr) == BSC_OK);
    bsc_event_release(event);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  bsc_buffer_release(buffer);
}

TEST_CASE("a graph may be replayed on several queues and updated at the same time") {
  for (const bool native : {true, false}) {
    FakeOptions options;
    options.with_graph = native;
    Fixture fixture(options);
    bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
    std::vector<bsc_buffer*> targets;
    for (int i = 0; i < 4; ++i) targets.push_back(fixture.filled(std::vector<std::uint32_t>(16, 0)));
    REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
    const bsc_launch_options items = work_items(16);
    const bsc_argument first = buffer_argument(targets[0], 64);
    REQUIRE(bsc_queue_launch(fixture.queue, kernel, &items, 1, &first, nullptr, nullptr) == BSC_OK);
    bsc_graph* graph = nullptr;
    REQUIRE(bsc_queue_end_recording(fixture.queue, &graph, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
    bsc_queue* queue = nullptr;
    REQUIRE(bsc_queue_create(fixture.device, nullptr, &queue, nullptr) == BSC_OK);
    constexpr int kReplays = 300;
    std::thread updater([&] {
      for (int i = 0; i < kReplays; ++i) {
        const bsc_argument argument = buffer_argument(targets[static_cast<std::size_t>(i) % targets.size()], 64);
        CHECK(bsc_graph_update_launch(graph, 0, &items, 1, &argument, nullptr) == BSC_OK);
      }
    });
    for (int i = 0; i < kReplays; ++i) {
      REQUIRE(bsc_queue_replay(queue, graph, nullptr, nullptr) == BSC_OK);
      if (i % 16 == 0) REQUIRE(bsc_queue_wait(queue, BSC_FOREVER, nullptr) == BSC_OK);
    }
    updater.join();
    REQUIRE(bsc_queue_wait(queue, BSC_FOREVER, nullptr) == BSC_OK);
    std::uint64_t sum = 0;
    for (bsc_buffer* target : targets) sum += fixture.read(target)[15];
    CHECK(sum == kReplays);  // each replay ran whole, with the arguments of one moment
    bsc_graph_release(graph);
    for (bsc_buffer* target : targets) bsc_buffer_release(target);
    bsc_kernel_release(kernel);
    bsc_queue_release(queue);
  }
}
