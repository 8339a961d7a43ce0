// `bascule config --show`: each value of the configuration and where it comes from.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "console.hpp"

namespace bascule::cli {

ExitCode run_config_show(const CommonOptions& common) {
  const InstanceHandle instance = open_instance(common);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  Table table({{"key"}, {"value"}, {"from"}});
  const char* key = nullptr;
  const char* value = nullptr;
  const char* origin = nullptr;
  for (std::uint64_t i = 0; bsc_instance_config(instance.get(), i, &key, &value, &origin) == BSC_OK; ++i) {
    json.push_back({{"key", key}, {"value", value}, {"origin", origin}});
    table.add({printable(key), printable(value), printable(origin)});
  }
  if (common.json) {
    std::printf("%s\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return ExitCode::kSuccess;
}

}  // namespace bascule::cli
