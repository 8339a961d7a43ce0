// Every OpenCL function failing at every call that a usual program makes, and failures that come later.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <thread>

#include "backends/opencl/opencl_api.hpp"
#include "tests/standin_opencl/standin_fixture.hpp"

using namespace bascule::standin;
using namespace bascule::opencl::test;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

#define RETURN_IF_FAILED(expression) \
  if (const bsc_status status_ = (expression); status_ != BSC_OK) return status_

// All that a program does with a device, until something fails.
bsc_status usual_program(Opened& opened) {
  const bsc_plugin_api& api = *opened.api;
  bsc_plugin_error* const error = &opened.error;
  bsc_plugin_queue queue = nullptr, second = nullptr;
  RETURN_IF_FAILED(api.queue->create(opened.devices[0], nullptr, &queue, error));
  RETURN_IF_FAILED(api.queue->create(opened.devices[1], nullptr, &second, error));
  bsc_plugin_memory memory[2] = {};
  for (std::uint32_t type = 0; type < 2; ++type) {
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    description.bytes = 4096;
    description.type = type;
    RETURN_IF_FAILED(api.memory->allocate(opened.devices[0], &description, &memory[type], error));
  }
  bsc_plugin_module module = nullptr;
  RETURN_IF_FAILED(opened.load(kSource, module));
  bsc_plugin_function function = nullptr;
  RETURN_IF_FAILED(api.module->function(module, "work", &function, error));

  std::uint64_t value = 0;
  const std::uint32_t pattern = 7;
  std::uint32_t result[4] = {};
  Launch launch(function, 2, 32);
  launch.buffer(memory[0], 512, 128).value(1.0f);
  RETURN_IF_FAILED(opened.submit(queue,
                                 {fill_command(memory[1], 0, 4096, &pattern, 4), copy_command(memory[1], 0, memory[0], 0, 4096),
                                  write_command(memory[0], &pattern, 4, 4), launch.command(),
                                  read_command(memory[0], result, sizeof result)},
                                 &value, BSC_SUBMIT_TIMES));
  RETURN_IF_FAILED(opened.wait(queue, value));
  if (result[0] != 7) return BSC_INTERNAL;
  RETURN_IF_FAILED(opened.submit(queue, {write_command(memory[1], &pattern, 4)}, &value));
  RETURN_IF_FAILED(opened.wait(queue, value));
  return opened.submit(second, {}, &value, BSC_SUBMIT_TIMES);
}

void finish_in_thread(const Fresh& standin, std::chrono::milliseconds after, std::thread& thread) {
  thread = std::thread([&standin, after] {
    std::this_thread::sleep_for(after);
    standin->release();
  });
}

}  // namespace

TEST_CASE("whichever function fails at whichever call, the status says so, the call is named and nothing is left behind") {
  std::vector<std::string> functions;
#define NAME(result, name, parameters) functions.emplace_back(#name);
  BSC_OPENCL_FUNCTIONS(NAME, NAME)
#undef NAME
  for (const char* way : {"shared", "staged"}) {
    int exercised = 0;
    for (const std::string& function : functions) {
      for (int after = 0;; ++after) {
        const Fresh standin;
        standin->failures[function] = {after, -6};
        bool failed = false;
        {
          OpenedStandin opened(option("host_memory", way));
          // One device lost at open leaves another; then the program has no second one to run on.
          const bool opened_both = opened.status == BSC_OK && opened.devices.size() == 2;
          const bsc_status status = opened.status != BSC_OK ? opened.status : opened_both ? usual_program(opened) : BSC_OK;
          CAPTURE(function);
          CAPTURE(after);
          CAPTURE(opened.message());
          failed = standin->calls[function] > after;  // the failing call was reached
          if (status != BSC_OK) {
            CHECK(failed);
            CHECK(std::string(opened.error.call) == function);
            CHECK(contains(opened.message(), "CL_OUT_OF_HOST_MEMORY") == (function != "clSVMAlloc"));
          }
          standin->failures.clear();
        }
        if (!failed) break;
        ++exercised;
      }
    }
    CHECK(exercised > 60);
  }
}

TEST_CASE("a command that fails while it runs is reported by wait, with the interval, and the queue takes no more") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  std::uint64_t good = 0, bad = 0;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &good) == BSC_OK);
  REQUIRE(opened.wait(queue, good) == BSC_OK);
  standin->execution_status = -5;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &bad) == BSC_OK);
  standin->execution_status = 0;
  CHECK(opened.wait(queue, bad) == BSC_LAUNCH_FAILED);
  CHECK(std::string(opened.error.vendor_name) == "CL_OUT_OF_RESOURCES");
  CHECK(opened.error.vendor_code == -5);
  CHECK(opened.error.last_completed == good);
  CHECK(opened.error.first_incomplete == bad);
  CHECK(opened.wait(queue, good) == BSC_OK);
  CHECK(opened.submit(queue, {}) == BSC_LAUNCH_FAILED);
  CHECK(contains(opened.message(), "release it"));
  CHECK(opened.submit(opened.queue(), {fill_command(memory, 0, 64, &one, 4)}) == BSC_OK);  // another queue goes on
}

TEST_CASE("a lost device stays lost") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  standin->failures["clCreateBuffer"] = {0, -2};
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = 64;
  bsc_plugin_memory memory = nullptr;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_DEVICE_LOST);
  standin->failures.clear();
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_DEVICE_LOST);
  CHECK(opened.submit(queue, {}) == BSC_DEVICE_LOST);
  CHECK(opened.api->memory->allocate(opened.devices[1], &description, &memory, &opened.error) == BSC_OK);  // the other lives
}

TEST_CASE("a submission that fails half-way makes the queue refuse later ones") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  std::uint32_t result = 0;
  standin->failures["clEnqueueReadBuffer"] = {0, -5};
  CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4), read_command(memory, &result, 4)}) == BSC_OUT_OF_MEMORY);
  standin->failures.clear();
  CHECK(opened.submit(queue, {}) == BSC_OUT_OF_MEMORY);
}

TEST_CASE("a submission whose first command fails leaves the queue as it was") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  standin->failures["clEnqueueFillBuffer"] = {0, -5};
  CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}) == BSC_OUT_OF_MEMORY);
  standin->failures.clear();
  std::uint64_t value = 0;
  CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &value) == BSC_OK);
  CHECK(value == 1);
}

TEST_CASE("a build failure carries the driver's log") {
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load("#error no", module) == BSC_BUILD_FAILED);
  CHECK(contains(opened.message(), "line 1: the stand-in's log"));
}

TEST_CASE("a timed wait sleeps until the driver calls back, and registers one callback however often it is repeated") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  std::uint64_t value = 0;
  standin->hold = true;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &value) == BSC_OK);
  for (int i = 0; i < 20; ++i) CHECK(opened.wait(queue, value, 100'000) == BSC_TIMED_OUT);
  CHECK(standin->calls["clSetEventCallback"] == 1);
  std::uint64_t completed = 9;
  CHECK(opened.api->event->completed(queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == 0);
  std::thread thread;
  finish_in_thread(standin, std::chrono::milliseconds(20), thread);
  CHECK(opened.wait(queue, value, std::uint64_t{60} * 1'000'000'000) == BSC_OK);
  thread.join();
}

TEST_CASE("a timed wait that the driver gives no callback for fails with the driver's code; the work goes on") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  std::uint64_t value = 0;
  standin->hold = true;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &value) == BSC_OK);
  standin->failures["clSetEventCallback"] = {0, -6};
  CHECK(opened.wait(queue, value, 1'000'000) == BSC_OUT_OF_MEMORY);
  CHECK(std::string(opened.error.call) == "clSetEventCallback");
  standin->failures.clear();
  standin->release();
  CHECK(opened.wait(queue, value, 1'000'000'000) == BSC_OK);
}

TEST_CASE("an unlimited wait ends when the work ends") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::uint32_t one = 1;
  std::uint64_t value = 0;
  standin->hold = true;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}, &value) == BSC_OK);
  CHECK(opened.wait(queue, value, 0) == BSC_TIMED_OUT);
  std::thread thread;
  finish_in_thread(standin, std::chrono::milliseconds(20), thread);
  CHECK(opened.wait(queue, value) == BSC_OK);
  thread.join();
}

TEST_CASE("a queue of one device waits for a queue of another, and shares its failure") {
  const Fresh standin;
  OpenedStandin opened;
  const std::uint32_t one = 1;
  for (const int outcome : {0, -5}) {
    const auto first = opened.queue(opened.devices[0]), second = opened.queue(opened.devices[1]);
    const auto memory = opened.memory(64, BSC_MEMORY_DEVICE, opened.devices[0]);
    std::uint64_t value = 0, waiting = 0;
    standin->hold = true;
    standin->execution_status = outcome;
    REQUIRE(opened.submit(first, {fill_command(memory, 0, 64, &one, 4)}, &value) == BSC_OK);
    standin->hold = false;
    standin->execution_status = 0;
    REQUIRE(opened.submit(second, {wait_command(first, value)}, &waiting) == BSC_OK);
    CHECK(opened.wait(second, waiting, 0) == BSC_TIMED_OUT);
    standin->release();
    CHECK(opened.wait(second, waiting) == (outcome == 0 ? BSC_OK : BSC_LAUNCH_FAILED));
  }
}

TEST_CASE("memory and functions of another device are refused with both names") {
  const Fresh standin;
  standin->devices[1].name = "Second";
  OpenedStandin opened;
  const auto queue = opened.queue(opened.devices[0]);
  const auto memory = opened.memory(64, BSC_MEMORY_DEVICE, opened.devices[1]);
  const std::uint32_t one = 1;
  CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}) == BSC_INVALID_ARGUMENT);
  CHECK(contains(opened.message(), "Second"));
  const auto function = opened.function(opened.module(kSource, opened.devices[1]), "other");
  CHECK(opened.submit(queue, {Launch(function, 1, 1).command()}) == BSC_INVALID_ARGUMENT);
  CHECK(contains(opened.message(), "other was loaded on Second"));
}

TEST_CASE("a block beyond the kernel's own limit is refused with that limit") {
  const Fresh standin;
  OpenedStandin opened;
  const auto function = opened.function(opened.module(kSource), "other");
  CHECK(opened.submit(opened.queue(), {Launch(function, 1, 65).command()}) == BSC_LIMIT_EXCEEDED);
  CHECK(contains(opened.message(), "at most 64"));
}

TEST_CASE("closing waits for work and frees what the host left behind") {
  const Fresh standin;
  std::thread thread;
  {
    OpenedStandin opened;
    const auto queue = opened.queue();
    opened.module(kSource);
    const auto memory = opened.memory(64, BSC_MEMORY_HOST);
    const std::uint32_t one = 1;
    standin->hold = true;
    REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &one, 4)}) == BSC_OK);
    finish_in_thread(standin, std::chrono::milliseconds(20), thread);
  }
  thread.join();
}
