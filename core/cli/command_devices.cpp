// `bascule devices`: every device of every configured backend that is usable here, and why the other backends are not.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const bsc_device* device) {
  const bsc_device_info info = info_of(device);
  Json json = {{"id", info.id},
               {"backend", info.backend},
               {"name", info.name},
               {"vendor", info.vendor},
               {"driver", info.driver},
               {"driver_version", info.driver_version},
               {"architecture", info.architecture},
               {"type", info.type},
               {"uuid", info.uuid},
               {"pci", info.pci},
               {"emulated", info.emulated != 0},
               {"unified_memory", info.unified_memory != 0},
               {"memory_bytes", info.memory_bytes},
               {"max_allocation_bytes", info.max_allocation_bytes},
               {"compute_units", info.compute_units},
               {"max_block_threads", info.max_block_threads},
               {"max_block", info.max_block},
               {"max_grid", info.max_grid},
               {"max_shared_bytes", info.max_shared_bytes},
               {"max_argument_bytes", info.max_argument_bytes},
               {"sub_group", {info.min_sub_group, info.max_sub_group}},
               {"formats", Json::array()},
               {"capabilities", Json::object()}};
  for (std::uint64_t i = 0; const char* format = bsc_device_format(device, i); ++i) json["formats"].push_back(format);
  for (std::uint64_t i = 0; const char* name = bsc_device_capability_name(device, i); ++i) {
    std::int64_t value = 0;
    const char* unit = "";
    if (bsc_device_capability(device, name, &value, &unit) == BSC_OK) json["capabilities"][name] = {{"value", value}, {"unit", unit}};
  }
  return json;
}

}  // namespace

ExitCode run_devices(const CommonOptions& common) {
  const InstanceHandle instance = open_instance(common);
  Json devices = Json::array();
  for (std::uint64_t i = 0; i < bsc_instance_device_count(instance.get()); ++i) {
    devices.push_back(to_json(bsc_instance_device(instance.get(), i)));
  }
  Json backends = Json::array();
  bsc_backend_info backend = {};
  backend.size = sizeof backend;
  for (std::uint64_t i = 0; bsc_instance_backend(instance.get(), i, &backend) == BSC_OK; ++i) {
    backends.push_back({{"name", backend.name},
                        {"state", bsc_status_name(backend.state)},
                        {"selected", backend.selected != 0},
                        {"devices", backend.device_count},
                        {"reason", backend.reason},
                        {"remedy", backend.remedy}});
  }
  const std::string chosen = info_of(bsc_instance_default_device(instance.get())).id;
  if (common.json) {
    std::printf("%s\n", Json{{"selection", bsc_instance_selection(instance.get())},
                             {"default", chosen},
                             {"devices", devices},
                             {"backends", backends}}
                            .dump(1, ' ', false, Json::error_handler_t::replace)
                            .c_str());
    return ExitCode::kSuccess;
  }
  Table table({{""}, {"id"}, {"name"}, {"type"}, {"architecture"}, {"units", Table::Align::right}, {"memory", Table::Align::right},
               {"formats"}, {"driver"}});
  for (const Json& device : devices) {
    std::string formats;
    for (const Json& format : device["formats"]) formats += (formats.empty() ? "" : " ") + format.get<std::string>();
    table.add({device["id"] == chosen ? "*" : "", device["id"], printable(device["name"].get<std::string>()),
               device["type"].get<std::string>() + (device["emulated"] ? " EMULATED" : ""), device["architecture"],
               std::to_string(device["compute_units"].get<std::uint64_t>()), format_bytes(device["memory_bytes"]), formats,
               printable(device["driver"].get<std::string>())});
  }
  std::printf("%s\n", table.text().c_str());
  Table others({{"backend"}, {"state"}, {"reason"}});
  bool any = false;
  for (const Json& entry : backends) {
    if (entry["selected"]) continue;
    any = true;
    const std::string reason = entry["reason"];
    // Of a backend that the configuration does not name only its presence is known, which is no state of its own.
    const std::string state = entry["state"] == bsc_status_name(BSC_INVALID_STATE) ? "not named" : entry["state"].get<std::string>();
    others.add({entry["name"], state, printable(reason.substr(0, reason.find('\n')))});
  }
  if (any) std::printf("%s\n", others.text().c_str());
  const std::string selection = bsc_instance_selection(instance.get());
  std::printf("* default: %s\n", printable(selection.substr(0, selection.find("; "))).c_str());  // the reasons stand above
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
