// The host's side of the plugin ABI, for tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/opencl/on_device/fixture.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

extern "C" bsc_status bascule_plugin_query(const bsc_plugin_host_info* host, bsc_plugin_info* out_info);

namespace bascule::opencl::test {
namespace {

std::string key_text(const bsc_plugin_cache_key& key) {
  return std::string(static_cast<const char*>(key.image), key.image_bytes) + '\n' + key.options + '\n' + key.plugin_build + '\n' +
         key.driver_version + '\n' + key.architecture;
}

void write_log(void* context, std::uint32_t, const char* message) {
  Host& host = *static_cast<Host*>(context);
  const std::lock_guard lock(host.mutex);
  host.log += std::string(message) + '\n';
}

void* allocate(void*, std::uint64_t bytes, std::uint64_t alignment) {
  void* pointer = nullptr;
  return posix_memalign(&pointer, alignment < 16 ? 16 : alignment, bytes) == 0 ? pointer : nullptr;
}

void deallocate(void*, void* pointer) { std::free(pointer); }

bsc_status cache_get(void* context, const bsc_plugin_cache_key* key, void** out_data, std::uint64_t* out_bytes) {
  Host& host = *static_cast<Host*>(context);
  const std::lock_guard lock(host.mutex);
  const auto found = host.cache.find(key_text(*key));
  if (found == host.cache.end()) return BSC_NOT_FOUND;
  ++host.hits;
  *out_bytes = found->second.size();
  *out_data = std::malloc(found->second.size() + 1);
  std::memcpy(*out_data, found->second.data(), found->second.size());
  return BSC_OK;
}

void cache_put(void* context, const bsc_plugin_cache_key* key, const void* data, std::uint64_t bytes) {
  Host& host = *static_cast<Host*>(context);
  const std::lock_guard lock(host.mutex);
  ++host.puts;
  const auto* const first = static_cast<const std::byte*>(data);
  host.cache[key_text(*key)].assign(first, first + bytes);
}

bsc_plugin_command new_command(std::uint32_t kind) {
  bsc_plugin_command command = {};
  command.header = {sizeof command, BSC_STRUCT_COMMAND, nullptr};
  command.kind = kind;
  return command;
}

}  // namespace

Host::Host() {
  services.header = {sizeof services, BSC_STRUCT_HOST_SERVICES, nullptr};
  services.context = this;
  services.log = write_log;
  services.allocate = allocate;
  services.deallocate = deallocate;
  services.cache_get = cache_get;
  services.cache_put = cache_put;
}

Opened::Opened(const Options& options, const char* driver_path) {
  error.header = {sizeof error, BSC_STRUCT_ERROR, nullptr};
  bsc_plugin_host_info host_info = {};
  host_info.header = {sizeof host_info, BSC_STRUCT_HOST_INFO, nullptr};
  host_info.abi_major = BSC_PLUGIN_ABI_MAJOR;
  host_info.abi_minor = BSC_PLUGIN_ABI_MINOR;
  bsc_plugin_info info = {};
  info.header = {sizeof info, BSC_STRUCT_PLUGIN_INFO, nullptr};
  REQUIRE(bascule_plugin_query(&host_info, &info) == BSC_OK);
  api = info.api;

  bsc_plugin_open_info open_info = {};
  open_info.header = {sizeof open_info, BSC_STRUCT_OPEN_INFO, nullptr};
  open_info.services = &host.services;
  open_info.driver_path = driver_path;
  open_info.option_count = options.values.size();
  open_info.option_stride = sizeof(bsc_plugin_option_value);
  open_info.options = options.values.data();
  status = api->instance->open(&open_info, &instance, &error);
  if (status != BSC_OK) return;
  std::uint64_t count = 0;
  REQUIRE(api->instance->enumerate(instance, 0, nullptr, &count, &error) == BSC_OK);
  devices.resize(count);
  REQUIRE(api->instance->enumerate(instance, count, devices.data(), &count, &error) == BSC_OK);
  device = devices.front();
}

Opened::~Opened() {
  if (instance != nullptr) CHECK(api->instance->close(instance, nullptr) == BSC_OK);
}

bsc_plugin_device_info Opened::info(bsc_plugin_device of) {
  bsc_plugin_device_info result = {};
  result.header = {sizeof result, BSC_STRUCT_DEVICE_INFO, nullptr};
  REQUIRE(api->device->info(of != nullptr ? of : device, &result, &error) == BSC_OK);
  return result;
}

bsc_plugin_memory Opened::memory(std::uint64_t bytes, std::uint32_t type, bsc_plugin_device on) {
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  description.type = type;
  bsc_plugin_memory result = nullptr;
  const bsc_status made = api->memory->allocate(on != nullptr ? on : device, &description, &result, &error);
  CAPTURE(message());
  REQUIRE(made == BSC_OK);
  return result;
}

bsc_plugin_queue Opened::queue(bsc_plugin_device on) {
  bsc_plugin_queue_description description = {};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  bsc_plugin_queue result = nullptr;
  REQUIRE(api->queue->create(on != nullptr ? on : device, &description, &result, &error) == BSC_OK);
  return result;
}

bsc_status Opened::load(const std::string& source, bsc_plugin_module& result, const char* options, bsc_plugin_device on) {
  bsc_plugin_image image = {};
  image.header = {sizeof image, BSC_STRUCT_IMAGE, nullptr};
  image.format = "opencl-c";
  image.data = source.data();
  image.bytes = source.size();
  image.options = options;
  image.name = "test.cl";
  return api->module->load(on != nullptr ? on : device, &image, &result, &error);
}

bsc_plugin_module Opened::module(const std::string& source, bsc_plugin_device on) {
  bsc_plugin_module result = nullptr;
  const bsc_status loaded = load(source, result, "", on);
  CAPTURE(message());
  REQUIRE(loaded == BSC_OK);
  return result;
}

bsc_plugin_function Opened::function(bsc_plugin_module of, const char* name) {
  bsc_plugin_function result = nullptr;
  REQUIRE(api->module->function(of, name, &result, &error) == BSC_OK);
  return result;
}

bsc_status Opened::submit(bsc_plugin_queue to, const std::vector<bsc_plugin_command>& commands, std::uint64_t* value,
                          std::uint64_t flags) {
  bsc_plugin_submission submission = {};
  submission.header = {sizeof submission, BSC_STRUCT_SUBMISSION, nullptr};
  submission.flags = flags;
  submission.command_count = commands.size();
  submission.command_stride = sizeof(bsc_plugin_command);
  submission.commands = commands.data();
  std::uint64_t unused = 0;
  return api->queue->submit(to, &submission, value != nullptr ? value : &unused, &error);
}

bsc_status Opened::wait(bsc_plugin_queue on, std::uint64_t value, std::uint64_t timeout_ns) {
  return api->event->wait(on, value, timeout_ns, &error);
}

bsc_status Opened::finish(bsc_plugin_queue on) {
  std::uint64_t value = 0;
  const bsc_status submitted = submit(on, {}, &value);
  return submitted != BSC_OK ? submitted : wait(on, value);
}

void Opened::transfer(std::uint32_t kind, bsc_plugin_queue on, bsc_plugin_memory memory_handle, void* host_data,
                      std::uint64_t bytes, std::uint64_t offset) {
  bsc_plugin_command command = new_command(kind);
  command.transfer = {memory_handle, host_data, offset, bytes};
  std::uint64_t value = 0;
  const bsc_status submitted = submit(on, {command}, &value);
  CAPTURE(message());
  REQUIRE(submitted == BSC_OK);
  REQUIRE(wait(on, value) == BSC_OK);
}

bsc_plugin_command read_command(bsc_plugin_memory memory, void* host, std::uint64_t bytes, std::uint64_t offset) {
  bsc_plugin_command command = new_command(BSC_COMMAND_READ);
  command.transfer = {memory, host, offset, bytes};
  return command;
}

bsc_plugin_command write_command(bsc_plugin_memory memory, const void* host, std::uint64_t bytes, std::uint64_t offset) {
  bsc_plugin_command command = new_command(BSC_COMMAND_WRITE);
  command.transfer = {memory, const_cast<void*>(host), offset, bytes};
  return command;
}

bsc_plugin_command copy_command(bsc_plugin_memory from, std::uint64_t from_offset, bsc_plugin_memory to,
                                std::uint64_t to_offset, std::uint64_t bytes) {
  bsc_plugin_command command = new_command(BSC_COMMAND_COPY);
  command.copy = {from, to, from_offset, to_offset, bytes};
  return command;
}

bsc_plugin_command fill_command(bsc_plugin_memory memory, std::uint64_t offset, std::uint64_t bytes, const void* pattern,
                                std::uint32_t pattern_bytes) {
  bsc_plugin_command command = new_command(BSC_COMMAND_FILL);
  command.fill.memory = memory;
  command.fill.offset = offset;
  command.fill.bytes = bytes;
  command.fill.pattern_bytes = pattern_bytes;
  std::memcpy(command.fill.pattern, pattern, pattern_bytes < 16 ? pattern_bytes : 16);
  return command;
}

bsc_plugin_command wait_command(bsc_plugin_queue queue, std::uint64_t value) {
  bsc_plugin_command command = new_command(BSC_COMMAND_WAIT);
  command.wait = {queue, value};
  return command;
}

bsc_plugin_command Launch::command() {
  launch.argument_count = arguments_.size();
  launch.argument_stride = sizeof(bsc_plugin_argument);
  launch.arguments = arguments_.data();
  launch.blob = blob_.data();
  launch.blob_bytes = blob_.size();
  bsc_plugin_command command = new_command(BSC_COMMAND_LAUNCH);
  command.launch = launch;
  return command;
}

}  // namespace bascule::opencl::test
