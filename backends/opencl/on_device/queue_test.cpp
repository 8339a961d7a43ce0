// Submissions, waits, transfers and times on a real OpenCL implementation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <numeric>
#include <thread>

#include "backends/opencl/on_device/fixture.hpp"

using namespace bascule::opencl::test;

namespace {

constexpr const char* kSpin = R"(
__kernel void spin(__global uint* out, uint turns) {
  uint x = 1;
  for (uint i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u + (x >> 7);
  out[0] = x;
})";

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

// Work that takes a while: tens of milliseconds, whatever the device.
bsc_plugin_command slow_launch(Launch& launch, bsc_plugin_memory memory) {
  return launch.buffer(memory, 4).value(std::uint32_t{20'000'000}).command();
}

}  // namespace

TEST_CASE("values count submissions from 1, empty ones too") {
  Opened opened;
  const auto queue = opened.queue();
  std::uint64_t value = 0;
  std::uint64_t completed = 99;
  CHECK(opened.api->event->completed(queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == 0);
  for (std::uint64_t expected = 1; expected <= 3; ++expected) {
    REQUIRE(opened.submit(queue, {}, &value) == BSC_OK);
    CHECK(value == expected);
  }
  CHECK(opened.wait(queue, 3) == BSC_OK);
  CHECK(opened.wait(queue, 0, 0) == BSC_OK);
  CHECK(opened.wait(queue, 4) == BSC_INVALID_ARGUMENT);
  CHECK(opened.api->event->completed(queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == 3);
}

TEST_CASE("an empty submission completes after the work before it") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4);
  const auto module = opened.module(kSpin);
  Launch launch(opened.function(module, "spin"), 1, 1);
  std::uint64_t slow = 0;
  std::uint64_t empty = 0;
  REQUIRE(opened.submit(queue, {slow_launch(launch, memory)}, &slow) == BSC_OK);
  REQUIRE(opened.submit(queue, {}, &empty) == BSC_OK);
  CHECK(opened.wait(queue, empty) == BSC_OK);
  std::uint64_t completed = 0;
  CHECK(opened.api->event->completed(queue, &completed, nullptr) == BSC_OK);
  CHECK(completed == empty);
}

TEST_CASE("a wait with a time limit comes back before the work ends, and again when it has ended") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4);
  const auto module = opened.module(kSpin);
  Launch launch(opened.function(module, "spin"), 1, 1);
  const auto command = slow_launch(launch, memory);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) REQUIRE(opened.submit(queue, {command}, &value) == BSC_OK);
  CHECK(opened.wait(queue, value, 0) == BSC_TIMED_OUT);
  CHECK(opened.wait(queue, value, 1'000'000) == BSC_TIMED_OUT);
  CHECK(opened.error.retryable == 1);
  CHECK(opened.wait(queue, value, std::uint64_t{600} * 1'000'000'000) == BSC_OK);
}

TEST_CASE("write, copy and read move the right bytes at any offset") {
  Opened opened;
  const auto queue = opened.queue();
  const auto from = opened.memory(4096);
  const auto to = opened.memory(4096);
  const auto values = counting(100);
  for (std::uint64_t offset = 0; offset < 16; ++offset) {
    std::vector<std::uint32_t> result(100);
    const std::uint8_t zero = 0;
    std::uint64_t value = 0;
    REQUIRE(opened.submit(queue,
                          {write_command(from, values.data(), 400, offset), fill_command(to, 0, 4096, &zero, 1),
                           copy_command(from, offset, to, 3 * offset + 1, 400), read_command(to, result.data(), 400, 3 * offset + 1)},
                          &value) == BSC_OK);
    REQUIRE(opened.wait(queue, value) == BSC_OK);
    CHECK(result == values);
  }
}

TEST_CASE("a copy within one memory is refused where the ranges overlap, and works where they touch") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(256);
  opened.write(queue, memory, counting(64));
  CHECK(opened.submit(queue, {copy_command(memory, 0, memory, 127, 128)}) == BSC_INVALID_ARGUMENT);
  CHECK(opened.message().find("overlap") != std::string::npos);
  CHECK(opened.submit(queue, {copy_command(memory, 0, memory, 128, 128)}) == BSC_OK);
  const auto result = opened.read<std::uint32_t>(queue, memory, 64);
  CHECK(result[32] == 100);
  CHECK(result[63] == 131);
}

TEST_CASE("fills of every pattern size stay inside their range") {
  Opened opened;
  const auto queue = opened.queue();
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    const auto memory = opened.memory(1024, type);
    std::array<std::uint8_t, 16> pattern;
    std::iota(pattern.begin(), pattern.end(), std::uint8_t{1});
    for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
      const std::uint8_t background = 0xEE;
      REQUIRE(opened.submit(queue, {fill_command(memory, 0, 1024, &background, 1),
                                    fill_command(memory, 3 * size, 17 * size, pattern.data(), size)}) == BSC_OK);
      const auto result = opened.read<std::uint8_t>(queue, memory, 1024);
      for (std::size_t i = 0; i < result.size(); ++i) {
        const bool inside = i >= 3 * size && i < 20 * size;
        REQUIRE(result[i] == (inside ? pattern[i % size] : background));
      }
    }
    CHECK(opened.submit(queue, {fill_command(memory, 2, 8, pattern.data(), 4)}) == BSC_INVALID_ARGUMENT);
    CHECK(opened.submit(queue, {fill_command(memory, 0, 6, pattern.data(), 4)}) == BSC_INVALID_ARGUMENT);
    CHECK(opened.submit(queue, {fill_command(memory, 0, 6, pattern.data(), 3)}) == BSC_INVALID_ARGUMENT);
  }
}

TEST_CASE("host memory moves bytes in every direction, in order, whether shared or staged") {
  constexpr std::size_t kCount = 700'001;  // more than one piece of the scratch buffer
  for (const char* way : {"automatic", "staged"}) {
    CAPTURE(way);
    Opened opened(option("host_memory", way));
    const auto queue = opened.queue();
    const std::uint64_t bytes = kCount * 4;
    const auto a = opened.memory(bytes, BSC_MEMORY_HOST);
    const auto b = opened.memory(bytes, BSC_MEMORY_HOST);
    const auto device = opened.memory(bytes);
    void* address = nullptr;
    REQUIRE(opened.api->memory->map(a, &address, nullptr) == BSC_OK);
    const auto values = counting(kCount);
    std::memcpy(address, values.data(), bytes);
    std::vector<std::uint32_t> result(kCount);
    const std::uint32_t zero = 0;
    REQUIRE(opened.submit(queue, {fill_command(b, 0, bytes, &zero, 4), copy_command(a, 0, device, 0, bytes),
                                  fill_command(a, 0, bytes, &zero, 4), copy_command(device, 4, b, 4, bytes - 4),
                                  copy_command(b, 4, a, 4, bytes - 4), read_command(a, result.data(), bytes)}) == BSC_OK);
    REQUIRE(opened.finish(queue) == BSC_OK);
    CHECK(result[0] == 0);
    CHECK(std::equal(result.begin() + 1, result.end(), values.begin() + 1));
    CHECK(std::memcmp(address, result.data(), bytes) == 0);
    opened.write(queue, b, counting(10), 8);
    REQUIRE(opened.api->memory->map(b, &address, nullptr) == BSC_OK);
    CHECK(static_cast<std::uint32_t*>(address)[2] == 100);
  }
}

TEST_CASE("ranges beyond the memory are refused with the numbers, and nothing of the submission runs") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(64);
  const std::vector<std::uint8_t> zeros(64);
  opened.write(queue, memory, zeros);
  std::uint8_t one = 1;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  REQUIRE(opened.submit(queue, {}, &before) == BSC_OK);
  for (const std::uint64_t offset : {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{65}, UINT64_MAX}) {
    CHECK(opened.submit(queue, {fill_command(memory, 0, 64, &one, 1), fill_command(memory, offset, 64, &one, 1)}) ==
          BSC_INVALID_ARGUMENT);
    CHECK(opened.message().find(std::to_string(offset)) != std::string::npos);
  }
  REQUIRE(opened.submit(queue, {}, &after) == BSC_OK);
  CHECK(after == before + 1);
  CHECK(opened.read<std::uint8_t>(queue, memory, 64) == zeros);
}

TEST_CASE("a queue waits for another one's work") {
  Opened opened;
  const auto first = opened.queue();
  const auto second = opened.queue();
  const auto memory = opened.memory(4);
  const auto module = opened.module(kSpin);
  const std::uint32_t zero = 0;
  for (int round = 0; round < 5; ++round) {
    Launch launch(opened.function(module, "spin"), 1, 1);
    std::uint64_t value = 0;
    std::uint32_t result = 0;
    REQUIRE(opened.submit(first, {fill_command(memory, 0, 4, &zero, 4), slow_launch(launch, memory)}, &value) == BSC_OK);
    std::uint64_t read = 0;
    REQUIRE(opened.submit(second, {wait_command(first, value), read_command(memory, &result, 4)}, &read) == BSC_OK);
    REQUIRE(opened.wait(second, read) == BSC_OK);
    CHECK(result != 0);
    REQUIRE(opened.submit(second, {wait_command(first, value)}, &read) == BSC_OK);  // completed long ago
    CHECK(opened.wait(second, read) == BSC_OK);
  }
  CHECK(opened.submit(second, {wait_command(first, 1000)}) == BSC_INVALID_ARGUMENT);
  CHECK(opened.submit(second, {wait_command(memory, 1)}) == BSC_INVALID_HANDLE);
}

TEST_CASE("a wait alone holds back what is submitted later") {
  Opened opened;
  const auto first = opened.queue();
  const auto second = opened.queue();
  const auto memory = opened.memory(4);
  const auto module = opened.module(kSpin);
  Launch launch(opened.function(module, "spin"), 1, 1);
  const std::uint32_t zero = 0;
  std::uint32_t result = 0;
  std::uint64_t value = 0;
  REQUIRE(opened.submit(first, {fill_command(memory, 0, 4, &zero, 4), slow_launch(launch, memory)}, &value) == BSC_OK);
  REQUIRE(opened.submit(second, {wait_command(first, value)}) == BSC_OK);
  REQUIRE(opened.submit(second, {read_command(memory, &result, 4)}) == BSC_OK);
  REQUIRE(opened.finish(second) == BSC_OK);
  CHECK(result != 0);
}

TEST_CASE("times are ordered, and kept for submissions that asked for them") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4);
  const auto module = opened.module(kSpin);
  Launch launch(opened.function(module, "spin"), 1, 1);
  const auto command = slow_launch(launch, memory);
  std::uint64_t timed = 0;
  std::uint64_t untimed = 0;
  std::uint64_t empty = 0;
  REQUIRE(opened.submit(queue, {command, command}, &timed, BSC_SUBMIT_TIMES) == BSC_OK);
  REQUIRE(opened.submit(queue, {command}, &untimed) == BSC_OK);
  REQUIRE(opened.submit(queue, {}, &empty, BSC_SUBMIT_TIMES) == BSC_OK);
  REQUIRE(opened.wait(queue, empty) == BSC_OK);
  bsc_plugin_times times = {};
  times.header = {sizeof times, BSC_STRUCT_TIMES, nullptr};
  REQUIRE(opened.api->profile->times(queue, timed, &times, &opened.error) == BSC_OK);
  CHECK(times.submitted <= times.started);
  CHECK(times.started < times.ended);
  CHECK(opened.api->profile->times(queue, empty, &times, &opened.error) == BSC_OK);
  CHECK(opened.api->profile->times(queue, untimed, &times, &opened.error) == BSC_NOT_FOUND);
  CHECK(opened.api->profile->times(queue, 100, &times, &opened.error) == BSC_NOT_FOUND);
  for (int i = 0; i < 1500; ++i) REQUIRE(opened.submit(queue, {fill_command(memory, 0, 4, &empty, 4)}, &timed, BSC_SUBMIT_TIMES) == BSC_OK);
  REQUIRE(opened.wait(queue, timed) == BSC_OK);
  CHECK(opened.api->profile->times(queue, timed - 1023, &times, &opened.error) == BSC_OK);
}

TEST_CASE("an unknown command refuses the whole submission") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4);
  opened.write<std::uint32_t>(queue, memory, {5});
  const std::uint32_t one = 1;
  auto unknown = fill_command(memory, 0, 4, &one, 4);
  unknown.kind = 77;
  CHECK(opened.submit(queue, {fill_command(memory, 0, 4, &one, 4), unknown}) == BSC_UNSUPPORTED);
  CHECK(opened.read<std::uint32_t>(queue, memory, 1)[0] == 5);
}

TEST_CASE("a thread may wait while another submits") {
  Opened opened;
  const auto queue = opened.queue();
  const auto memory = opened.memory(4);
  std::uint64_t value = 0;
  const std::uint32_t one = 1;
  REQUIRE(opened.submit(queue, {fill_command(memory, 0, 4, &one, 4)}, &value) == BSC_OK);
  std::thread waiter([&] {
    for (std::uint64_t v = 1; v <= 500; ++v) {
      while (opened.api->event->wait(queue, v, BSC_WAIT_FOREVER, nullptr) == BSC_INVALID_ARGUMENT) std::this_thread::yield();
    }
  });
  for (int i = 1; i < 500; ++i) REQUIRE(opened.submit(queue, {fill_command(memory, 0, 4, &one, 4)}, &value) == BSC_OK);
  waiter.join();
  CHECK(opened.wait(queue, 500, 0) == BSC_OK);
}
