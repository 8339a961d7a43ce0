// The plugin's query, options, device and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cpu/plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "backends/cpu/machine.hpp"
#include "backends/cpu/test_plugin.hpp"

using namespace bascule::cpu;
using namespace bascule::cpu::test;

namespace {

bsc_status open_with(const char* name, const char* value, std::string& message) {
  const bsc_plugin_option_value option = {name, value};
  auto info = made<bsc_plugin_open_info>(BSC_STRUCT_OPEN_INFO);
  info.option_count = 1;
  info.option_stride = sizeof option;
  info.options = &option;
  auto error = made<bsc_plugin_error>(BSC_STRUCT_ERROR);
  bsc_plugin_instance instance = nullptr;
  const bsc_status status = plugin_api()->instance->open(&info, &instance, &error);
  message = error.message;
  if (status == BSC_OK) CHECK(plugin_api()->instance->close(instance, &error) == BSC_OK);
  return status;
}

}  // namespace

TEST_CASE("a host of another ABI version is told so and still learns name and versions") {
  auto host = made<bsc_plugin_host_info>(BSC_STRUCT_HOST_INFO);
  host.abi_major = 7;
  auto info = made<bsc_plugin_info>(BSC_STRUCT_PLUGIN_INFO);
  CHECK(bascule_plugin_query(&host, &info) == BSC_ABI_MISMATCH);
  CHECK(std::string(info.name) == "cpu");
  CHECK(info.abi_major == BSC_PLUGIN_ABI_MAJOR);
  CHECK(info.api == nullptr);
}

TEST_CASE("the options are declared, and other values than theirs are refused by name") {
  std::set<std::string> names;
  const bsc_plugin_info info = query();
  for (std::uint64_t i = 0; i < info.option_count; ++i) names.insert(info.options[i].name);
  CHECK(names == std::set<std::string>{"spin_us", "threads", "sanitize", "seed", "trace", "statistics", "watchdog", "resident_blocks",
                                      "stack_bytes", "heap_bytes", "keep_signals"});
  std::string message;
  for (const char* bad : {"-1", "1025", "two", "1x", "4.5"}) {
    CHECK(open_with("threads", bad, message) == BSC_INVALID_CONFIG);
    CHECK(message.find("threads") != std::string::npos);
    CHECK(message.find(bad) != std::string::npos);
  }
  CHECK(open_with("spin_us", "10001", message) == BSC_INVALID_CONFIG);
  CHECK(open_with("threads", "1024", message) == BSC_OK);
  CHECK(open_with("threads", "", message) == BSC_OK);
}

TEST_CASE("the device says what it is") {
  TestPlugin plugin;
  auto info = made<bsc_plugin_device_info>(BSC_STRUCT_DEVICE_INFO);
  REQUIRE(plugin.api->device->info(plugin.device, &info, &plugin.error) == BSC_OK);
  CHECK(std::string(info.type) == "cpu");
  CHECK(info.compute_units == 3);
  CHECK(std::string(info.architecture).starts_with("x86-64"));
  CHECK(std::strlen(info.name) > 0);
  CHECK(info.memory_bytes >= std::uint64_t{64} << 20);
  CHECK(info.format_count == 2);
  CHECK(std::string(info.formats[0]) == "host");
  CHECK(std::string(info.formats[1]) == "ptx");
  const auto capability = [&](const std::string& name) -> std::int64_t {
    for (std::uint64_t i = 0; i < info.capability_count; ++i) {
      if (info.capabilities[i].name == name) return info.capabilities[i].value;
    }
    return -1;
  };
  CHECK(capability("host_team") == 3);
  CHECK(capability("fp64") == 1);
  CHECK(capability("queue_compute_unit_limit") == 1);
  CHECK(capability("block_clusters") == 1);
  CHECK(capability("avx512f") == (__builtin_cpu_supports("avx512f") ? 1 : -1));
  CHECK((std::string(info.architecture) == "x86-64-v4") == (capability("avx512f") == 1 && capability("avx512vl") == 1 &&
                                                           capability("avx512bw") == 1 && capability("avx512dq") == 1 &&
                                                           capability("avx512cd") == 1));
}

TEST_CASE("control group limits cut total and available memory") {
  const auto root = std::filesystem::temp_directory_path() / ("bascule-memory-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "a/b");
  const auto set = [&](const char* file, const char* text) { std::ofstream(root / file) << text << '\n'; };
  set("meminfo", "MemTotal:       1000 kB\nMemFree:  10 kB\nMemAvailable:    800 kB");
  const auto state = [&] { return read_memory_state(root / "meminfo", root, "/a/b"); };
  CHECK(state().total_bytes == 1000 * 1024);
  CHECK(state().available_bytes == 800 * 1024);
  set("a/memory.max", "512000");
  set("a/memory.current", "500000");
  set("a/b/memory.max", "max");
  CHECK(state().total_bytes == 512000);
  CHECK(state().available_bytes == 12000);
  set("a/memory.current", "600000");
  CHECK(state().available_bytes == 0);
  std::filesystem::remove_all(root);
}

TEST_CASE("memory is aligned as asked for, at least to 64 bytes, and of both types mapped") {
  TestPlugin plugin;
  for (const std::uint64_t bytes : {1ull, 100ull, 5ull << 20}) {
    for (const std::uint64_t alignment : {0ull, 1ull, 64ull, 4096ull, 1ull << 20}) {
      for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
        bsc_plugin_memory memory = nullptr;
        REQUIRE(plugin.allocate(bytes, &memory, alignment, type) == BSC_OK);
        auto* address = plugin.address(memory);
        CHECK(reinterpret_cast<std::uintptr_t>(address) % std::max<std::uint64_t>(alignment, 64) == 0);
        address[0] = address[bytes - 1] = 1;
        std::uint64_t device_address = 0;
        CHECK(plugin.api->memory->device_address(memory, &device_address, &plugin.error) == BSC_OK);
        CHECK(device_address == reinterpret_cast<std::uintptr_t>(address));
        CHECK(plugin.api->memory->release(memory, &plugin.error) == BSC_OK);
        CHECK(plugin.api->memory->release(memory, &plugin.error) == BSC_INVALID_HANDLE);
      }
    }
  }
  bsc_plugin_memory none = nullptr;
  CHECK(plugin.allocate(0, &none) == BSC_OK);
  CHECK(plugin.address(none) == nullptr);
  CHECK(plugin.allocate(64, &none, 48) == BSC_INVALID_ARGUMENT);
  CHECK(plugin.allocate(64, &none, std::uint64_t{1} << 63) == BSC_LIMIT_EXCEEDED);
  CHECK(plugin.allocate(64, &none, 0, 9) == BSC_INVALID_ARGUMENT);
}

TEST_CASE("memory that the machine does not have is refused with what was asked for and what there is") {
  TestPlugin plugin;
  auto info = made<bsc_plugin_device_info>(BSC_STRUCT_DEVICE_INFO);
  REQUIRE(plugin.api->device->info(plugin.device, &info, &plugin.error) == BSC_OK);
  bsc_plugin_memory memory = nullptr;
  for (const std::uint64_t bytes : {UINT64_MAX, UINT64_MAX - 63, std::uint64_t{1} << 62, info.memory_bytes + 1}) {
    CHECK(plugin.allocate(bytes, &memory) == BSC_LIMIT_EXCEEDED);
    CHECK(plugin.says(std::to_string(bytes).c_str()));
    CHECK(plugin.says(std::to_string(info.memory_bytes).c_str()));
  }
  // All of it, which is never available.
  CHECK(plugin.allocate(info.memory_bytes, &memory) == BSC_OUT_OF_MEMORY);
  CHECK(plugin.says(std::to_string(info.memory_bytes).c_str()));
  CHECK(plugin.error.retryable == 1);
  auto state = made<bsc_plugin_memory_state>(BSC_STRUCT_MEMORY_STATE);
  REQUIRE(plugin.api->device->memory_state(plugin.device, &state, &plugin.error) == BSC_OK);
  CHECK(state.free_bytes <= state.total_bytes);
  CHECK(state.free_is_estimate == 1);
}

TEST_CASE("memory that was promised but not touched yet is not promised again") {
  const MemoryState state = {.total_bytes = 1000, .available_bytes = 900};
  CHECK(promisable_bytes(state, 0) == 900);
  CHECK(promisable_bytes(state, 100) == 900);
  CHECK(promisable_bytes(state, 700) == 300);
  CHECK(promisable_bytes(state, 2000) == 0);
}

TEST_CASE("what was not released goes with the instance, and its handles are known as gone") {
  bsc_plugin_memory memory = nullptr;
  bsc_plugin_queue queue = nullptr;
  const bsc_plugin_api* api = plugin_api();
  auto error = made<bsc_plugin_error>(BSC_STRUCT_ERROR);
  {
    TestPlugin plugin;
    memory = plugin.memory(100);
    queue = plugin.queue;
  }
  void* pointer = nullptr;
  std::uint64_t completed = 0;
  CHECK(api->memory->map(memory, &pointer, &error) == BSC_INVALID_HANDLE);
  CHECK(api->event->completed(queue, &completed, &error) == BSC_INVALID_HANDLE);
}
