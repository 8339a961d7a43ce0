// Opening, devices and memory on a real OpenCL implementation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "backends/opencl/on_device/fixture.hpp"

using namespace bascule::opencl::test;

TEST_CASE("the device describes itself completely") {
  Opened opened;
  REQUIRE(opened.status == BSC_OK);
  const auto info = opened.info();
  CHECK(std::string_view(info.name) != "");
  CHECK(std::string_view(info.driver_path).starts_with("/"));
  CHECK(std::string_view(info.driver) != "");
  CHECK(info.memory_bytes > 0);
  CHECK(info.max_allocation_bytes > 0);
  CHECK(info.compute_units > 0);
  CHECK(info.max_block_threads > 0);
  CHECK(info.max_block[0] > 0);
  CHECK(info.max_argument_bytes >= 1024);
  REQUIRE(info.format_count == 1);
  CHECK(std::string_view(info.formats[0]) == "opencl-c");
  bool has_local_memory = false;
  for (std::uint64_t i = 0; i < info.capability_count; ++i) {
    if (std::string_view(info.capabilities[i].name) == "local_memory") has_local_memory = info.capabilities[i].value > 0;
  }
  CHECK(has_local_memory);
}

TEST_CASE("an older host's shorter device info is filled as far as it reaches") {
  Opened opened;
  REQUIRE(opened.status == BSC_OK);
  bsc_plugin_device_info info = {};
  info.header = {offsetof(bsc_plugin_device_info, memory_bytes), BSC_STRUCT_DEVICE_INFO, nullptr};
  info.memory_bytes = 12345;
  CHECK(opened.api->device->info(opened.device, &info, nullptr) == BSC_OK);
  CHECK(info.name != nullptr);
  CHECK(info.memory_bytes == 12345);
}

TEST_CASE("a platform filter that matches nothing names the platforms there are") {
  Opened opened(option("platform", "no such platform"));
  CHECK(opened.status == BSC_NO_DEVICE);
  CHECK(opened.message().find("no such platform") != std::string::npos);
}

TEST_CASE("an unknown way to make host memory is refused with the known ones") {
  Opened opened(option("host_memory", "magic"));
  CHECK(opened.status == BSC_INVALID_CONFIG);
  CHECK(opened.message().find("automatic, shared, staged") != std::string::npos);
}

TEST_CASE("memory state counts what this program holds, as an estimate") {
  Opened opened;
  bsc_plugin_memory_state state = {};
  state.header = {sizeof state, BSC_STRUCT_MEMORY_STATE, nullptr};
  REQUIRE(opened.api->device->memory_state(opened.device, &state, nullptr) == BSC_OK);
  const auto free_before = state.free_bytes;
  const auto memory = opened.memory(1 << 20);
  REQUIRE(opened.api->device->memory_state(opened.device, &state, nullptr) == BSC_OK);
  CHECK(state.free_bytes == free_before - (1 << 20));
  CHECK(state.free_is_estimate == 1);
  CHECK(opened.api->memory->release(memory, nullptr) == BSC_OK);
  CHECK(opened.api->memory->release(memory, &opened.error) == BSC_INVALID_HANDLE);
}

TEST_CASE("an allocation beyond the device's limit is refused with both numbers") {
  Opened opened;
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = opened.info().max_allocation_bytes + 1;
  bsc_plugin_memory memory = nullptr;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_LIMIT_EXCEEDED);
  CHECK(opened.message().find(std::to_string(description.bytes)) != std::string::npos);
  CHECK(opened.message().find(std::to_string(description.bytes - 1)) != std::string::npos);
  description.bytes = UINT64_MAX;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_LIMIT_EXCEEDED);
}

TEST_CASE("odd alignments are refused, ordinary ones served") {
  Opened opened;
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = 64;
  bsc_plugin_memory memory = nullptr;
  description.alignment = 48;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_INVALID_ARGUMENT);
  description.alignment = std::uint64_t{1} << 40;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_UNSUPPORTED);
  description.alignment = 64;
  CHECK(opened.api->memory->allocate(opened.device, &description, &memory, &opened.error) == BSC_OK);
}

TEST_CASE("device memory has no host address, host memory keeps one") {
  for (const char* way : {"automatic", "staged"}) {
    CAPTURE(way);
    Opened opened(option("host_memory", way));
    void* first = nullptr;
    CHECK(opened.api->memory->map(opened.memory(64), &first, &opened.error) == BSC_UNSUPPORTED);
    const auto host = opened.memory(1000, BSC_MEMORY_HOST);
    void* second = nullptr;
    REQUIRE(opened.api->memory->map(host, &first, &opened.error) == BSC_OK);
    REQUIRE(opened.api->memory->map(host, &second, &opened.error) == BSC_OK);
    CHECK(first == second);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    std::memset(first, 0x11, 1000);
  }
}

TEST_CASE("memory of 0 bytes is a handle like any other") {
  Opened opened;
  const auto queue = opened.queue();
  for (const std::uint32_t type : {BSC_MEMORY_DEVICE, BSC_MEMORY_HOST}) {
    const auto memory = opened.memory(0, type);
    const std::uint32_t pattern = 1;
    CHECK(opened.submit(queue, {fill_command(memory, 0, 0, &pattern, 4), read_command(memory, nullptr, 0),
                                copy_command(memory, 0, memory, 0, 0)}) == BSC_OK);
    CHECK(opened.finish(queue) == BSC_OK);
    CHECK(opened.api->memory->release(memory, nullptr) == BSC_OK);
  }
}

TEST_CASE("handles of another kind are refused by every entry that takes one") {
  Opened opened;
  const auto memory = opened.memory(16);
  bsc_plugin_device_info info = {};
  info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
  std::uint64_t value = 0;
  CHECK(opened.api->device->info(memory, &info, nullptr) == BSC_INVALID_HANDLE);
  CHECK(opened.api->queue->release(memory, nullptr) == BSC_INVALID_HANDLE);
  CHECK(opened.api->module->unload(memory, nullptr) == BSC_INVALID_HANDLE);
  CHECK(opened.api->event->completed(memory, &value, nullptr) == BSC_INVALID_HANDLE);
  CHECK(opened.api->memory->release(opened.device, nullptr) == BSC_INVALID_HANDLE);
  CHECK(opened.api->instance->close(opened.device, nullptr) == BSC_INVALID_HANDLE);
}
