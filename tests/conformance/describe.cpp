// Asking a plugin who it is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/conformance/describe.hpp"

#include <exception>
#include <nlohmann/json.hpp>

#include "tests/conformance/session.hpp"

namespace bascule::conformance {

std::string describe_in_this_process(const PluginLocation& location, const OptionList& options) try {
  const PluginLibrary plugin(location);
  if (!plugin.problem().empty()) return plugin.problem();
  Context context = {plugin, options};
  const Session session(context);
  const bsc_plugin_device_info& info = session.info;
  nlohmann::ordered_json formats = nlohmann::json::array();
  for (std::uint64_t i = 0; i < info.format_count; ++i) formats.push_back(info.formats[i]);
  const nlohmann::ordered_json json = {
      {"name", plugin.info().name},
      {"version", plugin.info().version},
      {"build", plugin.info().build},
      {"abi", fmt::format("{}.{}", plugin.info().abi_major, plugin.info().abi_minor)},
      {"file", plugin.file()},
      {"device",
       {{"name", info.name},
        {"vendor", info.vendor},
        {"driver", info.driver},
        {"driver_version", info.driver_version},
        {"driver_path", info.driver_path},
        {"architecture", info.architecture},
        {"type", info.type},
        {"devices", session.devices.size()},
        {"formats", formats}}}};
  return json.dump();
} catch (const std::exception& exception) {
  return exception.what();
}

}  // namespace bascule::conformance
