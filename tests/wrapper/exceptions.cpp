// The C++ wrapper under C++17 with exceptions, on the cpu backend.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include "tests/wrapper/program.hpp"

namespace {

using namespace wrapper_test;

template <class Call>
bsc_status failure_of(Call call) {
  try {
    call();
  } catch (const bascule::Error& error) {
    EXPECT(std::string(error.what()).find(bsc_status_name(error.status())) == 0);
    EXPECT(*error.message() != 0);
    return error.status();
  }
  return BSC_OK;
}

void a_program_computes(const bascule::Runtime& runtime) {
  auto device = runtime.device();
  EXPECT(device.id() == "cpu:0");
  auto queue = device.create_queue();
  auto kernel = device.load_module(table()).kernel("scale");
  std::vector<float> values(1000, 1.5f), result(1000);
  auto y = device.upload(queue, values);
  queue.launch(kernel, bascule::work_items(y.size()), 2.f, y);
  queue.read(y, result).wait();
  for (const float value : result) EXPECT(value == 3.f);

  auto middle = y.slice(100, 50).slice(10, 20);  // elements 110 to 129
  EXPECT(middle.offset_bytes() == 440 && middle.size() == 20);
  queue.launch(kernel, bascule::work_items(middle.size()), 10.f, middle);
  queue.read(y, result).wait();
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT(result[i] == (i >= 110 && i < 130 ? 30.f : 3.f));

  queue.fill(y, 7.f);
  auto pooled = queue.allocate<float>(1000);
  queue.copy(y, pooled);
  auto event = queue.read(pooled, result);
  EXPECT(event.wait_for(std::chrono::seconds(100)));
  EXPECT(event.done());
  for (const float value : result) EXPECT(value == 7.f);
}

void graphs_replay(const bascule::Runtime& runtime) {
  auto device = runtime.device();
  auto queue = device.create_queue();
  auto kernel = device.load_module(table()).kernel("scale");
  std::vector<float> values(4, 1.f);
  auto y = device.upload(queue, values);
  queue.begin_recording();
  queue.launch(kernel, bascule::work_items(4), 2.f, y);
  auto graph = queue.end_recording();
  queue.replay(graph);
  graph.update_launch(0, bascule::work_items(2), 5.f, y);
  queue.replay(graph);
  queue.read(y, values).wait();
  EXPECT((values == std::vector<float>{10, 10, 2, 2}));
}

void failures_throw(const bascule::Runtime& runtime) {
  auto device = runtime.device();
  auto queue = device.create_queue();
  EXPECT(failure_of([&] { (void)runtime.device("cpu:99"); }) == BSC_NOT_FOUND);
  EXPECT(failure_of([&] { (void)device.kernel("imaginary"); }) == BSC_NOT_FOUND);
  EXPECT(failure_of([&] { (void)device.allocate<double>(UINT64_MAX / 4); }) == BSC_LIMIT_EXCEEDED);
  auto buffer = device.allocate<float>(4);
  EXPECT(failure_of([&] { (void)buffer.slice(3, 2); }) == BSC_INVALID_ARGUMENT);
  std::vector<float> five(5);
  EXPECT(failure_of([&] { queue.read(buffer, five); }) == BSC_INVALID_ARGUMENT);
  EXPECT(failure_of([&] { queue.launch(bascule::Kernel(), bascule::work_items(1)); }) == BSC_INVALID_ARGUMENT);
  bascule::Options wrong = options();
  wrong.settings = {{"bakends", "cpu"}};
  EXPECT(failure_of([&] { (void)bascule::Runtime::open(wrong); }) == BSC_INVALID_CONFIG);
}

void objects_are_references() {
  bascule::Buffer<float> survivor;
  bascule::Event event;
  EXPECT(event.done());
  event.wait();
  {
    auto runtime = bascule::Runtime::open(options());
    EXPECT(runtime.selection().find("cpu:0") == 0);
    auto queue = runtime.device().create_queue();
    survivor = runtime.device().allocate<float>(8);
    auto copy = queue;
    auto moved = std::move(queue);
    moved.fill(survivor, 1.f);
    event = copy.record();
  }
  event.wait();  // the runtime is alive as long as what was made from it
  EXPECT(survivor.size() == 8);
  EXPECT(bsc_buffer_size(survivor.get()) == 32);
}

void what_was_configured_can_be_asked(const bascule::Runtime& runtime) {
  bool found = false;
  for (const auto& value : runtime.config()) found = found || (value.key == "backends" && value.origin == "setting");
  EXPECT(found);
  EXPECT(!runtime.backends().empty());
  EXPECT(runtime.backends().front().name == "cpu");
  EXPECT(runtime.backends().front().selected);
  EXPECT(bascule::query("cache", options()).find("directory") != std::string::npos);
}

}  // namespace

int main() try {
  const auto runtime = bascule::Runtime::open(options());
  a_program_computes(runtime);
  graphs_replay(runtime);
  failures_throw(runtime);
  objects_are_references();
  what_was_configured_can_be_asked(runtime);
  return 0;
} catch (const bascule::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
