// bascule_plugin_query: the handshake, and that it has no side effects.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/plugin_library.hpp"
#include "tests/conformance/session.hpp"

extern char** environ;

namespace bascule::conformance {
namespace {

bsc_plugin_info query(Context& context, bsc_status expected = BSC_OK) {
  const bsc_plugin_host_info host = host_info();
  bsc_plugin_info info = {};
  info.header = {sizeof info, BSC_STRUCT_PLUGIN_INFO, nullptr};
  const bsc_status status = context.plugin.query()(&host, &info);
  expect(status == expected, "query: got " + status_name(status));
  return info;
}

// What query does may not depend on whether something has been opened before.
void open_and_close(Context& context) {
  Session session(context);
  session.close();
}

std::vector<std::string> environment() {
  std::vector<std::string> copy;
  for (char** item = environ; *item != nullptr; ++item) copy.emplace_back(*item);
  return copy;
}

std::size_t thread_count() {
  std::size_t count = 0;
  DIR* const directory = opendir("/proc/self/task");
  expect(directory != nullptr, "/proc/self/task cannot be read");
  while (const dirent* const entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

// What is written to a file descriptor while this object lives.
class Capture {
 public:
  explicit Capture(int descriptor) : descriptor_(descriptor), saved_(dup(descriptor)), file_(std::tmpfile()) {
    expect(file_ != nullptr, "no temporary file");
    std::fflush(nullptr);
    dup2(fileno(file_), descriptor);
  }
  ~Capture() { end(); }
  std::size_t end() {
    if (saved_ >= 0) {
      std::fflush(nullptr);
      bytes_ = static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END));
      dup2(saved_, descriptor_);
      ::close(std::exchange(saved_, -1));
      std::fclose(file_);
    }
    return bytes_;
  }

 private:
  int descriptor_;
  int saved_;
  std::FILE* file_;
  std::size_t bytes_ = 0;
};

}  // namespace

CONFORMANCE_CASE(core, query, fills_every_field_of_its_info) {
  const bsc_plugin_info info = query(context);
  expect(info.abi_major == BSC_PLUGIN_ABI_MAJOR && info.abi_minor == BSC_PLUGIN_ABI_MINOR, "ABI version");
  expect(info.abi_minor_needed <= info.abi_minor, "needs a newer minor version than it was built against");
  expect(info.name != nullptr && *info.name != '\0', "no name");
  expect(info.version != nullptr && *info.version != '\0', "no version");
  expect(info.build != nullptr && *info.build != '\0', "no build id");
  const std::string& manifest = context.plugin.manifest_name();
  expect(manifest.empty() || manifest == info.name, "the manifest says " + manifest + ", the plugin " + info.name);
}

CONFORMANCE_CASE(core, query, gives_every_required_entry) {
  open_and_close(context);
  const bsc_plugin_api& api = *query(context).api;
  expect(api.header.size >= sizeof(bsc_struct) && api.header.type == BSC_STRUCT_API, "header of the api table");
  expect(api.instance && api.device && api.memory && api.queue && api.event && api.module, "a table is missing");
  expect(api.instance->open && api.instance->close && api.instance->enumerate, "an instance entry is missing");
  expect(api.device->info, "device.info is missing");
  expect(api.memory->allocate && api.memory->release, "a memory entry is missing");
  expect(api.queue->create && api.queue->release && api.queue->submit, "a queue entry is missing");
  expect(api.event->wait, "event.wait is missing");
  expect(api.module->load && api.module->unload && api.module->function, "a module entry is missing");
}

CONFORMANCE_CASE(core, query, tables_state_their_sizes) {
  open_and_close(context);
  const bsc_plugin_api& api = *query(context).api;
  // The least is what holds the required entries.
  expect(api.instance->size >= offsetof(bsc_plugin_instance_table, enumerate) + sizeof(void*), "instance table");
  expect(api.device->size >= offsetof(bsc_plugin_device_table, info) + sizeof(void*), "device table");
  expect(api.memory->size >= offsetof(bsc_plugin_memory_table, release) + sizeof(void*), "memory table");
  expect(api.queue->size >= offsetof(bsc_plugin_queue_table, submit) + sizeof(void*), "queue table");
  expect(api.event->size >= offsetof(bsc_plugin_event_table, wait) + sizeof(void*), "event table");
  expect(api.module->size >= offsetof(bsc_plugin_module_table, function) + sizeof(void*), "module table");
  expect(api.graph == nullptr || api.graph->size >= sizeof(bsc_plugin_graph_table), "graph table");
  expect(api.profile == nullptr || api.profile->size >= sizeof(bsc_plugin_profile_table), "profile table");
}

CONFORMANCE_CASE(core, query, writes_nothing_beyond_the_given_size) {
  open_and_close(context);
  const bsc_plugin_host_info host = host_info();
  for (const std::size_t known : {sizeof(bsc_struct), offsetof(bsc_plugin_info, name), offsetof(bsc_plugin_info, api)}) {
    Guarded<bsc_plugin_info> info(BSC_STRUCT_PLUGIN_INFO, known);
    context.plugin.query()(&host, info.get());
    expect(info.guard_intact(), fmt::format("a struct of {} bytes was written beyond its end", known));
  }
}

CONFORMANCE_CASE(core, query, accepts_a_larger_struct_and_unknown_extensions) {
  const bsc_struct extension = {sizeof extension, 0x7FFF0001u, nullptr};
  bsc_plugin_host_info host = host_info();
  host.header.next = &extension;
  Guarded<bsc_plugin_info> info(BSC_STRUCT_PLUGIN_INFO, sizeof(bsc_plugin_info) + 64);
  const bsc_status status = context.plugin.query()(&host, info.get());
  expect(status == BSC_OK, "query: got " + status_name(status));
  expect(info.get()->api != nullptr && info.guard_intact(), "a field is missing or the guard was written");
}

CONFORMANCE_CASE(core, query, refuses_another_abi_version_but_says_who_it_is) {
  open_and_close(context);
  bsc_plugin_host_info hosts[2] = {host_info(), host_info()};
  hosts[0].abi_major = 99;
  hosts[1].abi_minor = 99;  // 0.x matches exactly
  for (const bsc_plugin_host_info& host : hosts) {
    bsc_plugin_info info = {};
    info.header = {sizeof info, BSC_STRUCT_PLUGIN_INFO, nullptr};
    const bsc_status status = context.plugin.query()(&host, &info);
    expect(status == BSC_ABI_MISMATCH,
           fmt::format("a host of ABI {}.{}: got {}", host.abi_major, host.abi_minor, status_name(status)));
    expect(info.abi_major == BSC_PLUGIN_ABI_MAJOR && info.abi_minor == BSC_PLUGIN_ABI_MINOR, "ABI fields not filled");
    expect(info.name != nullptr && info.version != nullptr, "name or version not filled");
  }
}

CONFORMANCE_CASE(core, query, answers_the_same_each_time) {
  open_and_close(context);
  const bsc_plugin_info first = query(context);
  const bsc_plugin_info second = query(context);
  expect(std::string_view(first.name) == second.name && std::string_view(first.version) == second.version, "name, version");
  expect(std::string_view(first.build) == second.build, "the build id changes");
  expect(first.api == second.api, "the api table changes");
  expect(first.option_count == second.option_count, "the options change");
}

CONFORMANCE_CASE(core, query, declares_options_completely) {
  open_and_close(context);
  const bsc_plugin_info info = query(context);
  expect(info.option_count == 0 || info.option_stride >= sizeof(bsc_plugin_option), "the stride of the options");
  for (const bsc_plugin_option& option : options_of(info)) {
    expect(option.name && *option.name && option.type && option.default_value, "an option lacks name, type or default");
    const std::string_view type = option.type;
    expect(type == "integer" || type == "boolean" || type == "string" || type == "duration",
           fmt::format("option {} has the unknown type {}", option.name, type));
    expect(option.description && *option.description, fmt::format("option {} has no description", option.name));
  }
}

CONFORMANCE_CASE(core, query, leaves_the_environment_alone) {
  open_and_close(context);
  const auto before = environment();
  query(context);
  expect(environment() == before, "query changed the environment");
}

CONFORMANCE_CASE(core, query, starts_no_thread) {
  open_and_close(context);
  query(context);
  const std::size_t before = thread_count();
  for (int i = 0; i < 8; ++i) query(context);
  expect(thread_count() <= before, "query started a thread");
}

CONFORMANCE_CASE(core, query, prints_nothing) {
  open_and_close(context);
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    Capture capture(descriptor);
    query(context);
    expect(capture.end() == 0, fmt::format("query wrote to file descriptor {}", descriptor));
  }
}

CONFORMANCE_CASE(core, instance_open, prints_nothing_to_standard_output) {
  Capture capture(STDOUT_FILENO);
  Session session(context);
  session.close();
  expect(capture.end() == 0, "opening or closing wrote to standard output");
}

CONFORMANCE_CASE(core, query, unknown_extensions_are_null) {
  open_and_close(context);
  const bsc_plugin_api& api = context.plugin.api();
  if (api.get_extension == nullptr) skip("the plugin has no get_extension");
  expect(api.get_extension("no_such_extension", 1) == nullptr, "an unknown extension was answered");
  expect(api.get_extension("", 0) == nullptr, "an extension without a name was answered");
}

}  // namespace bascule::conformance
