// device.info and device.memory_state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/conformance/capabilities.hpp"
#include "tests/conformance/handles.hpp"
#include "tests/conformance/session.hpp"

namespace bascule::conformance {
namespace {

bsc_plugin_device_info info_of(Session& session, bsc_plugin_device device) {
  bsc_plugin_device_info info = {};
  info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
  Error error;
  expect_ok(session.api.device->info(device, &info, error.get()), error, "device.info");
  return info;
}

std::vector<std::string> texts_of(const bsc_plugin_device_info& info) {
  std::vector<std::string> texts = {info.name,        info.vendor,       info.driver, info.driver_version,
                                    info.driver_path, info.architecture, info.type,   info.uuid,
                                    info.pci};
  for (std::uint64_t i = 0; i < info.format_count; ++i) texts.emplace_back(info.formats[i]);
  const auto* at = reinterpret_cast<const char*>(info.capabilities);
  for (std::uint64_t i = 0; i < info.capability_count; ++i, at += info.capability_stride) {
    const auto& capability = *reinterpret_cast<const bsc_plugin_capability*>(at);
    texts.push_back(fmt::format("{} {} {}", capability.name, capability.value, capability.unit));
  }
  return texts;
}

std::vector<bsc_plugin_capability> capabilities_of(const bsc_plugin_device_info& info) {
  std::vector<bsc_plugin_capability> list;
  const auto* at = reinterpret_cast<const char*>(info.capabilities);
  for (std::uint64_t i = 0; i < info.capability_count; ++i, at += info.capability_stride) {
    list.push_back(*reinterpret_cast<const bsc_plugin_capability*>(at));
  }
  return list;
}

}  // namespace

CONFORMANCE_CASE(core, device_info, says_who_the_device_is) {
  Session session(context);
  for (const bsc_plugin_device device : session.devices) {
    const bsc_plugin_device_info info = info_of(session, device);
    for (const char* const text : {info.name, info.vendor, info.driver, info.driver_version, info.architecture}) {
      expect(text != nullptr && *text != '\0', "a text that every device has is missing");
    }
    expect(info.driver_path != nullptr && info.uuid != nullptr && info.pci != nullptr, "a text is null instead of empty");
    const std::string_view type = info.type != nullptr ? info.type : "";
    expect(type == "gpu" || type == "cpu" || type == "accelerator", fmt::format("the type \"{}\"", type));
    const std::string_view uuid = info.uuid;
    expect(std::all_of(uuid.begin(), uuid.end(),
                       [](unsigned char c) { return c == '-' || std::isdigit(c) || (c >= 'a' && c <= 'f'); }),
           fmt::format("the uuid \"{}\" is not lower-case hexadecimal with dashes", uuid));
    expect(info.emulated <= 1 && info.unified_memory <= 1, "a flag is neither 0 nor 1");
  }
}

CONFORMANCE_CASE(core, device_info, states_every_limit) {
  Session session(context);
  for (const bsc_plugin_device device : session.devices) {
    const bsc_plugin_device_info info = info_of(session, device);
    expect(info.memory_bytes > 0 && info.max_allocation_bytes > 0, "memory_bytes, max_allocation_bytes");
    expect(info.compute_units > 0, "compute_units");
    expect(info.max_block_threads > 0, "max_block_threads");
    for (int i = 0; i < 3; ++i) expect(info.max_block[i] > 0 && info.max_grid[i] > 0, "max_block, max_grid");
    expect(info.max_argument_bytes >= 256, "max_argument_bytes");
    expect(info.min_sub_group >= 1 && info.max_sub_group >= info.min_sub_group, "min_sub_group, max_sub_group");
    expect(info.format_count > 0 && info.formats != nullptr, "formats");
    std::set<std::string> formats;
    for (std::uint64_t i = 0; i < info.format_count; ++i) {
      expect(info.formats[i] != nullptr && *info.formats[i] != '\0', "an empty format");
      expect(formats.insert(info.formats[i]).second, fmt::format("the format {} stands twice", info.formats[i]));
    }
  }
}

CONFORMANCE_CASE(core, device_info, texts_stay_the_same) {
  Session session(context);
  const bsc_plugin_device_info first = info_of(session, session.device);
  const std::vector<std::string> copies = texts_of(first);
  std::vector<std::string> from_thread;
  std::thread([&] { from_thread = texts_of(info_of(session, session.device)); }).join();
  expect(from_thread == copies, "a second call, from another thread, gives other texts");
  expect(texts_of(first) == copies, "texts of the first call changed later");
  expect(info_of(session, session.device).name == first.name, "the texts moved");
}

CONFORMANCE_CASE(core, device_info, writes_nothing_beyond_the_given_size) {
  Session session(context);
  for (const std::size_t known : {sizeof(bsc_struct), offsetof(bsc_plugin_device_info, type),
                                  offsetof(bsc_plugin_device_info, capabilities)}) {
    Guarded<bsc_plugin_device_info> info(BSC_STRUCT_DEVICE_INFO, known);
    Error error;
    expect_ok(session.api.device->info(session.device, info.get(), error.get()), error, "a smaller device info");
    expect(info.guard_intact(), fmt::format("a struct of {} bytes was written beyond its end", known));
  }
}

CONFORMANCE_CASE(core, device_info, accepts_a_larger_struct) {
  Session session(context);
  Guarded<bsc_plugin_device_info> info(BSC_STRUCT_DEVICE_INFO, sizeof(bsc_plugin_device_info) + 64);
  Error error;
  expect_ok(session.api.device->info(session.device, info.get(), error.get()), error, "a larger device info");
  expect(info.get()->capability_count == session.info.capability_count, "a field of a larger struct is not filled");
}

CONFORMANCE_CASE(core, device_info, capabilities_are_documented) {
  Session session(context);
  for (const bsc_plugin_device device : session.devices) {
    std::set<std::string> names;
    for (const bsc_plugin_capability& capability : capabilities_of(info_of(session, device))) {
      expect(capability.name != nullptr && capability.unit != nullptr, "a capability without name or unit");
      const DocumentedCapability* const known = find_capability(capability.name);
      expect(known != nullptr, fmt::format("the capability \"{}\" is not in docs/capabilities.md", capability.name));
      expect(known->unit == capability.unit, fmt::format("the unit of {} is \"{}\", documented as \"{}\"", capability.name,
                                                         capability.unit, known->unit));
      expect(names.insert(capability.name).second, fmt::format("the capability {} stands twice", capability.name));
    }
  }
}

CONFORMANCE_CASE(core, device_info, refuses_handles_that_are_none) {
  Session session(context);
  Error error;
  bsc_plugin_device_info info = {};
  info.header = {sizeof info, BSC_STRUCT_DEVICE_INFO, nullptr};
  for (const BadHandle& bad : bad_handles(session, BSC_OBJECT_DEVICE)) {
    error.reset();
    expect_refused(session.api.device->info(bad.handle, &info, error.get()), error, {BSC_INVALID_HANDLE}, bad.what);
  }
}

CONFORMANCE_CASE(core, device_memory_state, free_is_at_most_total) {
  Session session(context);
  if (session.api.device->memory_state == nullptr) skip("the plugin has no device.memory_state");
  bsc_plugin_memory_state state = {};
  state.header = {sizeof state, BSC_STRUCT_MEMORY_STATE, nullptr};
  Error error;
  expect_ok(session.api.device->memory_state(session.device, &state, error.get()), error, "device.memory_state");
  expect(state.total_bytes > 0, "no memory at all");
  expect(state.free_bytes <= state.total_bytes, "more is free than there is");
  expect(state.free_is_estimate <= 1, "free_is_estimate is neither 0 nor 1");
}

CONFORMANCE_CASE(core, device_memory_state, writes_nothing_beyond_the_given_size) {
  Session session(context);
  if (session.api.device->memory_state == nullptr) skip("the plugin has no device.memory_state");
  Guarded<bsc_plugin_memory_state> state(BSC_STRUCT_MEMORY_STATE, offsetof(bsc_plugin_memory_state, free_is_estimate));
  Error error;
  expect_ok(session.api.device->memory_state(session.device, state.get(), error.get()), error, "a smaller memory state");
  expect(state.guard_intact(), "a smaller memory state was written beyond its end");
}

}  // namespace bascule::conformance
