// The backends that the project knows of, whether installed or not: data from known_backends.json.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace bascule::core {

struct KnownBackend {
  std::string name;
  std::string package;                         // that provides the plugin
  bool automatic = false;                      // considered when the configuration says auto, in the list's order
  std::vector<std::string> auto_device_types;  // the only types of device that auto takes; none: any
  std::string driver;                          // how to get the vendor's driver
  std::string note;                            // what users should know of it; "" for most
  // What a probe's verdict depends on besides plugin and driver: variables by prefix, and files or directories.
  std::vector<std::string> environment;
  std::vector<std::string> watch;
};

Result<std::vector<KnownBackend>> parse_known_backends(std::string_view json);

// In the order of the list. Parsed once.
const std::vector<KnownBackend>& known_backends();
// nullptr for a backend that the list does not have.
const KnownBackend* find_known_backend(std::string_view name);

}  // namespace bascule::core
