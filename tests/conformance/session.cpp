// Opening, closing and the owners of objects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/session.hpp"

#include <algorithm>
#include <cstdlib>

#include "tests/conformance/plugin_library.hpp"

namespace bascule::conformance {

Services::Services() {
  table_.header = {sizeof table_, BSC_STRUCT_HOST_SERVICES, nullptr};
  table_.context = this;
  table_.log = log;
  table_.allocate = allocate;
  table_.deallocate = deallocate;
  table_.cache_get = cache_get;
  table_.cache_put = cache_put;
}

Services* Services::self(void* context) {
  auto* const services = static_cast<Services*>(context);
  if (services == nullptr) {
    ++wrong_context_;
  } else if (services->closed_) {
    ++services->after_close_;
  }
  return services;
}

void Services::log(void* context, std::uint32_t level, const char* message) {
  if (self(context) == nullptr || level > BSC_LOG_ERROR || message == nullptr) ++wrong_context_;
}

void* Services::allocate(void* context, std::uint64_t bytes, std::uint64_t alignment) {
  auto* const services = self(context);
  void* pointer = nullptr;
  const std::uint64_t least = std::max<std::uint64_t>(alignment, sizeof(void*));
  if (services == nullptr || posix_memalign(&pointer, least, std::max<std::uint64_t>(bytes, 1)) != 0) return nullptr;
  ++services->live_;
  return pointer;
}

void Services::deallocate(void* context, void* pointer) {
  auto* const services = self(context);
  if (services != nullptr && pointer != nullptr) --services->live_;
  std::free(pointer);
}

bsc_status Services::cache_get(void* context, const bsc_plugin_cache_key*, void**, std::uint64_t*) {
  self(context);
  return BSC_NOT_FOUND;
}

void Services::cache_put(void* context, const bsc_plugin_cache_key*, const void*, std::uint64_t) { self(context); }

bsc_status open_plain(Context& context, const Services& services, const OptionList& extra, bsc_plugin_instance* out,
                      Error& error) {
  OptionList merged = context.options;
  for (const auto& [name, value] : extra) {
    const auto same = [&name = name](const auto& option) { return option.first == name; };
    merged.erase(std::remove_if(merged.begin(), merged.end(), same), merged.end());
    merged.emplace_back(name, value);
  }
  std::vector<bsc_plugin_option_value> values;
  for (const auto& [name, value] : merged) values.push_back({name.c_str(), value.c_str()});
  bsc_plugin_open_info info = {};
  info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
  info.services = services.get();
  info.driver_path = context.plugin.driver();
  info.option_count = values.size();
  info.option_stride = sizeof(bsc_plugin_option_value);
  info.options = values.data();
  return context.plugin.api().instance->open(&info, out, error.get());
}

Session::Session(Context& given, const OptionList& extra) : context(given), api(given.plugin.api()) {
  Error error;
  expect_ok(open_plain(context, services, extra, &instance, error), error, "instance.open");
  std::uint64_t count = 0;
  expect_ok(api.instance->enumerate(instance, 0, nullptr, &count, error.get()), error, "instance.enumerate");
  expect(count > 0, "an opened instance has no device");
  devices.resize(count);
  expect_ok(api.instance->enumerate(instance, count, devices.data(), &count, error.get()), error, "instance.enumerate");
  device = devices.front();
  info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
  expect_ok(api.device->info(device, &info, error.get()), error, "device.info");
}

Session::~Session() {
  if (instance != nullptr) api.instance->close(instance, nullptr);
}

void Session::close() {
  Error error;
  const bsc_plugin_instance closing = std::exchange(instance, nullptr);
  const bsc_status status = api.instance->close(closing, error.get());
  services.mark_closed();
  expect_ok(status, error, "instance.close");
}

std::int64_t Session::capability(std::string_view name) const {
  const auto* at = reinterpret_cast<const char*>(info.capabilities);
  for (std::uint64_t i = 0; i < info.capability_count; ++i, at += info.capability_stride) {
    const auto* const item = reinterpret_cast<const bsc_plugin_capability*>(at);
    if (item->name == name) return item->value;
  }
  return -1;
}

bool Session::computes() const { return capability("computes") != 0; }

void Session::needs_results() const {
  if (!computes()) skip("reads a result, and this backend computes nothing");
}

bool Session::has_format(std::string_view format) const {
  for (std::uint64_t i = 0; i < info.format_count; ++i) {
    if (info.formats[i] == format) return true;
  }
  return false;
}

Memory::Memory(Session& owner, std::uint64_t bytes, std::uint32_t type, std::uint64_t alignment) : session(owner) {
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  description.alignment = alignment;
  description.type = type;
  Error error;
  expect_ok(session.api.memory->allocate(session.device, &description, &handle, error.get()), error, "memory.allocate");
}

Memory::Memory(Session& owner, bsc_plugin_device device, std::uint64_t bytes) : session(owner) {
  bsc_plugin_memory_description description = {};
  description.header = {sizeof description, BSC_STRUCT_MEMORY_DESCRIPTION, nullptr};
  description.bytes = bytes;
  Error error;
  expect_ok(session.api.memory->allocate(device, &description, &handle, error.get()), error, "memory.allocate");
}

Memory::~Memory() {
  if (handle != nullptr && session.instance != nullptr) session.api.memory->release(handle, nullptr);
}

void Memory::release() {
  Error error;
  expect_ok(session.api.memory->release(std::exchange(handle, nullptr), error.get()), error, "memory.release");
}

Queue::Queue(Session& owner, bsc_plugin_device device) : session(owner) {
  bsc_plugin_queue_description description = {};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  Error error;
  expect_ok(session.api.queue->create(device != nullptr ? device : session.device, &description, &handle, error.get()),
            error, "queue.create");
}

Queue::~Queue() {
  if (handle != nullptr && session.instance != nullptr) session.api.queue->release(handle, nullptr);
}

void Queue::release() {
  Error error;
  expect_ok(session.api.queue->release(std::exchange(handle, nullptr), error.get()), error, "queue.release");
}

bsc_status Queue::try_submit(const Commands& commands, std::uint64_t* value, Error& error, std::uint64_t flags) {
  const bsc_plugin_submission submission = commands.submission(flags);
  error.reset();
  return session.api.queue->submit(handle, &submission, value, error.get());
}

std::uint64_t Queue::submit(const Commands& commands, std::uint64_t flags, std::source_location where) {
  Error error;
  std::uint64_t value = 0;
  expect_ok(try_submit(commands, &value, error, flags), error, "queue.submit", where);
  return value;
}

bsc_status Queue::try_wait(std::uint64_t value, std::uint64_t timeout_ns, Error& error) {
  error.reset();
  return session.api.event->wait(handle, value, timeout_ns, error.get());
}

void Queue::wait(std::uint64_t value, std::source_location where) {
  Error error;
  expect_ok(try_wait(value, BSC_WAIT_FOREVER, error), error, "event.wait", where);
}

void Queue::run(const Commands& commands, std::source_location where) { wait(submit(commands, 0, where), where); }

std::uint64_t Queue::completed(std::uint64_t submitted) {
  Error error;
  if (session.api.event->completed != nullptr) {
    std::uint64_t value = 0;
    expect_ok(session.api.event->completed(handle, &value, error.get()), error, "event.completed");
    return value;
  }
  std::uint64_t value = submitted;
  while (value > 0 && try_wait(value, 0, error) == BSC_TIMED_OUT) --value;
  return value;
}

void expect_submission_refused(Queue& queue, const Commands& commands, std::initializer_list<bsc_status> allowed,
                               std::string_view what, std::source_location where) {
  const std::uint64_t before = queue.submit(Commands(), 0, where);
  Error error;
  std::uint64_t value = 0;
  expect_refused(queue.try_submit(commands, &value, error), error, allowed, what, where);
  const std::uint64_t after = queue.submit(Commands(), 0, where);
  expect(after == before + 1, fmt::format("{}: the refused submission took a value of the queue", what), where);
  queue.wait(after, where);
}

}  // namespace bascule::conformance
