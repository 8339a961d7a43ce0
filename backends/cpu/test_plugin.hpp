// The plugin as a host sees it, opened for a test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bascule/host_kernel.h>
#include <bascule/plugin.h>
#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

extern "C" bsc_status bascule_plugin_query(const bsc_plugin_host_info* host, bsc_plugin_info* out_info);

namespace bascule::cpu::test {

template <class T>
T made(std::uint32_t type) {
  T value = {};
  value.header = {sizeof(T), type, nullptr};
  return value;
}

inline bsc_plugin_info query() {
  auto host = made<bsc_plugin_host_info>(BSC_STRUCT_HOST_INFO);
  host.abi_major = BSC_PLUGIN_ABI_MAJOR;
  host.abi_minor = BSC_PLUGIN_ABI_MINOR;
  host.library_version = "test";
  auto info = made<bsc_plugin_info>(BSC_STRUCT_PLUGIN_INFO);
  REQUIRE(bascule_plugin_query(&host, &info) == BSC_OK);
  return info;
}

class TestPlugin {
 public:
  explicit TestPlugin(std::initializer_list<bsc_plugin_option_value> options = {{"threads", "3"}}) {
    auto info = made<bsc_plugin_open_info>(BSC_STRUCT_OPEN_INFO);
    info.option_count = options.size();
    info.option_stride = sizeof(bsc_plugin_option_value);
    info.options = options.begin();
    REQUIRE_MESSAGE(api->instance->open(&info, &instance, &error) == BSC_OK, error.message);
    std::uint64_t count = 0;
    REQUIRE(api->instance->enumerate(instance, 1, &device, &count, &error) == BSC_OK);
    REQUIRE(count == 1);
    queue = create_queue();
  }
  ~TestPlugin() { CHECK(api->instance->close(instance, &error) == BSC_OK); }
  TestPlugin(const TestPlugin&) = delete;
  TestPlugin& operator=(const TestPlugin&) = delete;

  bsc_plugin_queue create_queue() {
    const auto description = made<bsc_plugin_queue_description>(BSC_STRUCT_QUEUE_DESCRIPTION);
    bsc_plugin_queue created = nullptr;
    REQUIRE(api->queue->create(device, &description, &created, &error) == BSC_OK);
    return created;
  }

  bsc_status allocate(std::uint64_t bytes, bsc_plugin_memory* out, std::uint64_t alignment = 0,
                      std::uint32_t type = BSC_MEMORY_DEVICE) {
    auto description = made<bsc_plugin_memory_description>(BSC_STRUCT_MEMORY_DESCRIPTION);
    description.bytes = bytes;
    description.alignment = alignment;
    description.type = type;
    return api->memory->allocate(device, &description, out, &error);
  }
  bsc_plugin_memory memory(std::uint64_t bytes) {
    bsc_plugin_memory created = nullptr;
    REQUIRE_MESSAGE(allocate(bytes, &created) == BSC_OK, error.message);
    return created;
  }
  template <class T = unsigned char>
  T* address(bsc_plugin_memory memory) {
    void* pointer = nullptr;
    REQUIRE(api->memory->map(memory, &pointer, &error) == BSC_OK);
    return static_cast<T*>(pointer);
  }

  bsc_status submit(const std::vector<bsc_plugin_command>& commands, std::uint64_t flags = 0, bsc_plugin_queue on = nullptr) {
    auto submission = made<bsc_plugin_submission>(BSC_STRUCT_SUBMISSION);
    submission.flags = flags;
    submission.command_count = commands.size();
    submission.command_stride = sizeof(bsc_plugin_command);
    submission.commands = commands.data();
    return api->queue->submit(on != nullptr ? on : queue, &submission, &value, &error);
  }
  bsc_status wait(std::uint64_t for_value, std::uint64_t timeout_ns = BSC_WAIT_FOREVER, bsc_plugin_queue on = nullptr) {
    return api->event->wait(on != nullptr ? on : queue, for_value, timeout_ns, &error);
  }
  bsc_status run(const std::vector<bsc_plugin_command>& commands) {
    const bsc_status status = submit(commands);
    return status == BSC_OK ? wait(value) : status;
  }

  bsc_status load(const bsc_host_table* table, bsc_plugin_module* out) {
    auto image = made<bsc_plugin_image>(BSC_STRUCT_IMAGE);
    auto link = made<bsc_plugin_host_table_image>(BSC_STRUCT_HOST_TABLE_IMAGE);
    link.table = table;
    image.header.next = &link.header;
    image.format = "host";
    image.name = "table";
    return api->module->load(device, &image, out, &error);
  }
  bsc_status load_bytes(const std::string& bytes, bsc_plugin_module* out, const char* format = "host") {
    auto image = made<bsc_plugin_image>(BSC_STRUCT_IMAGE);
    image.format = format;
    image.data = bytes.data();
    image.bytes = bytes.size();
    image.name = "bytes";
    return api->module->load(device, &image, out, &error);
  }
  bsc_plugin_function function(bsc_plugin_module module, const char* name) {
    bsc_plugin_function found = nullptr;
    REQUIRE_MESSAGE(api->module->function(module, name, &found, &error) == BSC_OK, error.message);
    return found;
  }
  // The only function of a table.
  bsc_plugin_function function(const bsc_host_entry& entry) {
    entries.push_back(entry);
    tables.push_back({sizeof(bsc_host_table), BSC_HOST_ABI_VERSION, 1, sizeof(bsc_host_entry), &entries.back()});
    bsc_plugin_module module = nullptr;
    REQUIRE_MESSAGE(load(&tables.back(), &module) == BSC_OK, error.message);
    return function(module, entry.name);
  }

  bool says(const char* text) const { return std::strstr(error.message, text) != nullptr; }

  const bsc_plugin_api* api = query().api;
  bsc_plugin_error error = made<bsc_plugin_error>(BSC_STRUCT_ERROR);
  bsc_plugin_instance instance = nullptr;
  bsc_plugin_device device = nullptr;
  bsc_plugin_queue queue = nullptr;
  std::uint64_t value = 0;
  std::deque<bsc_host_entry> entries;  // a deque: their addresses stay
  std::deque<bsc_host_table> tables;
};

inline bsc_plugin_command command(std::uint32_t kind) {
  auto made_command = made<bsc_plugin_command>(BSC_STRUCT_COMMAND);
  made_command.kind = kind;
  return made_command;
}
inline bsc_plugin_command copy(bsc_plugin_memory to, std::uint64_t to_offset, bsc_plugin_memory from, std::uint64_t from_offset,
                               std::uint64_t bytes) {
  auto result = command(BSC_COMMAND_COPY);
  result.copy = {from, to, from_offset, to_offset, bytes};
  return result;
}
inline bsc_plugin_command write(bsc_plugin_memory to, std::uint64_t offset, const void* host, std::uint64_t bytes) {
  auto result = command(BSC_COMMAND_WRITE);
  result.transfer = {to, const_cast<void*>(host), offset, bytes};
  return result;
}
inline bsc_plugin_command read(void* host, bsc_plugin_memory from, std::uint64_t offset, std::uint64_t bytes) {
  auto result = command(BSC_COMMAND_READ);
  result.transfer = {from, host, offset, bytes};
  return result;
}
inline bsc_plugin_command fill(bsc_plugin_memory to, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                               std::uint32_t pattern_bytes) {
  auto result = command(BSC_COMMAND_FILL);
  result.fill = {to, offset, bytes, {}, pattern_bytes};
  std::memcpy(result.fill.pattern, pattern, pattern_bytes <= 16 ? pattern_bytes : 0);
  return result;
}
inline bsc_plugin_command wait_for(bsc_plugin_queue queue, std::uint64_t value) {
  auto result = command(BSC_COMMAND_WAIT);
  result.wait = {queue, value};
  return result;
}
// Arguments and blob are borrowed.
inline bsc_plugin_command launch(bsc_plugin_function function, std::uint64_t items, std::uint64_t grain,
                                 const std::vector<bsc_plugin_argument>& arguments, const void* blob, std::uint64_t blob_bytes) {
  auto result = command(BSC_COMMAND_LAUNCH);
  result.launch.function = function;
  for (int i = 0; i < 3; ++i) result.launch.grid[i] = i == 0 ? items : 1;
  for (int i = 0; i < 3; ++i) result.launch.block[i] = i == 0 ? grain : 1;
  result.launch.argument_count = arguments.size();
  result.launch.argument_stride = sizeof(bsc_plugin_argument);
  result.launch.arguments = arguments.data();
  result.launch.blob = blob;
  result.launch.blob_bytes = blob_bytes;
  return result;
}

}  // namespace bascule::cpu::test
