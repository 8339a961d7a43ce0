// Each function of the driver fails in turn: the right call reports it, nothing is left behind, nothing hangs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>

#include "backends/common/gpu/vendor.hpp"
#include "tests/standin_gpu/fixture.hpp"

using namespace bascule::standin;
using namespace bascule::opencl::test;
using bascule::gpu::vendor;

namespace {

constexpr int kPlantedCode = 999;

// Functions whose failure is no failure of a call: what is released, hints, and what the backend can do without.
const std::set<std::string>& quiet() {
  static const std::set<std::string> members = {
      "context_release", "context_pop",   "memory_free",      "host_free",          "pool_destroy",
      "pool_free",       "stream_destroy", "event_destroy",   "module_unload",      "link_destroy",
      "graph_destroy",   "graph_executable_destroy",          "partition_destroy",  "device_uuid",
      "device_pci",      "pool_create",    "pool_set_attribute", "pool_trim",       "stream_priorities",
      "event_elapsed",   "function_parameter", "graph_update", "graph_update_by_node"};
  return members;
}

// Uses every part of the plugin once and goes on after failures; what the plugin gave is released.
class Scenario {
 public:
  explicit Scenario(const std::string& name) : name_(name) {}

  // On one device: the failure of one among several hides no other.
  void run(const Fresh& standin) {
    standin->devices.resize(1);
    OpenedStandin opened;
    note(opened.status, opened.error);
    if (opened.status != BSC_OK) return;
    opened_ = &opened;
    const auto& api = *opened.api;
    bsc_plugin_memory_state state = {};
    state.header = {sizeof state, BSC_STRUCT_MEMORY_STATE, nullptr};
    call([&](auto* error) { return api.device->memory_state(opened.device, &state, error); });
    const auto memory = allocate(4096, BSC_MEMORY_DEVICE);
    const auto pinned = allocate(4096, BSC_MEMORY_HOST);
    const auto plain = make_queue(0, 0);
    const auto limited = make_queue(2, 1);
    for (const auto queue : {plain, limited}) {
      if (queue == nullptr || memory == nullptr || pinned == nullptr) continue;
      work(queue, memory, pinned);
      graphs(queue, memory);
    }
    modules(plain, memory);
    for (const auto queue : {plain, limited}) {
      if (queue != nullptr) call([&](auto* error) { return api.queue->release(queue, error); });
    }
    for (const auto released : {memory, pinned}) {
      if (released != nullptr) call([&](auto* error) { return api.memory->release(released, error); });
    }
  }

  bool reported = false;  // the planted failure, with its call and code
  int failures = 0;

 private:
  void note(bsc_status status, const bsc_plugin_error& error) {
    if (status == BSC_OK) return;
    ++failures;
    CHECK_FALSE(std::string(error.message).empty());
    if (std::string(error.call) == name_ && error.vendor_code == kPlantedCode) reported = true;
  }

  template <class Call>
  bsc_status call(Call body) {
    bsc_plugin_error error = {};
    error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
    const bsc_status status = body(&error);
    note(status, error);
    return status;
  }

  bsc_plugin_memory allocate(std::uint64_t bytes, std::uint32_t type) {
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    description.bytes = bytes;
    description.type = type;
    bsc_plugin_memory memory = nullptr;
    call([&](auto* error) { return opened_->api->memory->allocate(opened_->device, &description, &memory, error); });
    return memory;
  }

  bsc_plugin_queue make_queue(std::uint64_t limit, std::int32_t priority) {
    bsc_plugin_queue_description description = {};
    description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
    description.compute_unit_limit = limit;
    description.priority = priority;
    bsc_plugin_queue queue = nullptr;
    call([&](auto* error) { return opened_->api->queue->create(opened_->device, &description, &queue, error); });
    return queue;
  }

  void submit(bsc_plugin_queue queue, const std::vector<bsc_plugin_command>& commands) {
    bsc_plugin_submission submission = {};
    submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
    submission.flags = BSC_SUBMIT_TIMES;
    submission.command_count = commands.size();
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.commands = commands.data();
    std::uint64_t value = 0;
    if (call([&](auto* error) { return opened_->api->queue->submit(queue, &submission, &value, error); }) != BSC_OK) return;
    wait(queue, value);
  }

  void wait(bsc_plugin_queue queue, std::uint64_t value) {
    call([&](auto* error) { return opened_->api->event->wait(queue, value, BSC_WAIT_FOREVER, error); });
    bsc_plugin_times times = {};
    times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
    bsc_plugin_error error = {};
    error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
    (void)opened_->api->profile->times(queue, value, &times, &error);
  }

  void work(bsc_plugin_queue queue, bsc_plugin_memory memory, bsc_plugin_memory pinned) {
    const std::uint8_t pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    submit(queue, {write_command(memory, host_, sizeof host_)});
    submit(queue, {copy_command(memory, 0, memory, 2048, 1024)});
    submit(queue, {copy_command(pinned, 0, memory, 0, 256), copy_command(memory, 0, pinned, 256, 256)});
    submit(queue, {fill_command(memory, 0, 64, pattern, 1)});
    submit(queue, {fill_command(memory, 0, 64, pattern, 2)});
    submit(queue, {fill_command(memory, 0, 64, pattern, 4)});
    submit(queue, {fill_command(memory, 0, 64, pattern, 16)});
    submit(queue, {read_command(memory, host_, sizeof host_)});
    const auto other = make_queue(0, 0);
    if (other == nullptr) return;
    submit(other, {});
    submit(queue, {wait_command(other, 1)});
    call([&](auto* error) { return opened_->api->queue->release(other, error); });
  }

  void graphs(bsc_plugin_queue queue, bsc_plugin_memory memory) {
    const auto& table = *opened_->api->graph;
    const std::uint8_t pattern[4] = {1, 2, 3, 4};
    const std::vector<bsc_plugin_command> commands = {fill_command(memory, 0, 64, pattern, 4), read_command(memory, host_, 64)};
    bsc_plugin_submission submission = {};
    submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
    submission.command_count = commands.size();
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.commands = commands.data();
    bsc_plugin_graph graph = nullptr;
    if (call([&](auto* error) { return table.create(opened_->device, &submission, &graph, error); }) != BSC_OK) return;
    const bsc_plugin_command changed = fill_command(memory, 64, 64, pattern, 4);
    call([&](auto* error) { return table.update(graph, 0, &changed, error); });
    std::uint64_t value = 0;
    if (call([&](auto* error) { return table.replay(graph, queue, 0, &value, error); }) == BSC_OK) wait(queue, value);
    call([&](auto* error) { return table.release(graph, error); });
  }

  void modules(bsc_plugin_queue queue, bsc_plugin_memory memory) {
    bsc_plugin_module module = nullptr;
    const bsc_status status = opened_->load_image(good_image(), module);
    note(status, opened_->error);
    if (status != BSC_OK) return;
    bsc_plugin_function function = nullptr;
    call([&](auto* failed) { return opened_->api->module->function(module, "work", &function, failed); });
    if (queue != nullptr && memory != nullptr && function != nullptr) {
      Launch plain(function, 4, 64);
      plain.buffer(memory, 256).value(std::uint32_t{7});
      plain.launch.shared_bytes = 60 * 1024;
      submit(queue, {plain.command()});
      plain.launch.flags = BSC_LAUNCH_COOPERATIVE;
      submit(queue, {plain.command()});
    }
    call([&](auto* failed) { return opened_->api->module->unload(module, failed); });
  }

  std::string name_;
  OpenedStandin* opened_ = nullptr;
  std::uint8_t host_[4096] = {};
};

}  // namespace

TEST_CASE("without a planted failure only launches are refused") {
  const Fresh standin;
  Scenario scenario("");
  scenario.run(standin);
  // Plain and cooperative, and a limited queue where the driver has none.
  CHECK(scenario.failures == 2 + (has("partition_create") || has("masked_stream") ? 0 : 1));
}

TEST_CASE("a failure of any function of the driver is reported by a call, with its name and code, and leaves nothing behind") {
  for (const Function& function : functions()) {
    int calls = 0;
    {
      const Fresh standin;
      Scenario scenario("");
      scenario.run(standin);
      calls = standin->calls[function.name];
    }
    for (const int after : {0, 1, calls - 1}) {
      if (after < 0 || after >= calls) continue;
      Fresh standin;
      standin.leaves_objects = quiet().contains(function.member);  // what is not released is left
      standin->failures[function.name] = {after, kPlantedCode, 1};
      Scenario scenario(function.name);
      CAPTURE(function.name);
      CAPTURE(after);
      scenario.run(standin);
      const bool must_report = !quiet().contains(function.member);
      const bool at_the_end = function.member == "stream_synchronize" || function.member == "context_push" ||
                              function.member == "current_device_set" || function.member == "current_device_get";
      if (must_report && !at_the_end) CHECK(scenario.reported);
      if (at_the_end) standin.leaves_objects = true;
    }
  }
}

TEST_CASE("every function of the driver that the plugin has is used by the tests above, or is known not to be") {
  const Fresh standin;
  Scenario scenario("");
  scenario.run(standin);
  const std::set<std::string> elsewhere = {"pool_trim",     "memory_allocate", "memory_free",   "launch_cooperative",
                                           "event_synchronize", "stream_wait_event", "device_properties_old", "function_parameter",
                                           "device_attribute", "current_device_set"};
  for (const Function& function : functions()) {
    CAPTURE(function.name);
    if (!elsewhere.contains(function.member)) CHECK(standin->calls[function.name] > 0);
  }
}

TEST_CASE("failures that are found while work is waited for are those of the work") {
  for (const char* member : {"event_synchronize", "event_query"}) {
    const Fresh standin;
    OpenedStandin opened;
    const auto queue = opened.queue();
    const auto memory = opened.memory(64);
    const std::uint8_t pattern = 1;
    standin->hold = true;
    std::uint64_t value = 0;
    REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &pattern, 1)}, &value) == BSC_OK);
    standin->failures[name_of(member)] = {0, kPlantedCode, 1};
    CHECK(opened.wait(queue, value) == BSC_LAUNCH_FAILED);
    CHECK(std::string(opened.error.call) == name_of(member));
    CHECK(opened.error.vendor_code == kPlantedCode);
    standin->release();
    CHECK(opened.submit(queue, {}) == BSC_LAUNCH_FAILED);
    CHECK(opened.finish(opened.queue()) == BSC_OK);  // the device is not lost
  }
}

TEST_CASE("a wait for another queue that the driver refuses leaves both queues as they were") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto other = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint8_t pattern = 1;
  standin->hold = true;
  std::uint64_t value = 0;
  REQUIRE(opened.submit(other, {fill_command(memory, 0, 64, &pattern, 1)}, &value) == BSC_OK);
  standin->failures[name_of("stream_wait_event")] = {0, kPlantedCode, 1};
  CHECK(opened.submit(queue, {wait_command(other, value)}) == BSC_INTERNAL);
  CHECK(std::string(opened.error.call) == name_of("stream_wait_event"));
  CHECK(opened.submit(queue, {wait_command(other, value)}) == BSC_OK);
  standin->release();
  CHECK(opened.finish(queue) == BSC_OK);
  CHECK(opened.finish(other) == BSC_OK);
}

TEST_CASE("a device without pools allocates plainly, and a failure there is reported") {
  Fresh standin;
  standin->failures[name_of("pool_create")] = {0, 801};
  {
    OpenedStandin opened;
    opened.memory(64);
    CHECK(standin->calls[name_of("memory_allocate")] == 1);
    standin->failures[name_of("memory_allocate")] = {0, kPlantedCode};
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    description.bytes = 64;
    bsc_plugin_memory memory = nullptr;
    CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_INTERNAL);
    CHECK(std::string(opened.error.call) == name_of("memory_allocate"));
  }
  CHECK(standin->calls[name_of("memory_free")] == 1);
}
