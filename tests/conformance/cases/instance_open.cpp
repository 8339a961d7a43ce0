// instance.open: options, struct sizes, services and what it may not change.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cfenv>
#include <csignal>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/conformance/plugin_library.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

// The command line's options in an array with elements of `stride` bytes, the room between them filled with garbage.
class StridedOptions {
 public:
  StridedOptions(const OptionList& options, std::size_t stride) : bytes_(options.size() * stride + 1, 0xAA) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const bsc_plugin_option_value value = {options[i].first.c_str(), options[i].second.c_str()};
      std::memcpy(bytes_.data() + i * stride, &value, sizeof value);
    }
  }
  const bsc_plugin_option_value* data() const {
    return reinterpret_cast<const bsc_plugin_option_value*>(bytes_.data());
  }

 private:
  std::vector<unsigned char> bytes_;
};

// An option of each type with a value that is none.
OptionList bad_value_of(const PluginLibrary& plugin) {
  for (const bsc_plugin_option& option : options_of(plugin.info())) {
    if (std::string_view(option.type) != "string") return {{option.name, "not-a-value"}};
  }
  return {};
}

// Any other option with its default value.
OptionList another_option(const PluginLibrary& plugin, const OptionList& than) {
  for (const bsc_plugin_option& option : options_of(plugin.info())) {
    if (!than.empty() && option.name != than[0].first) return {{option.name, option.default_value}};
  }
  return {};
}

}  // namespace

CONFORMANCE_CASE(core, instance_open, opens_and_closes) {
  Session session(context);
  expect(session.instance->api == &session.api, "the instance's dispatch pointer");
  expect(session.instance->magic == BSC_OBJECT_MAGIC && session.instance->kind == BSC_OBJECT_INSTANCE, "magic, kind");
  session.close();
}

CONFORMANCE_CASE(core, instance_open, opens_again_after_closing) {
  for (int i = 0; i < 3; ++i) {
    Session session(context);
    session.close();
  }
}

CONFORMANCE_CASE(core, instance_open, two_instances_at_the_same_time) {
  Session first(context);
  Session second(context);
  expect(first.instance != second.instance && first.device != second.device, "two instances share handles");
  first.close();
  Queue queue(second);
  queue.run(Commands());
  queue.release();
  second.close();
}

CONFORMANCE_CASE(core, instance_open, refuses_a_bad_option_value_and_names_it) {
  const OptionList bad = bad_value_of(context.plugin);
  if (bad.empty()) skip("the plugin declares no option with a type that has wrong values");
  Services services;
  Error error;
  bsc_plugin_instance instance = nullptr;
  expect_refused(open_plain(context, services, bad, &instance, error), error, {BSC_INVALID_CONFIG}, "a bad option value");
  expect_message(error, bad[0].first, "a bad option value");
  expect_message(error, bad[0].second, "a bad option value");
  // A refused open leaves nothing behind that would trouble the next one.
  Session session(context);
}

CONFORMANCE_CASE(core, instance_open, walks_options_by_their_stride) {
  const OptionList bad = bad_value_of(context.plugin);
  const OptionList harmless = another_option(context.plugin, bad);
  if (harmless.empty()) skip("the plugin declares fewer than two options, or none with wrong values");
  { const Session session(context); }
  // The bad one comes last: only who walks correctly sees it.
  OptionList list = context.options;
  list.push_back(harmless[0]);
  list.push_back(bad[0]);
  constexpr std::size_t kStride = sizeof(bsc_plugin_option_value) + 24;
  const StridedOptions options(list, kStride);
  const Services services;
  bsc_plugin_open_info info = {};
  info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
  info.services = services.get();
  info.driver_path = context.plugin.driver();
  info.option_count = list.size();
  info.option_stride = kStride;
  info.options = options.data();
  Error error;
  bsc_plugin_instance instance = nullptr;
  expect_refused(context.plugin.api().instance->open(&info, &instance, error.get()), error, {BSC_INVALID_CONFIG},
                 "a bad option value in an array with a large stride");
}

CONFORMANCE_CASE(core, instance_open, accepts_a_larger_struct_and_unknown_extensions) {
  { const Session session(context); }
  const Services services;
  const bsc_struct extension = {sizeof extension, 0x7FFF0002u, nullptr};
  const StridedOptions options(context.options, sizeof(bsc_plugin_option_value));
  Guarded<bsc_plugin_open_info> info(BSC_STRUCT_OPEN_INFO, sizeof(bsc_plugin_open_info) + 128);
  bsc_plugin_open_info& fields = *info.get();
  fields.header.next = &extension;
  fields.services = services.get();
  fields.driver_path = context.plugin.driver();
  fields.option_count = context.options.size();
  fields.option_stride = sizeof(bsc_plugin_option_value);
  fields.options = options.data();
  Error error;
  bsc_plugin_instance instance = nullptr;
  const bsc_plugin_api& api = context.plugin.api();
  expect_ok(api.instance->open(info.get(), &instance, error.get()), error, "a larger open info");
  expect_ok(api.instance->close(instance, error.get()), error, "instance.close");
}

CONFORMANCE_CASE(core, instance_open, works_without_an_error_struct) {
  const OptionList bad = bad_value_of(context.plugin);
  const Services services;
  const bsc_plugin_api& api = context.plugin.api();
  if (!bad.empty()) {
    const bsc_plugin_option_value value = {bad[0].first.c_str(), bad[0].second.c_str()};
    bsc_plugin_open_info info = {};
    info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
    info.services = services.get();
    info.driver_path = context.plugin.driver();
    info.option_count = 1;
    info.option_stride = sizeof value;
    info.options = &value;
    bsc_plugin_instance instance = nullptr;
    expect(api.instance->open(&info, &instance, nullptr) == BSC_INVALID_CONFIG, "a bad option value, no error struct");
  }
  const Session session(context);
  bsc_plugin_queue_description description = {};
  description.header = {sizeof description, BSC_STRUCT_QUEUE_DESCRIPTION, nullptr};
  bsc_plugin_queue queue = nullptr;
  expect(api.queue->create(nullptr, &description, &queue, nullptr) == BSC_INVALID_HANDLE, "no device, no error struct");
  expect(api.queue->create(session.device, &description, &queue, nullptr) == BSC_OK, "queue.create, no error struct");
  expect(api.event->wait(queue, 7, 0, nullptr) == BSC_INVALID_ARGUMENT, "event.wait, no error struct");
  expect(api.queue->release(queue, nullptr) == BSC_OK, "queue.release, no error struct");
}

CONFORMANCE_CASE(core, instance_open, a_configured_driver_replaces_the_plugins_list) {
  Session usual(context);
  if (usual.info.driver_path == nullptr || *usual.info.driver_path == '\0') skip("the plugin opens no driver library");
  usual.close();
  const Services services;
  const char* const path = "/nonexistent/directory/libdriver.so.1";
  bsc_plugin_open_info info = {};
  info.header = {sizeof info, BSC_STRUCT_OPEN_INFO, nullptr};
  info.services = services.get();
  info.driver_path = path;
  Error error;
  bsc_plugin_instance instance = nullptr;
  expect_refused(context.plugin.api().instance->open(&info, &instance, error.get()), error,
                 {BSC_DRIVER_MISSING, BSC_BROKEN, BSC_INVALID_CONFIG}, "a driver that does not exist");
  expect_message(error, path, "a driver that does not exist");
}

CONFORMANCE_CASE(core, instance_open, calls_services_with_their_context_and_not_after_close) {
  Session session(context);
  { Memory memory(session, 1 << 16, BSC_MEMORY_HOST); }
  Queue queue(session);
  queue.run(Commands());
  queue.release();
  session.close();
  expect(session.services.calls_with_wrong_context() == 0, "a service was called with a wrong argument");
  expect(session.services.calls_after_close() == 0, "a service was called after close");
}

CONFORMANCE_CASE(core, instance_open, leaves_the_floating_point_environment_alone) {
  for (const int mode : {FE_TONEAREST, FE_TOWARDZERO}) {
    std::fesetround(mode);
    Session session(context);
    expect(std::fegetround() == mode, "open changed the rounding mode");
    session.close();
    expect(std::fegetround() == mode, "close changed the rounding mode");
  }
  std::fesetround(FE_TONEAREST);
}

CONFORMANCE_CASE(core, instance_open, leaves_the_signal_mask_alone) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Session session(context);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) {
    expect(sigismember(&before, signal) == sigismember(&after, signal), "open changed the signal mask");
  }
}

}  // namespace bascule::conformance
