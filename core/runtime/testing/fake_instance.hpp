// An instance over fake plugins, and the small things that most tests of the runtime need.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bascule/bascule.h"
#include "bascule/host_kernel.h"
#include "core/runtime/instance.hpp"
#include "core/runtime/testing/fake_plugin.hpp"

namespace bascule::testing {

using Named = std::pair<std::string, FakePlugin*>;

inline bsc_instance* make_instance(const std::vector<Named>& plugins, const std::string& selector = "",
                                   const std::map<std::string, std::string, std::less<>>& forced = {}) {
  core::InstanceParts parts;
  parts.forced_variants = forced;
  for (const auto& [name, plugin] : plugins) {
    bsc_plugin_instance opened = plugin->open();
    std::uint64_t count = plugin->options.devices;
    std::vector<bsc_plugin_device> devices(count);
    REQUIRE(plugin->api().instance->enumerate(opened, count, devices.data(), &count, nullptr) == BSC_OK);
    parts.backends.push_back(std::make_unique<core::Backend>(name, plugin->api(), opened, std::move(devices)));
    parts.reports.push_back({.name = name,
                             .reason = {},
                             .remedy = {},
                             .path = {},
                             .version = {},
                             .driver_path = {},
                             .device_count = plugin->options.devices,
                             .selected = true});
  }
  parts.device_selector = selector;
  parts.device_selector_origin = "setting";
  auto instance = bsc_instance::create(std::move(parts));
  REQUIRE(instance.ok());
  return instance->detach();
}

// An error that is released with this object; pass `&error` where the API wants bsc_error**.
class ErrorHolder {
 public:
  ~ErrorHolder() { bsc_error_release(error_); }
  bsc_error** operator&() {
    bsc_error_release(std::exchange(error_, nullptr));
    return &error_;
  }
  std::string message() const { return bsc_error_message(error_); }
  std::string remedy() const { return bsc_error_remedy(error_); }
  const bsc_error* get() const { return error_; }
  bool mentions(const std::string& text) const { return message().find(text) != std::string::npos; }

 private:
  bsc_error* error_ = nullptr;
};

// y[i] = a * x[i] + b
struct AxpbArguments {
  float a, b;
  std::uint64_t n;
  bsc_host_span x, y;
};

inline bsc_status axpb(const void* arguments, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*,
                       bsc_host_team*) {
  AxpbArguments given;
  std::memcpy(&given, arguments, sizeof given);
  for (std::uint64_t i = begin; i < end; ++i) {
    static_cast<float*>(given.y.data)[i] = given.a * static_cast<const float*>(given.x.data)[i] + given.b;
  }
  return BSC_OK;
}

inline bsc_status add_one(const void* arguments, std::uint64_t begin, std::uint64_t end, std::uint32_t, void*,
                          bsc_host_team*) {
  bsc_host_span span;
  std::memcpy(&span, arguments, sizeof span);
  for (std::uint64_t i = begin; i < end; ++i) static_cast<std::uint32_t*>(span.data)[i] += 1;
  return BSC_OK;
}

// Expects a zero in the workspace, leaves something else there: y[0] = workspace[0] + 1
inline bsc_status use_workspace(const void* arguments, std::uint64_t, std::uint64_t, std::uint32_t, void*,
                                bsc_host_team*) {
  bsc_host_span spans[2];
  std::memcpy(spans, arguments, sizeof spans);
  auto* workspace = static_cast<std::uint32_t*>(spans[0].data);
  *static_cast<std::uint32_t*>(spans[1].data) = workspace[0] + 1;
  workspace[0] = 99;
  return BSC_OK;
}

inline const bsc_host_table* test_table() {
  static const bsc_host_entry entries[] = {
      {"axpb", axpb, sizeof(AxpbArguments), 0, 0, 0, 0},
      {"add_one", add_one, sizeof(bsc_host_span), 0, 0, 0, 0},
      {"use_workspace", use_workspace, 2 * sizeof(bsc_host_span), 0, 0, 0, 0},
  };
  static const bsc_host_table table{sizeof table, BSC_HOST_ABI_VERSION, 3, sizeof(bsc_host_entry), entries};
  return &table;
}

inline bsc_kernel* raw_kernel(bsc_device* device, const char* name) {
  bsc_module* module = nullptr;
  REQUIRE(bsc_module_load(device, "host", nullptr, 0, nullptr, test_table(), &module, nullptr) == BSC_OK);
  bsc_kernel* kernel = nullptr;
  REQUIRE(bsc_module_kernel(module, name, &kernel, nullptr) == BSC_OK);
  bsc_module_release(module);
  return kernel;
}

inline bsc_argument value_argument(const void* value, std::uint64_t bytes) {
  return {BSC_ARG_VALUE, 0, value, bytes, nullptr, 0};
}
inline bsc_argument buffer_argument(bsc_buffer* buffer, std::uint64_t bytes, std::uint64_t offset = 0,
                                    std::uint32_t element_bytes = 4) {
  return {BSC_ARG_BUFFER, element_bytes, nullptr, bytes, buffer, offset};
}

inline bsc_launch_options work_items(std::uint64_t n) {
  bsc_launch_options options{};
  options.size = sizeof options;
  options.work_items = n;
  options.has_work_items = 1;
  return options;
}

// What most tests need; everything is released in the end, and the plugin must then hold nothing.
struct Fixture {
  explicit Fixture(FakeOptions options = {}) : plugin(std::move(options)) {
    instance = make_instance({{"fake", &plugin}});
    device = bsc_instance_default_device(instance);
    REQUIRE(bsc_queue_create(device, nullptr, &queue, nullptr) == BSC_OK);
  }
  ~Fixture() {
    plugin.let_go();
    bsc_queue_release(queue);
    bsc_instance_release(instance);
    CHECK(plugin.live_memory == 0);
    CHECK(plugin.live_queues == 0);
    CHECK(plugin.live_modules == 0);
    CHECK(plugin.live_graphs == 0);
    CHECK(plugin.live_instances == 0);
    CHECK(plugin.released_while_in_use == 0);
  }
  bsc_buffer* buffer(std::uint64_t bytes, std::uint32_t type = BSC_BUFFER_DEVICE) {
    bsc_buffer* result = nullptr;
    REQUIRE(bsc_buffer_create(device, bytes, type, &result, nullptr) == BSC_OK);
    return result;
  }
  bsc_buffer* filled(const std::vector<std::uint32_t>& values) {
    bsc_buffer* result = buffer(values.size() * 4);
    REQUIRE(bsc_queue_upload(queue, result, 0, values.data(), values.size() * 4, nullptr) == BSC_OK);
    return result;
  }
  std::vector<std::uint32_t> read(bsc_buffer* source) {
    std::vector<std::uint32_t> values(bsc_buffer_size(source) / 4);
    REQUIRE(bsc_queue_read(queue, source, 0, values.data(), values.size() * 4, nullptr, nullptr) == BSC_OK);
    REQUIRE(bsc_queue_wait(queue, BSC_FOREVER, nullptr) == BSC_OK);
    return values;
  }

  FakePlugin plugin;
  bsc_instance* instance = nullptr;
  bsc_device* device = nullptr;
  bsc_queue* queue = nullptr;
};

}  // namespace bascule::testing
