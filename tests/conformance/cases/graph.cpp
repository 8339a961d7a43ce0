// The graph table, where a plugin has one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>
#include <vector>

#include "tests/conformance/handles.hpp"
#include "tests/conformance/kernels.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

constexpr std::uint64_t kLength = 1000;

// A graph of two commands: fill a memory, add one to each element.
class Scene {
 public:
  explicit Scene(Context& context)
      : session(context), memory(session, kLength * 4), table(session.api.graph), module(needs_graphs()), queue(session) {
    commands.fill(memory, 0, kLength * 4, &start, 4)
        .launch(module.function("add_one"), module.items(kLength), module.arguments().buffer(memory, 0, kLength, 4));
    const bsc_plugin_submission submission = commands.submission();
    Error error;
    expect_ok(table->create(session.device, &submission, &graph, error.get()), error, "graph.create");
  }
  ~Scene() {
    if (graph != nullptr) table->release(graph, nullptr);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::uint64_t replay(std::uint64_t flags = 0) {
    Error error;
    std::uint64_t value = 0;
    expect_ok(table->replay(graph, queue, flags, &value, error.get()), error, "graph.replay");
    return value;
  }

 private:
  Session& needs_graphs() {
    if (table == nullptr) skip("the plugin has no graphs; the host replays the commands");
    return session;
  }

 public:
  const std::uint32_t start = 10;
  Session session;
  Memory memory;
  const bsc_plugin_graph_table* table;
  Module module;
  Queue queue;
  Commands commands;
  bsc_plugin_graph graph = nullptr;
};

}  // namespace

CONFORMANCE_CASE(graph, graph_replay, takes_its_place_in_the_queue) {
  Scene s(context);
  expect(s.graph->magic == BSC_OBJECT_MAGIC && s.graph->kind == BSC_OBJECT_GRAPH, "magic or kind");
  expect(s.queue.submit(Commands()) == 1 && s.replay() == 2 && s.replay() == 3 && s.queue.submit(Commands()) == 4,
         "a replay has no value of the queue's timeline");
  s.queue.wait(4);
}

CONFORMANCE_CASE(graph, graph_replay, computes_what_was_recorded) {
  Scene s(context);
  s.session.needs_results();
  std::vector<std::uint32_t> back(kLength);
  for (int i = 0; i < 3; ++i) {
    s.replay();
    s.queue.run(Commands().read(s.memory, 0, back.data(), kLength * 4));
    for (const std::uint32_t element : back) expect(element == 11, "a replay computed something else");
  }
}

CONFORMANCE_CASE(graph, graph_create, refuses_what_submit_refuses) {
  Scene s(context);
  Error error;
  bsc_plugin_graph graph = nullptr;
  const auto refused = [&](const Commands& commands, bsc_status status, std::string_view what) {
    const bsc_plugin_submission submission = commands.submission();
    error.reset();
    expect_refused(s.table->create(s.session.device, &submission, &graph, error.get()), error, {status}, what);
  };
  refused(Commands().copy(s.memory, 0, s.memory, 4, kLength * 4), BSC_INVALID_ARGUMENT, "a copy beyond the memory");
  refused(Commands().add(make_command(77)), BSC_UNSUPPORTED, "an unknown command");
}

CONFORMANCE_CASE(graph, graph_update, changes_one_command) {
  Scene s(context);
  const std::uint32_t other = 20;
  const Commands changed = Commands().fill(s.memory, 0, kLength * 4, &other, 4);
  Error error;
  s.replay();
  expect_ok(s.table->update(s.graph, 0, &changed.list()[0], error.get()), error, "graph.update");
  s.queue.wait(s.replay());
  if (!s.session.computes()) return;
  std::uint32_t back = 0;
  s.queue.run(Commands().read(s.memory, 0, &back, 4));
  expect(back == 21, "the update had no effect");
}

CONFORMANCE_CASE(graph, graph_update, refuses_another_kind) {
  Scene s(context);
  unsigned char host = 0;
  const Commands other = Commands().read(s.memory, 0, &host, 1);
  Error error;
  expect_refused(s.table->update(s.graph, 0, &other.list()[0], error.get()), error, {BSC_INVALID_ARGUMENT},
                 "a read in place of a fill");
  const Commands another = Commands().launch(s.module.function("fill_index_4"), s.module.items(kLength),
                                             s.module.fill_index<std::uint32_t>(s.memory, 0, kLength, 1));
  error.reset();
  expect_refused(s.table->update(s.graph, 1, &another.list()[0], error.get()), error, {BSC_INVALID_ARGUMENT},
                 "another function");
}

CONFORMANCE_CASE(graph, graph_update, refuses_an_index_beyond_the_graph) {
  Scene s(context);
  const std::uint32_t other = 20;
  const Commands changed = Commands().fill(s.memory, 0, kLength * 4, &other, 4);
  for (const std::uint64_t index : {std::uint64_t{2}, UINT64_MAX}) {
    Error error;
    expect_refused(s.table->update(s.graph, index, &changed.list()[0], error.get()), error,
                   {BSC_INVALID_ARGUMENT, BSC_NOT_FOUND}, "an index beyond the graph");
  }
}

CONFORMANCE_CASE(graph, graph_release, refuses_a_released_graph) {
  Scene s(context);
  s.queue.wait(s.replay());
  Error error;
  const bsc_plugin_graph stale = std::exchange(s.graph, nullptr);
  expect_ok(s.table->release(stale, error.get()), error, "graph.release");
  expect_refused(s.table->release(stale, error.get()), error, {BSC_INVALID_HANDLE}, "a second release");
  for (const BadHandle& bad : bad_handles(s.session, BSC_OBJECT_GRAPH)) {
    error.reset();
    expect_refused(s.table->release(bad.handle, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

}  // namespace bascule::conformance
