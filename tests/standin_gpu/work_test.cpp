// Memory, queues, faults, images and contexts over a driver that can be held, faulted and asked what it was told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <thread>

#include "backends/common/gpu/driver.hpp"
#include "tests/standin_gpu/fixture.hpp"

using namespace bascule::standin;
using namespace bascule::opencl::test;
using bascule::gpu::vendor;

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bsc_status allocate(OpenedStandin& opened, std::uint64_t bytes, bsc_plugin_memory& memory) {
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  return opened.api->memory->allocate(opened.device, &description, &memory, &opened.error);
}

int all_calls(const Standin& standin) {
  int sum = 0;
  for (const auto& [name, count] : standin.calls) sum += count;
  return sum;
}

}  // namespace

TEST_CASE("out of memory: the pool is trimmed and the allocation tried once more") {
  const Fresh standin;
  OpenedStandin opened;
  opened.memory(64);
  standin->failures[name_of("pool_allocate")] = {0, 2, 1};
  bsc_plugin_memory memory = nullptr;
  CHECK(allocate(opened, 4096, memory) == BSC_OK);
  CHECK(standin->calls[name_of("pool_trim")] == 1);
  CHECK(standin->calls[name_of("pool_allocate")] == 3);
}

TEST_CASE("out of memory after that says what was asked, what is free and what there is, and can be tried again") {
  const Fresh standin;
  standin->devices[0].memory_bytes = 1 << 20;
  OpenedStandin opened;
  opened.memory(600'000);
  bsc_plugin_memory memory = nullptr;
  CHECK(allocate(opened, 700'000, memory) == BSC_OUT_OF_MEMORY);
  CHECK(opened.error.retryable == 1);
  CHECK(opened.error.vendor_code == 2);
  CHECK(contains(opened.message(), "700000"));
  CHECK(contains(opened.message(), std::to_string((1 << 20) - 600'000)));
  CHECK(contains(opened.message(), std::to_string(1 << 20)));
  CHECK(allocate(opened, 100'000, memory) == BSC_OK);
}

TEST_CASE("a kernel's fault is the failure of the work, and from then on the driver is left alone") {
  Fresh standin;
  standin.leaves_objects = true;  // the context is gone with all that is in it
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto other = opened.queue();
  const auto memory = opened.memory(64);
  standin->hold = true;
  const std::uint8_t pattern = 1;
  std::uint64_t value = 0;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &pattern, 1)}, &value) == BSC_OK);
  standin->release();
  standin->fault = 700;
  CHECK(opened.wait(queue, value) == BSC_LAUNCH_FAILED);
  CHECK(opened.error.vendor_code == 700);
  CHECK(opened.error.first_incomplete == value);
  CHECK(opened.error.last_completed == value - 1);

  const int calls = all_calls(*standin.state);
  CHECK(opened.submit(queue, {}) == BSC_LAUNCH_FAILED);
  CHECK(opened.submit(other, {}) == BSC_DEVICE_LOST);
  bsc_plugin_memory another = nullptr;
  CHECK(allocate(opened, 64, another) == BSC_DEVICE_LOST);
  CHECK(contains(opened.message(), "was lost"));
  CHECK(contains(opened.message(), bascule::gpu::result_name(700)));
  CHECK(opened.api->memory->release(memory, nullptr) == BSC_OK);
  CHECK(opened.api->queue->release(queue, nullptr) == BSC_OK);
  CHECK(opened.api->queue->release(other, nullptr) == BSC_OK);
  CHECK(all_calls(*standin.state) == calls);
}

TEST_CASE("a wait with a limit ends with TIMED_OUT while work is held, and with OK afterwards") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  standin->hold = true;
  const std::uint8_t pattern = 1;
  std::uint64_t value = 0;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 64, &pattern, 1)}, &value) == BSC_OK);
  CHECK(opened.wait(queue, value, 0) == BSC_TIMED_OUT);
  CHECK(opened.wait(queue, value, 3'000'000) == BSC_TIMED_OUT);
  std::thread releaser([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    standin->release();
  });
  CHECK(opened.wait(queue, value) == BSC_OK);
  releaser.join();
}

TEST_CASE("submitting a copy of pageable memory waits for no work") {
  const Fresh standin;
  if (!has("host_function")) return;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(1 << 16);
  std::vector<std::uint32_t> written(1 << 14);
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<std::uint32_t> read(1 << 14);
  standin->hold = true;
  std::uint64_t value = 0;
  REQUIRE(opened.submit(queue, {write_command(memory, written.data(), 1 << 16), read_command(memory, read.data(), 1 << 16)},
                        &value) == BSC_OK);
  CHECK(opened.wait(queue, value, 0) == BSC_TIMED_OUT);
  CHECK(read != written);
  standin->release();
  CHECK(opened.wait(queue, value) == BSC_OK);
  CHECK(read == written);
}

TEST_CASE("copies larger than the staging buffer arrive whole") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const std::size_t count = (std::size_t{9} << 20) / 4 + 3;
  const auto memory = opened.memory(count * 4);
  std::vector<std::uint32_t> written(count);
  for (std::size_t i = 0; i < count; ++i) written[i] = static_cast<std::uint32_t>(i * 40503u + 1);
  opened.write(queue, memory, written);
  CHECK(opened.read<std::uint32_t>(queue, memory, count) == written);
}

TEST_CASE("patterns of each size fill every byte of an odd number of them") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4096);
  const std::uint8_t pattern[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 11, 12, 13, 14, 15, 16, 17};
  for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    CAPTURE(bytes);
    opened.write(queue, memory, std::vector<std::uint8_t>(4096, 0xEE));
    REQUIRE(opened.submit(queue, {fill_command(memory, bytes, std::uint64_t{bytes} * 37, pattern, bytes)}) == BSC_OK);
    const auto read = opened.read<std::uint8_t>(queue, memory, 4096);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < read.size(); ++i) {
      const bool inside = i >= bytes && i < bytes * 38u;
      wrong += read[i] != (inside ? pattern[i % bytes] : 0xEE);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a graph replays what was recorded, also after a change that the driver cannot make in place") {
  for (const bool refuse : {false, true}) {
    const Fresh standin;
    standin->refuse_graph_updates = refuse;
    OpenedStandin opened;
    const auto queue = opened.queue();
    const auto memory = opened.memory(64);
    std::uint8_t host[64] = {};
    const std::uint8_t first = 3;
    const std::uint8_t second = 4;
    const std::vector<bsc_plugin_command> commands = {fill_command(memory, 0, 64, &first, 1), read_command(memory, host, 64)};
    bsc_plugin_submission submission = {};
    submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
    submission.command_count = 2;
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.commands = commands.data();
    bsc_plugin_graph graph = nullptr;
    std::uint64_t value = 0;
    REQUIRE(opened.api->graph->create(opened.device, &submission, &graph, nullptr) == BSC_OK);
    REQUIRE(opened.api->graph->replay(graph, queue, 0, &value, nullptr) == BSC_OK);
    CHECK(opened.wait(queue, value) == BSC_OK);
    CHECK(host[63] == 3);
    const bsc_plugin_command changed = fill_command(memory, 0, 64, &second, 1);
    REQUIRE(opened.api->graph->update(graph, 0, &changed, nullptr) == BSC_OK);
    REQUIRE(opened.api->graph->replay(graph, queue, 0, &value, nullptr) == BSC_OK);
    CHECK(opened.wait(queue, value) == BSC_OK);
    CHECK(host[63] == 4);
    CHECK(opened.api->graph->release(graph, nullptr) == BSC_OK);
  }
}

TEST_CASE("launches are refused by a driver that computes nothing, which its device's name says, and the queue goes on") {
  const Fresh standin;
  OpenedStandin opened;
  CHECK(contains(opened.info().name, "computes nothing"));
  const auto queue = opened.queue();
  const auto memory = opened.memory(256);
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load_image(good_image(), module) == BSC_OK);
  const auto function = opened.function(module, "work");
  Launch launch(function, 4, 64);
  launch.buffer(memory, 256).value(std::uint32_t{7});
  CHECK(opened.submit(queue, {launch.command()}) == BSC_UNSUPPORTED);
  CHECK(contains(opened.message(), "computes nothing"));
  CHECK(opened.finish(queue) == BSC_OK);
}

TEST_CASE("launches beyond a limit are refused with the limit, before the driver sees them") {
  const Fresh standin;
  OpenedStandin opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(256);
  bsc_plugin_module module = nullptr;
  REQUIRE(opened.load_image(good_image(), module) == BSC_OK);
  const auto function = opened.function(module, "work");
  const auto refused = [&](auto change) {
    Launch launch(function, 4, 64);
    launch.buffer(memory, 256).value(std::uint32_t{7});
    change(launch.launch);
    return opened.submit(queue, {launch.command()});
  };
  CHECK(refused([](auto& launch) { launch.block[0] = 1025; }) == BSC_LIMIT_EXCEEDED);
  CHECK(contains(opened.message(), "1024"));
  CHECK(refused([](auto& launch) { launch.block[0] = 1024; }) == BSC_LIMIT_EXCEEDED);  // the function's own
  CHECK(contains(opened.message(), "512"));
  CHECK(refused([](auto& launch) { launch.grid[1] = 65536; }) == BSC_LIMIT_EXCEEDED);
  CHECK(contains(opened.message(), "65535"));
  CHECK(refused([](auto& launch) { launch.shared_bytes = 1 << 20; }) == BSC_LIMIT_EXCEEDED);
  CHECK(refused([](auto& launch) { launch.cluster[0] = 2; }) == BSC_UNSUPPORTED);
  CHECK(refused([](auto& launch) {
          launch.flags = BSC_LAUNCH_COOPERATIVE;
          launch.grid[0] = 100'000;
        }) == BSC_LIMIT_EXCEEDED);
  if (std::string_view(vendor().backend) != "musa") {  // whose images do not say what their kernels take
    Launch few(function, 4, 64);
    few.buffer(memory, 256);
    CHECK(opened.submit(queue, {few.command()}) == BSC_INVALID_ARGUMENT);
    CHECK(contains(opened.message(), "2 parameters"));
  }
  CHECK(standin->calls[name_of("launch")] == 0);
}

TEST_CASE("images of a format, or without the kernel that is asked for, are refused with what there is") {
  const Fresh standin;
  OpenedStandin opened;
  bsc_plugin_module module = nullptr;
  CHECK(opened.load_image({"opencl-c", "x"}, module) == BSC_UNSUPPORTED);
  CHECK(contains(opened.message(), good_image().format));
  CHECK(opened.load_image({good_image().format, ""}, module) == BSC_INVALID_IMAGE);
  CHECK(opened.load_image({good_image().format, "garbage"}, module) != BSC_OK);
  REQUIRE(opened.load_image(good_image(), module) == BSC_OK);
  bsc_plugin_function function = nullptr;
  CHECK(opened.api->module->function(module, "play", &function, &opened.error) == BSC_NOT_FOUND);
  CHECK(contains(opened.message(), "work"));
}

TEST_CASE("an image that ends early is refused wherever it was cut") {
  const Fresh standin;
  OpenedStandin opened;
  if (good_image().format == "ptx") return;  // text: the compiler's business
  const TestImage whole = good_image();
  for (std::size_t bytes = 1; bytes + 8 < whole.bytes.size(); ++bytes) {
    bsc_plugin_module module = nullptr;
    CAPTURE(bytes);
    CHECK(opened.load_image({whole.format, whole.bytes.substr(0, bytes)}, module) == BSC_INVALID_IMAGE);
  }
}

TEST_CASE("each call leaves the calling thread's context as it was, also when it fails") {
  const Fresh standin;
  int users_own = 0;
  standin->set_context(&users_own);
  {
    OpenedStandin opened;
    const auto queue = opened.queue();
    CHECK(standin->context_now() == &users_own);
    const auto memory = opened.memory(64);
    opened.write(queue, memory, std::vector<std::uint8_t>(64, 1));
    CHECK(standin->context_now() == &users_own);
    standin->failures[name_of("fill_8")] = {0, 1};
    const std::uint8_t pattern = 1;
    CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &pattern, 1)}) == BSC_INVALID_ARGUMENT);
    CHECK(standin->context_now() == &users_own);
  }
  CHECK(standin->context_now() == &users_own);
  standin->set_context(nullptr);
}

TEST_CASE("work on a second device leaves the thread's current device as it was; a device that cannot be made current says so") {
  const Fresh standin;
  OpenedStandin opened;
  const auto memory = opened.memory(64, BSC_MEMORY_DEVICE, opened.devices[1]);
  const auto queue = opened.queue(opened.devices[1]);
  opened.write(queue, memory, std::vector<std::uint8_t>(64, 7));
  CHECK(opened.read<std::uint8_t>(queue, memory, 64) == std::vector<std::uint8_t>(64, 7));
  CHECK(opened.submit(opened.queue(), {read_command(memory, nullptr, 0)}) == BSC_INVALID_ARGUMENT);  // another device's
  const std::string name = name_of(has("current_device_set") ? "current_device_set" : "context_push");
  standin->failures[name] = {0, 999, 1};
  CHECK(opened.submit(queue, {}) == BSC_INTERNAL);
  CHECK(std::string(opened.error.call) == name);
  CHECK(opened.submit(queue, {}) == BSC_OK);
}

TEST_CASE("releases at the end of a program, when the driver is shutting down, are silent") {
  Fresh standin;
  standin.leaves_objects = true;
  OpenedStandin opened;
  opened.queue();
  opened.memory(64);
  opened.host.log.clear();
  for (const Function& function : functions()) standin->failures[function.name] = {0, vendor().code_shutting_down};
}
