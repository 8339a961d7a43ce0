// Submissions through the plugin's table: transfers, waits, failures, times, what is refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/queue.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>

#include "backends/cpu/plugin.hpp"
#include "backends/cpu/test_plugin.hpp"
#include "backends/cpu/transfers.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

std::vector<unsigned char> noise(std::size_t bytes, std::mt19937_64& random) {
  std::vector<unsigned char> result(bytes);
  for (auto& byte : result) byte = static_cast<unsigned char>(random());
  return result;
}

bsc_status refuse_everything(const void*, uint64_t, uint64_t, uint32_t, void*, bsc_host_team*) { return BSC_NOT_FOUND; }

}  // namespace

TEST_CASE("writes, copies and reads move any number of bytes between any offsets, and nothing else") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  TestPlugin plugin;
  constexpr std::size_t kBytes = 3 * kTransferGrain + 1000;
  const bsc_plugin_memory a = plugin.memory(kBytes), b = plugin.memory(kBytes);
  auto *const at_a = plugin.address(a), *const at_b = plugin.address(b);
  for (const std::uint64_t bytes : {0ull, 1ull, 63ull, 4097ull, 2ull * kTransferGrain + 77}) {
    for (int round = 0; round < 8; ++round) {
      const auto source = noise(bytes, random);
      std::vector<unsigned char> back(bytes);
      const auto guard_a = noise(kBytes, random), guard_b = noise(kBytes, random);
      std::copy(guard_a.begin(), guard_a.end(), at_a);
      std::copy(guard_b.begin(), guard_b.end(), at_b);
      const std::uint64_t x = random() % (kBytes - bytes), y = random() % (kBytes - bytes);
      CAPTURE(bytes);
      CAPTURE(x);
      CAPTURE(y);
      REQUIRE(plugin.run({write(a, x, source.data(), bytes), copy(b, y, a, x, bytes), read(back.data(), b, y, bytes)}) == BSC_OK);
      CHECK(back == source);
      CHECK(std::equal(at_b, at_b + y, guard_b.begin()));
      CHECK(std::equal(at_b + y + bytes, at_b + kBytes, guard_b.begin() + std::ptrdiff_t(y + bytes)));
    }
  }
}

TEST_CASE("a fill repeats its pattern from the first byte on, whatever its size and length") {
  TestPlugin plugin;
  const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  constexpr std::uint64_t kBytes = 3 * kTransferGrain + 16;
  const bsc_plugin_memory memory = plugin.memory(kBytes + 64);
  auto* const at = plugin.address(memory);
  for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{size}, std::uint64_t{48}, std::uint64_t{16384}, kBytes}) {
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{size}, std::uint64_t{3} * size}) {
        std::fill(at, at + kBytes + 64, 0xEE);
        REQUIRE(plugin.run({fill(memory, offset, bytes, pattern, size)}) == BSC_OK);
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < kBytes + 64; ++i) {
          const bool inside = i >= offset && i < offset + bytes;
          wrong += at[i] != (inside ? pattern[(i - offset) % size] : 0xEE);
        }
        CAPTURE(size);
        CAPTURE(bytes);
        CAPTURE(offset);
        CHECK(wrong == 0);
      }
    }
  }
  const unsigned char zero[16] = {};
  REQUIRE(plugin.run({fill(memory, 0, kBytes, zero, 16)}) == BSC_OK);
  CHECK(std::all_of(at, at + kBytes, [](unsigned char byte) { return byte == 0; }));
}

TEST_CASE("what a submission may not say is refused as a whole and leaves the queue as it was") {
  TestPlugin plugin, foreign;
  const bsc_plugin_memory memory = plugin.memory(100), theirs = foreign.memory(100);
  unsigned char host[200] = {};
  const auto good = write(memory, 0, "x", 1);
  auto* const at = plugin.address(memory);
  at[0] = 'o';
  const auto refused = [&](const bsc_plugin_command& bad, bsc_status expected) {
    CHECK(plugin.submit({good, bad}) == expected);
    CHECK(std::strlen(plugin.error.message) > 0);
    CHECK(at[0] == 'o');
  };
  refused(write(memory, 50, host, 51), BSC_INVALID_ARGUMENT);
  refused(write(memory, 101, host, 0), BSC_INVALID_ARGUMENT);
  refused(read(host, memory, UINT64_MAX, 2), BSC_INVALID_ARGUMENT);
  refused(read(nullptr, memory, 0, 2), BSC_INVALID_ARGUMENT);
  refused(read(host, theirs, 0, 2), BSC_INVALID_ARGUMENT);
  refused(read(host, reinterpret_cast<bsc_plugin_memory>(plugin.queue), 0, 2), BSC_INVALID_HANDLE);
  refused(read(host, nullptr, 0, 2), BSC_INVALID_HANDLE);
  refused(copy(memory, 10, memory, 0, 11), BSC_INVALID_ARGUMENT);
  refused(copy(memory, 0, memory, 10, 11), BSC_INVALID_ARGUMENT);
  refused(copy(theirs, 0, memory, 0, 1), BSC_INVALID_ARGUMENT);
  refused(fill(memory, 0, 12, host, 3), BSC_INVALID_ARGUMENT);
  refused(fill(memory, 2, 8, host, 4), BSC_INVALID_ARGUMENT);
  refused(fill(memory, 0, 10, host, 4), BSC_INVALID_ARGUMENT);
  refused(fill(memory, 0, 0, host, 0), BSC_INVALID_ARGUMENT);
  refused(wait_for(plugin.queue, 1), BSC_INVALID_ARGUMENT);
  refused(wait_for(foreign.queue, 0), BSC_INVALID_ARGUMENT);
  refused(wait_for(nullptr, 0), BSC_INVALID_HANDLE);
  refused(command(99), BSC_UNSUPPORTED);
  CHECK(plugin.submit({good}, 1u << 7) == BSC_INVALID_ARGUMENT);
  CHECK(plugin.run({copy(memory, 10, memory, 0, 10), good}) == BSC_OK);
  CHECK(plugin.value == 1);
  CHECK(at[0] == 'x');
}

TEST_CASE("queues wait for each other's points") {
  TestPlugin plugin;
  const bsc_plugin_queue other = plugin.create_queue();
  constexpr std::uint64_t kBytes = 8 << 20;
  const bsc_plugin_memory memory = plugin.memory(kBytes);
  std::vector<unsigned char> back(kBytes);
  for (int round = 1; round <= 20; ++round) {
    const auto byte = static_cast<unsigned char>(round);
    REQUIRE(plugin.submit({fill(memory, 0, kBytes, &byte, 1)}) == BSC_OK);
    REQUIRE(plugin.submit({wait_for(plugin.queue, plugin.value), read(back.data(), memory, 0, kBytes)}, 0, other) == BSC_OK);
    const std::uint64_t read_at = plugin.value;
    REQUIRE(plugin.submit({wait_for(other, read_at)}) == BSC_OK);
    REQUIRE(plugin.wait(plugin.value) == BSC_OK);
    CHECK(std::count(back.begin(), back.end(), byte) == std::ptrdiff_t(kBytes));
  }
}

TEST_CASE("a kernel's failure is reported by the wait with its interval, and refuses what comes after") {
  TestPlugin plugin;
  const bsc_plugin_function bad = plugin.function({"bad_kernel", refuse_everything, 0, 0, 0, 0, 0});
  REQUIRE(plugin.run({}) == BSC_OK);
  REQUIRE(plugin.submit({launch(bad, 10, 1, {}, nullptr, 0)}) == BSC_OK);
  CHECK(plugin.wait(2) == BSC_LAUNCH_FAILED);
  CHECK(plugin.error.vendor_code == BSC_NOT_FOUND);
  CHECK(plugin.error.last_completed == 1);
  CHECK(plugin.error.first_incomplete == 2);
  CHECK(plugin.says("bad_kernel"));
  CHECK(plugin.wait(1) == BSC_OK);
  CHECK(plugin.submit({}) == BSC_LAUNCH_FAILED);
  std::uint64_t completed = 0;
  CHECK(plugin.api->event->completed(plugin.queue, &completed, &plugin.error) == BSC_OK);
  CHECK(completed == 2);
  CHECK(plugin.api->queue->release(plugin.queue, &plugin.error) == BSC_OK);
  plugin.queue = plugin.create_queue();
  CHECK(plugin.run({}) == BSC_OK);
}

TEST_CASE("times are those of the submission that asked for them") {
  TestPlugin plugin;
  REQUIRE(plugin.submit({}, BSC_SUBMIT_TIMES) == BSC_OK);
  REQUIRE(plugin.submit({}) == BSC_OK);
  REQUIRE(plugin.wait(2) == BSC_OK);
  auto times = made<bsc_plugin_times>(BSC_STRUCT_TIMES);
  REQUIRE(plugin.api->profile->times(plugin.queue, 1, &times, &plugin.error) == BSC_OK);
  CHECK(times.submitted != 0);
  CHECK(times.submitted <= times.started);
  CHECK(times.started <= times.ended);
  CHECK(times.resolution >= 1);
  CHECK(plugin.api->profile->times(plugin.queue, 2, &times, &plugin.error) == BSC_NOT_FOUND);
  CHECK(plugin.api->profile->times(plugin.queue, 3, &times, &plugin.error) == BSC_NOT_FOUND);
}

TEST_CASE("a forked child is told so; it may release, and open anew") {
  TestPlugin plugin;
  const bsc_plugin_memory memory = plugin.memory(64);
  REQUIRE(plugin.run({}) == BSC_OK);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto& api = *plugin.api;
    bsc_plugin_memory another = nullptr;
    bool all = plugin.submit({}) == BSC_FORKED && plugin.says("fork");
    all = all && plugin.allocate(64, &another) == BSC_FORKED;
    all = all && api.queue->release(plugin.queue, &plugin.error) == BSC_OK;
    all = all && api.memory->release(memory, &plugin.error) == BSC_OK;
    all = all && api.instance->close(plugin.instance, &plugin.error) == BSC_OK;
    const auto info = made<bsc_plugin_open_info>(BSC_STRUCT_OPEN_INFO);
    bsc_plugin_instance anew = nullptr;
    all = all && api.instance->open(&info, &anew, &plugin.error) == BSC_OK;
    ::_exit(all ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
