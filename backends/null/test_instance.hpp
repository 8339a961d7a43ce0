// An opened null instance for unit tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

#include "backends/null/entries.hpp"
#include "backends/null/objects.hpp"

namespace bascule::null_backend {

struct TestInstance {
  explicit TestInstance(std::initializer_list<bsc_plugin_option_value> values) : options(values) {
    bsc_plugin_open_info info = {};
    info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
    info.option_count = options.size();
    info.option_stride = sizeof(bsc_plugin_option_value);
    info.options = options.data();
    status = open_instance(&info, &instance, &error);
    if (status != BSC_OK) return;
    std::uint64_t count = 0;
    REQUIRE(enumerate_devices(instance, 1, &device, &count, &error) == BSC_OK);
    const bsc_plugin_queue_description description = {{sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr}, 0, 0};
    if (create_queue(device, &description, &queue, &error) != BSC_OK) queue = nullptr;
  }
  ~TestInstance() {
    if (instance != nullptr) close_instance(instance, nullptr);
  }
  TestInstance(const TestInstance&) = delete;
  TestInstance& operator=(const TestInstance&) = delete;

  bsc_status submit_empty(std::uint64_t* value, std::uint64_t flags = 0) {
    bsc_plugin_submission submission = {};
    submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
    submission.flags = flags;
    return submit(queue, &submission, value, &error);
  }
  bsc_status allocate(std::uint64_t bytes, bsc_plugin_memory* memory) {
    bsc_plugin_memory_description description = {};
    description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
    description.bytes = bytes;
    return allocate_memory(device, &description, memory, &error);
  }

  std::vector<bsc_plugin_option_value> options;
  bsc_status status = BSC_OK;
  bsc_plugin_error error = {{sizeof error, BSC_STRUCT_ERROR, nullptr}, 0, 0, 0, 0, 0, {}, {}, {}};
  bsc_plugin_instance instance = nullptr;
  bsc_plugin_device device = nullptr;
  bsc_plugin_queue queue = nullptr;
};

}  // namespace bascule::null_backend
