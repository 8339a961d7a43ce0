// Graphs: recording, replay, update; by the plugin and by the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <thread>

#include "core/runtime/testing/fake_instance.hpp"

using namespace bascule::testing;

namespace {

using Values = std::vector<std::uint32_t>;

FakeOptions with_graphs(bool native, bool fill = true) {
  FakeOptions options;
  options.with_graph = native;
  options.with_fill = fill;
  return options;
}

bsc_graph* end(Fixture& fixture) {
  bsc_graph* graph = nullptr;
  REQUIRE(bsc_queue_end_recording(fixture.queue, &graph, nullptr) == BSC_OK);
  return graph;
}

void launch_add_one(Fixture& fixture, bsc_kernel* kernel, bsc_buffer* buffer) {
  const bsc_argument argument = buffer_argument(buffer, bsc_buffer_size(buffer));
  const bsc_launch_options options = work_items(bsc_buffer_size(buffer) / 4);
  auto* event = reinterpret_cast<bsc_event*>(&fixture);
  REQUIRE(bsc_queue_launch(fixture.queue, kernel, &options, 1, &argument, &event, nullptr) == BSC_OK);
  CHECK(event == nullptr);  // recorded: no event
}

}  // namespace

TEST_CASE("what is recorded does not run, and runs in order at each replay") {
  for (const bool native : {true, false}) {
    CAPTURE(native);
    Fixture fixture(with_graphs(native));
    bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
    bsc_buffer* a = fixture.filled({1, 2, 3});
    bsc_buffer* b = fixture.filled({0, 0, 0});
    REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
    launch_add_one(fixture, kernel, a);
    REQUIRE(bsc_queue_copy(fixture.queue, a, 0, b, 0, 12, nullptr, nullptr) == BSC_OK);
    launch_add_one(fixture, kernel, b);
    bsc_graph* graph = end(fixture);
    CHECK(bsc_graph_node_count(graph) == 3);
    CHECK(fixture.read(a) == Values{1, 2, 3});
    const std::uint64_t before = bsc_queue_submitted(fixture.queue);
    bsc_event* event = nullptr;
    REQUIRE(bsc_queue_replay(fixture.queue, graph, &event, nullptr) == BSC_OK);
    CHECK(bsc_event_value(event) == before + 1);
    CHECK(bsc_event_wait(event, BSC_FOREVER, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    CHECK(fixture.read(a) == Values{3, 4, 5});
    CHECK(fixture.read(b) == Values{4, 5, 6});
    CHECK(fixture.plugin.native_replays == (native ? 2 : 0));
    bsc_event_release(event);
    bsc_graph_release(graph);
    bsc_kernel_release(kernel);
    bsc_buffer_release(a);
    bsc_buffer_release(b);
  }
}

TEST_CASE("recorded uploads and fills keep their own data, also where the plugin has no fill") {
  for (const bool native : {true, false}) {
    for (const bool fill : {true, false}) {
      Fixture fixture(with_graphs(native, fill));
      bsc_buffer* buffer = fixture.buffer(12);
      REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
      std::uint32_t pattern = 9;
      REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 12, &pattern, 4, nullptr, nullptr) == BSC_OK);
      std::uint32_t value = 4;
      REQUIRE(bsc_queue_upload(fixture.queue, buffer, 4, &value, 4, nullptr) == BSC_OK);
      pattern = value = 0;
      bsc_graph* graph = end(fixture);
      fixture.plugin.hold();
      REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
      bsc_graph_release(graph);  // while the replay is under way
      fixture.plugin.let_go();
      CHECK(fixture.read(buffer) == Values{9, 4, 9});
      bsc_buffer_release(buffer);
    }
  }
}

TEST_CASE("an updated launch uses the new arguments from the next replay on, those under way keep the old ones") {
  for (const bool native : {true, false}) {
    Fixture fixture(with_graphs(native));
    bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
    bsc_buffer* a = fixture.filled({10, 20});
    bsc_buffer* b = fixture.filled({30, 40});
    REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
    launch_add_one(fixture, kernel, a);
    bsc_graph* graph = end(fixture);
    REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
    fixture.plugin.hold();
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    const bsc_argument argument = buffer_argument(b, 4, 4);
    const bsc_launch_options one = work_items(1);
    REQUIRE(bsc_graph_update_launch(graph, 0, &one, 1, &argument, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    fixture.plugin.let_go();
    CHECK(fixture.read(a) == Values{11, 21});
    CHECK(fixture.read(b) == Values{30, 41});
    // To an empty launch and back: the number of commands changes.
    const bsc_launch_options none = work_items(0);
    REQUIRE(bsc_graph_update_launch(graph, 0, &none, 1, &argument, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    CHECK(fixture.read(b) == Values{30, 41});
    REQUIRE(bsc_graph_update_launch(graph, 0, &one, 1, &argument, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    CHECK(fixture.read(b) == Values{30, 42});
    bsc_graph_release(graph);
    bsc_kernel_release(kernel);
    bsc_buffer_release(a);
    bsc_buffer_release(b);
  }
}

TEST_CASE("a graph keeps buffers and kernels alive; all goes when the last replay has completed") {
  for (const bool native : {true, false}) {
    Fixture fixture(with_graphs(native));
    bsc_kernel* kernel = raw_kernel(fixture.device, "add_one");
    bsc_buffer* buffer = fixture.filled({1});
    REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
    launch_add_one(fixture, kernel, buffer);
    bsc_graph* graph = end(fixture);
    bsc_kernel_release(kernel);
    bsc_buffer_release(buffer);
    REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
    CHECK(fixture.plugin.live_modules == 1);
    fixture.plugin.hold();
    REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);
    bsc_graph_release(graph);
    CHECK(fixture.plugin.live_modules == 1);
    CHECK(fixture.plugin.live_graphs == (native ? 1 : 0));
    fixture.plugin.let_go();
    REQUIRE(bsc_queue_wait(fixture.queue, BSC_FOREVER, nullptr) == BSC_OK);
    CHECK(fixture.plugin.live_modules == 0);
    CHECK(fixture.plugin.live_graphs == 0);
    CHECK(fixture.plugin.live_memory == 1);  // the queue's staging memory
  }
}

TEST_CASE("waits, events, replays and copies between devices cannot be recorded") {
  Fixture fixture;
  Fixture other;
  bsc_event* event = nullptr;
  REQUIRE(bsc_queue_record(other.queue, &event, nullptr) == BSC_OK);
  bsc_buffer* here = fixture.buffer(8);
  bsc_buffer* there = other.buffer(8);
  REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
  CHECK(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_INVALID_STATE);
  CHECK(bsc_queue_wait_event(fixture.queue, event, nullptr) == BSC_UNSUPPORTED);
  CHECK(bsc_queue_record(fixture.queue, &event, nullptr) == BSC_UNSUPPORTED);
  CHECK(bsc_queue_copy(fixture.queue, here, 0, there, 0, 8, nullptr, nullptr) == BSC_UNSUPPORTED);
  bsc_graph* graph = end(fixture);
  CHECK(bsc_graph_node_count(graph) == 0);
  REQUIRE(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_OK);  // an empty graph completes
  REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
  CHECK(bsc_queue_replay(fixture.queue, graph, nullptr, nullptr) == BSC_UNSUPPORTED);
  bsc_graph* second = end(fixture);
  bsc_graph* none = nullptr;
  CHECK(bsc_queue_end_recording(fixture.queue, &none, nullptr) == BSC_INVALID_STATE);
  CHECK(bsc_queue_replay(other.queue, graph, nullptr, nullptr) == BSC_INVALID_ARGUMENT);
  bsc_graph_release(graph);
  bsc_graph_release(second);
  bsc_event_release(event);
  bsc_buffer_release(here);
  bsc_buffer_release(there);
}

TEST_CASE("updating a node that is no launch, or does not exist, says so") {
  Fixture fixture;
  bsc_buffer* buffer = fixture.buffer(8);
  REQUIRE(bsc_queue_begin_recording(fixture.queue, nullptr) == BSC_OK);
  REQUIRE(bsc_queue_fill(fixture.queue, buffer, 0, 8, "a", 1, nullptr, nullptr) == BSC_OK);
  bsc_graph* graph = end(fixture);
  ErrorHolder error;
  CHECK(bsc_graph_update_launch(graph, 0, nullptr, 0, nullptr, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("not a launch"));
  CHECK(bsc_graph_update_launch(graph, 1, nullptr, 0, nullptr, &error) == BSC_INVALID_ARGUMENT);
  CHECK(error.mentions("1 nodes"));
  bsc_graph_release(graph);
  bsc_buffer_release(buffer);
}
